import type { CheckResult } from '../../../core/contract/integrity.ts'
import { navigate } from '../../routes.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { formatCount } from '../../ui/format.ts'
import { MarkedText } from '../../ui/marked-text.tsx'
import { NodeLink } from '../../ui/node-link.tsx'
import styles from './finding.module.css'

/** The invariant, the fix or advice, and every sample with a link. */
export function FindingDetails({ check }: { readonly check: CheckResult }) {
  const rest = check.count - check.samples.length
  return (
    <div className={styles.details}>
      <Facts>
        <Fact name="It should be">{check.invariant}</Fact>
        {check.advice !== undefined && <Fact name="What to do">{check.advice}</Fact>}
      </Facts>
      <ul className={styles.list}>
        {check.samples.map(({ id, conversationId, detail }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: samples are fixed, and may repeat an id
          <li key={index}>
            {id !== null && <NodeLink id={id} maxChars={24} conversationId={conversationId} />}
            <bdi className={styles.detail}>
              <MarkedText text={detail} />
            </bdi>
            {id !== null && !id.startsWith('file') && (
              <button
                type="button"
                className={styles.more}
                aria-label={`show in strata: ${id}`}
                onClick={() =>
                  navigate(
                    { view: 'strata', selection: id, ...(conversationId !== null && { conversationId }) },
                    'push',
                  )
                }
              >
                show in strata
              </button>
            )}
          </li>
        ))}
        {rest > 0 && <li className={styles.detail}>and {formatCount(rest)} more of the kind</li>}
      </ul>
    </div>
  )
}
