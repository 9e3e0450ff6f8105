import type { SurgeryResult } from '../../../core/contract/surgery.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { formatBytes, formatDuration, plural } from '../../ui/format.ts'
import { NodeLink } from '../../ui/node-link.tsx'
import { PathText } from '../../ui/path-text.tsx'
import styles from './surgery-dialog.module.css'
import { resultTitle } from './surgery-wording.ts'

/** The result of an operation, with its undo. */
export function SurgeryOutcome({ result }: { readonly result: SurgeryResult }) {
  const { preview, backup, rolledBack, durationMs } = result
  const made = preview.copies.at(-1)
  return (
    <div className={styles.form} role="status">
      <p className={styles.title}>{resultTitle(result)}</p>
      {rolledBack === null ? (
        <p>{preview.description}</p>
      ) : (
        <p>
          The file is as it was. With the change these checks found more than before:{' '}
          {rolledBack.map(({ check, before, after }) => `${check} ${before} → ${after}`).join(', ')}
        </p>
      )}
      <Facts>
        <Fact name="rows">{rolledBack === null ? plural(preview.rows, 'row') : null}</Fact>
        <Fact name="copy">
          {made === undefined || rolledBack !== null || preview.operation.kind !== 'transplant' ? null : (
            <NodeLink id={made.to} maxChars={32} conversationId={preview.operation.toConversationId} />
          )}
        </Fact>
        <Fact name="backup">
          {backup === null ? null : (
            <>
              <PathText path={backup.path} /> <span className={styles.dim}>{formatBytes(backup.bytes)}</span>
            </>
          )}
        </Fact>
        <Fact name="took">{formatDuration(durationMs)}</Fact>
      </Facts>
    </div>
  )
}
