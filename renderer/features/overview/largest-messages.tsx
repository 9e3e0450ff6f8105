import type { Overview } from '../../../core/contract/memory.ts'
import { navigate } from '../../routes.ts'
import { nodeColor } from '../../ui/depth-color.ts'
import { formatCount } from '../../ui/format.ts'
import { roleOf } from '../../ui/role.ts'
import { SectionHeading } from '../../ui/section-heading.tsx'
import styles from './largest-messages.module.css'

type Large = Overview['largestMessages'][number]

/** What takes the most room, longest first. */
export function LargestMessages({ messages }: { readonly messages: readonly Large[] }) {
  const longest = messages[0]?.tokens ?? 1
  return (
    <section>
      <SectionHeading aside="tokens">Largest messages</SectionHeading>
      {messages.length === 0 && <p className={styles.none}>There is no message.</p>}
      <ul>
        {messages.map((message) => (
          <li key={message.id}>
            <button
              type="button"
              className={styles.row}
              title={`Select ${message.id}`}
              onClick={() => navigate({ selection: message.id }, 'push')}
            >
              <span className={styles.line}>
                <span className={styles.id}>{message.id}</span>
                <span className={styles.excerpt}>
                  <bdi>{message.excerpt || message.role}</bdi>
                </span>
                <span>{formatCount(message.tokens)}</span>
              </span>
              <span className={styles.track}>
                <span
                  className={styles.bar}
                  style={{
                    width: `${(message.tokens / longest) * 100}%`,
                    background: nodeColor({ kind: 'message', role: roleOf(message.role) }),
                  }}
                />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
