import { classNames } from '../../ui/class-names.ts'
import { formatCount } from '../../ui/format.ts'
import { MarkedText } from '../../ui/marked-text.tsx'
import { NodeLink } from '../../ui/node-link.tsx'
import table from '../../ui/text-table.module.css'
import styles from './coverage.module.css'
import type { CoverageSection } from './coverage-sections.ts'

/** The number of rows on the page. The export has all that are listed. */
const SHOWN = 100

type Props = { readonly section: CoverageSection; readonly onLeave: () => void }

/** Findings of one kind: the line of the transcript, the role, the text, and the message in the memory. */
export function FindingsTable({ section, onLeave }: Props) {
  const { title, explanation, count, rows } = section
  const rest = count - Math.min(rows.length, SHOWN)
  return (
    <details className={styles.section} open={section.isFault}>
      <summary>
        {title} · {formatCount(count)}
      </summary>
      <p className={styles.figures}>{explanation}</p>
      <table className={classNames(table.table, styles.table)}>
        <thead>
          <tr>
            <th scope="col" className={table.number}>
              line
            </th>
            <th scope="col">role</th>
            <th scope="col" className={styles.text}>
              text
            </th>
            <th scope="col">{section.messageColumn}</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, SHOWN).map((row) => (
            <tr key={row.key}>
              <td className={table.number}>{row.line === null ? '–' : formatCount(row.line)}</td>
              <td>{row.role}</td>
              <td className={styles.text}>
                <bdi>
                  <MarkedText text={row.excerpt} />
                </bdi>
                {row.stored !== null && (
                  <>
                    <br />
                    <span className={styles.figures}>{row.storedLabel}: </span>
                    <bdi>
                      <MarkedText text={row.stored} />
                    </bdi>
                  </>
                )}
              </td>
              {/* The row is no control. The link in it leaves the dialog. */}
              <td>{row.messageId !== null && <LeavingLink id={row.messageId} onLeave={onLeave} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rest > 0 && <p className={styles.figures}>and {formatCount(rest)} more</p>}
    </details>
  )
}

function LeavingLink({ id, onLeave }: { readonly id: string; readonly onLeave: () => void }) {
  return (
    // biome-ignore lint/a11y: the link inside takes the key and the click; this only closes what stands before it
    <span onClick={onLeave}>
      <NodeLink id={id} view="transcript" />
    </span>
  )
}
