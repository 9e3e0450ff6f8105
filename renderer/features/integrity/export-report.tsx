import type { IntegrityReport } from '../../../core/contract/integrity.ts'
import { currentFile } from '../../routes.ts'
import { fileNameOf } from '../../ui/format.ts'
import { Menu } from '../../ui/menu.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { reportMarkdown } from './report-markdown.ts'
import styles from './report-view.module.css'

/** The report as a file to attach or to read by a program. */
export function ExportReport({ report }: { readonly report: IntegrityReport }) {
  const path = currentFile() ?? 'memory'
  const name = `${fileNameOf(path)}.integrity`
  return (
    <Menu
      label="Export the report"
      className={styles.export}
      items={[
        {
          label: 'Markdown',
          onSelect: () => saveFile(`${name}.md`, new Blob([reportMarkdown(report, path)], { type: 'text/markdown' })),
        },
        {
          label: 'JSON',
          onSelect: () =>
            saveFile(`${name}.json`, new Blob([JSON.stringify(report, null, 2)], { type: 'application/json' })),
        },
      ]}
    >
      Export
    </Menu>
  )
}
