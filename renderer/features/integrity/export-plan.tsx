import { useEffect, useRef } from 'react'
import type { ExportFormat } from '../../../core/contract/repair.ts'
import { ErrorLine } from '../../ui/error-line.tsx'
import { Menu } from '../../ui/menu.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { useJob } from '../../ui/use-job.ts'
import styles from './report-view.module.css'

/** The whole plan as a file: a job, since it holds every row of every step. */
export function ExportPlan() {
  const { start, job, error, isRunning } = useJob()
  const saved = useRef<string | null>(null)
  const exported = job?.result?.kind === 'repair_export' ? job.result.value : null
  useEffect(() => {
    if (exported === null || job === null || saved.current === job.jobId) return
    saved.current = job.jobId
    const type = exported.format === 'markdown' ? 'text/markdown' : 'application/sql'
    saveFile(exported.fileName, new Blob([exported.text], { type }))
  }, [exported, job])
  const save = (format: ExportFormat) => start({ kind: 'repair_export', format })
  return (
    <>
      <Menu
        label={isRunning ? 'Exporting…' : 'Export plan'}
        className={styles.export}
        items={[
          { label: 'Markdown', onSelect: () => save('markdown') },
          { label: 'SQL', onSelect: () => save('sql') },
        ]}
      >
        {isRunning ? 'Exporting…' : 'Export plan'}
      </Menu>
      {error !== null && <ErrorLine error={error} />}
    </>
  )
}
