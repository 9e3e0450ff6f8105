import { useState } from 'react'
import type { MemoryInfo } from '#core/contract/memory.ts'
import { api } from '#renderer/api.ts'
import { Button } from '../controls/button.tsx'
import { Dialog } from '../controls/dialog.tsx'
import { Fact, Facts } from '../controls/facts.tsx'
import { ErrorLine } from '../states/error-state.tsx'
import { useNewFile } from '../states/use-new-file.ts'
import { formatBytes, formatCount } from '../texts/format.ts'
import { JobProgress } from './job-progress.tsx'
import styles from './working-copy-dialog.module.css'

type Props = { readonly info: MemoryInfo; readonly onClose: () => void }

/** Explains working copies, makes one, and opens it. */
export function WorkingCopyDialog({ info, onClose }: Props) {
  const copy = useNewFile(api.memory.copy.mutationOptions())
  const report = copy.job?.result?.kind === 'copy' ? copy.job.result.value : null
  return (
    <Dialog
      title="Make a working copy"
      width={560}
      onClose={onClose}
      actions={
        report !== null ? (
          <>
            <Button onClick={onClose}>Stay here</Button>
            <Button look="primary" onClick={copy.open}>
              Open the copy
            </Button>
          </>
        ) : (
          <>
            <Button data-autofocus="" onClick={onClose}>
              Close
            </Button>
            <Button look="primary" disabled={copy.isRunning} onClick={() => copy.start(undefined)}>
              {copy.error === null ? 'Make the copy' : 'Try again'}
            </Button>
          </>
        )
      }
    >
      <div className={styles.body}>
        <Facts>
          <Fact name="original">
            <span className={styles.path}>{info.path}</span> · {info.systemLabel}, {formatBytes(info.bytes)}
          </Fact>
          {copy.path !== null && (
            <Fact name="copy">
              <span className={styles.path}>{copy.path}</span>
            </Fact>
          )}
        </Facts>
        {report !== null ? (
          <p>
            {formatCount(report.messages)} messages, {formatCount(report.summaries)} summaries,{' '}
            {formatCount(report.edges)} links and {formatCount(report.contextItems)} entries of windows were copied and
            compared with the original row by row: they are the same
            {report.adjusted.length > 0 ? ', but for this:' : '.'}
            {report.adjusted.map(({ what, rows }) => (
              <span key={what}>
                <br />
                {what} ({formatCount(rows)})
              </span>
            ))}
          </p>
        ) : copy.isRunning ? (
          <JobProgress job={copy.job} title="Copying…" />
        ) : (
          <p className="dim">
            {info.readOnlyReason ?? 'The original is only read.'} The copy is a native memory with the same ids, order,
            times, lineage and windows, damage included, and can be compacted and repaired. It is compared with the
            original row by row, and kept only when they are the same.
          </p>
        )}
        {copy.error !== null && <ErrorLine error={copy.error} />}
      </div>
    </Dialog>
  )
}

type MakeWorkingCopyProps = { readonly info: MemoryInfo; readonly look?: 'primary' | 'quiet' }

/** A button that makes a working copy of a read-only file. */
export function MakeWorkingCopy({ info, look }: MakeWorkingCopyProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button {...(look ? { look } : {})} onClick={() => setOpen(true)}>
        Make working copy…
      </Button>
      {isOpen && <WorkingCopyDialog info={info} onClose={() => setOpen(false)} />}
    </>
  )
}
