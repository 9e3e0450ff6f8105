import type { Overview } from '../../../core/contract/memory.ts'
import { nodeColor } from '../../ui/depth-color.ts'
import { LargeRow } from '../../ui/large-row.tsx'
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
            <LargeRow
              id={message.id}
              text={message.excerpt || message.role}
              tokens={message.tokens}
              most={longest}
              color={nodeColor({ kind: 'message', role: roleOf(message.role) })}
            />
          </li>
        ))}
      </ul>
    </section>
  )
}
