import { useState } from 'react'
import type { MemoryInfo } from '#core/contract/memory.ts'
import type { SurgeryRequest, SurgeryResult } from '#core/contract/surgery.ts'
import { toErrorInfo } from '#renderer/error-text.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { Dialog } from '#renderer/ui/controls/dialog.tsx'
import { Fact, Facts } from '#renderer/ui/controls/facts.tsx'
import { useJob } from '#renderer/ui/data/use-job.ts'
import { NodeIdText } from '#renderer/ui/nodes/node-id-text.tsx'
import { NodeLink } from '#renderer/ui/nodes/node-link.tsx'
import { useName } from '#renderer/ui/nodes/use-names.ts'
import { JobProgress } from '#renderer/ui/parts/job-progress.tsx'
import { MakeWorkingCopy } from '#renderer/ui/parts/working-copy-dialog.tsx'
import { ErrorLine } from '#renderer/ui/states/error-state.tsx'
import { formatBytes, formatDuration, plural } from '#renderer/ui/texts/format.ts'
import { MarkedText } from '#renderer/ui/texts/marked-text.tsx'
import { PathText } from '#renderer/ui/texts/path-text.tsx'
import type { NodeAsk } from './surgery-ask.ts'
import styles from './surgery-dialog.module.css'
import { draftOf, toRequest } from './surgery-draft.ts'
import { SurgeryForm } from './surgery-form.tsx'
import { SurgeryPreviewView } from './surgery-preview-view.tsx'
import { applyLabel, askText, askTitle, isEmpty, resultTitle } from './surgery-wording.ts'

type Props = {
  readonly ask: NodeAsk
  readonly info: MemoryInfo
  readonly onUndo: (backup: string) => void
  readonly onClose: () => void
}

/** The dialog of an operation from its settings through the preview to the result. Only what was previewed is done. */
export function SurgeryDialog({ ask, info, onUndo, onClose }: Props) {
  const [draft, setDraft] = useState(() => draftOf(ask))
  const preview = useJob()
  const surgery = useJob()
  const request = toRequest(ask, draft)
  const shown = preview.job?.result?.kind === 'surgery_preview' ? preview.job.result.value : null
  const result = surgery.job?.result?.kind === 'surgery' ? surgery.job.result.value : null
  const look = (operation: SurgeryRequest) => {
    surgery.forget()
    preview.start({ kind: 'surgery_preview', operation })
  }
  const apply = () => {
    if (shown === null) return
    const { operation, previewId, nodes } = shown
    surgery.start({ kind: 'surgery', operation, previewId, nodes: ask.kind === 'rewrite' ? nodes : undefined })
  }
  const name = useName(ask.id)
  const isBusy = preview.isRunning || surgery.isRunning
  const isStale = surgery.error !== null && toErrorInfo(surgery.error).code === 'plan_stale'

  return (
    <Dialog
      title={askTitle(ask)}
      width={shown !== null && ask.kind === 'rewrite' ? 980 : 640}
      onClose={onClose}
      actions={
        result !== null ? (
          <>
            {result.backup !== null && result.rolledBack === null && (
              <Button onClick={() => result.backup !== null && onUndo(result.backup.path)}>Undo…</Button>
            )}
            <Button data-autofocus="" onClick={onClose}>
              Close
            </Button>
          </>
        ) : (
          <>
            <Button data-autofocus="" onClick={onClose}>
              {isBusy ? 'Close' : shown === null ? 'Cancel' : 'Leave it as it is'}
            </Button>
            {shown !== null && (
              <Button
                disabled={isBusy}
                onClick={() => (ask.kind === 'dissolve' ? look(shown.operation) : preview.forget())}
              >
                {ask.kind === 'dissolve' ? 'Preview again' : 'Change…'}
              </Button>
            )}
            {shown === null ? (
              <Button
                look="primary"
                disabled={isBusy || request === null}
                onClick={() => request !== null && look(request)}
              >
                Preview
              </Button>
            ) : info.readOnly ? (
              info.system !== 'native' && <MakeWorkingCopy info={info} look="primary" />
            ) : (
              <Button look="primary" disabled={isBusy || isStale || isEmpty(shown)} onClick={apply}>
                {applyLabel(ask.kind)}
              </Button>
            )}
          </>
        )
      }
    >
      <div className={styles.body}>
        {result !== null ? (
          <SurgeryOutcome result={result} />
        ) : (
          <>
            <div className={styles.subject}>
              {name !== null && (
                <p className={classNames('clamped', styles.title)} dir="auto">
                  <MarkedText text={name} />
                </p>
              )}
              <NodeIdText id={ask.id} />
              <p className="dim">{askText(ask)}</p>
            </div>
            {surgery.isRunning ? (
              <JobProgress job={surgery.job} title="Writing…" />
            ) : shown !== null ? (
              <SurgeryPreviewView preview={shown} info={info} />
            ) : preview.isRunning ? (
              <JobProgress job={preview.job} title="Making the preview…" />
            ) : (
              <SurgeryForm ask={ask} draft={draft} onChange={setDraft} />
            )}
            {!isBusy && surgery.error !== null && <ErrorLine error={surgery.error} />}
            {!isBusy && surgery.job?.state === 'cancelled' && <p className="dim">Cancelled: nothing was changed.</p>}
            {isStale && shown !== null && (
              <p className="dim">
                Something else changed the memory since this was shown. Make the preview again to see what would be done
                now.
              </p>
            )}
            {!isBusy && preview.error !== null && <ErrorLine error={preview.error} />}
          </>
        )}
      </div>
    </Dialog>
  )
}

/** The result of an operation, with its undo. */
function SurgeryOutcome({ result }: { readonly result: SurgeryResult }) {
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
              <PathText path={backup.path} /> <span className="dim">{formatBytes(backup.bytes)}</span>
            </>
          )}
        </Fact>
        <Fact name="took">{formatDuration(durationMs)}</Fact>
      </Facts>
    </div>
  )
}
