import type { CoverageReport } from '../../../core/contract/coverage.ts'
import { fileNameOf } from '../../ui/format.ts'
import { Menu } from '../../ui/menu.tsx'
import { saveFile } from '../../ui/save-file.ts'
import styles from './coverage.module.css'
import { coverageMarkdown } from './coverage-sections.ts'

/** The comparison as a file. */
export function ExportCoverage({ report }: { readonly report: CoverageReport }) {
  const name = `${fileNameOf(report.path)}.coverage`
  const save = (ending: string, type: string, text: string) => saveFile(`${name}.${ending}`, new Blob([text], { type }))
  return (
    <Menu
      label="Export the comparison"
      className={styles.export}
      items={[
        { label: 'Markdown, without texts', onSelect: () => save('md', 'text/markdown', coverageMarkdown(report)) },
        {
          label: 'JSON, with excerpts',
          onSelect: () => save('json', 'application/json', JSON.stringify(report, null, 2)),
        },
      ]}
    >
      Export
    </Menu>
  )
}
