import type { StorageObject, StorageReport } from '#core/contract/storage.ts'
import { useLive } from '#renderer/live.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { ViewHeader } from '#renderer/ui/controls/view-header.tsx'
import { Notice } from '#renderer/ui/states/notice.tsx'
import figures from '#renderer/ui/styles/figure-table.module.css'
import { formatBytes, formatCount, formatDuration, formatPercent, plural } from '#renderer/ui/texts/format.ts'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import { lookOf, type Part, partsOf, storageRows } from './storage-rows.ts'
import styles from './storage-view.module.css'

type Props = {
  readonly report: StorageReport
  readonly atMs: number
  /** Null while a measurement is running. */
  readonly onMeasure: (() => void) | null
}

/** A measurement: parts, tables and indexes, repeated text, advice. */
export function StorageReportView({ report, atMs, onMeasure }: Props) {
  const { changedAtMs } = useLive()
  const { bytes, walBytes, pages, pageBytes, freePages, repeated, advice, unreadable, durationMs } = report
  return (
    <>
      <ViewHeader
        title={`${formatBytes(bytes)}${walBytes > 0 ? ` and ${formatBytes(walBytes)} of log` : ''}`}
        actions={
          <Button look="primary" disabled={onMeasure === null} onClick={() => onMeasure?.()}>
            Measure again
          </Button>
        }
      >
        {plural(pages, 'page')} of {formatCount(pageBytes)} B ·{' '}
        {freePages === 0 ? 'none free' : `${formatCount(freePages)} free, ${formatBytes(freePages * pageBytes)}`} · log{' '}
        {formatBytes(walBytes)} · {formatDuration(durationMs)} · <TimeText atMs={atMs} />
        {changedAtMs !== null && changedAtMs > atMs && ' · the file has changed since'}
      </ViewHeader>
      <PartsBar parts={partsOf(report)} />
      {unreadable.length > 0 && (
        <div className={styles.notice}>
          <Notice title="Not all could be measured.">
            Pages of {unreadable.join(', ')} are damaged: what they take is not in the figures.
          </Notice>
        </div>
      )}
      <section className={styles.section}>
        <SectionHeading>Advice</SectionHeading>
        {advice.length === 0 ? (
          <p className="dim">Nothing would make this file noticeably smaller.</p>
        ) : (
          <ul>
            {advice.map((item) => (
              <Item
                key={item.id}
                title={item.title}
                text={item.detail}
                figure={formatBytes(item.gainBytes)}
                note="to gain"
              />
            ))}
          </ul>
        )}
      </section>
      <section className={styles.section}>
        <SectionHeading>Text stored more than once</SectionHeading>
        {repeated.length === 0 ? (
          <p className="dim">No text is in this file twice.</p>
        ) : (
          <ul>
            {repeated.map((item) => (
              <Item
                key={item.id}
                title={item.title}
                text={item.explanation}
                figure={formatBytes(item.bytes)}
                note={plural(item.rows, item.id === 'search_text' ? 'table' : 'row')}
              />
            ))}
          </ul>
        )}
      </section>
      <section className={styles.section}>
        <SectionHeading>Tables and indexes · {report.objects.length}</SectionHeading>
        <StorageTable objects={report.objects} fileBytes={bytes} />
      </section>
    </>
  )
}

type ItemProps = { readonly title: string; readonly text: string; readonly figure: string; readonly note: string }

function Item({ title, text, figure, note }: ItemProps) {
  return (
    <li className={styles.item}>
      <div>
        <h3>{title}</h3>
        <p className="dim">{text}</p>
      </div>
      <div className={styles.figure}>
        {figure}
        <div className="dim">{note}</div>
      </div>
    </li>
  )
}

/** The parts of file and log, drawn to scale. */
function PartsBar({ parts }: { readonly parts: readonly Part[] }) {
  const whole = parts.reduce((sum, part) => sum + part.bytes, 0)
  return (
    <div className={styles.parts}>
      <div className={styles.bar} aria-hidden="true">
        {parts.map(({ use, bytes, color, label }) => (
          <span key={use} style={{ flexGrow: bytes, background: color }} title={`${label}: ${formatBytes(bytes)}`} />
        ))}
      </div>
      <ul className={styles.legend}>
        {parts.map(({ use, bytes, color, label }) => (
          <li key={use}>
            <span className={styles.swatch} style={{ background: color }} aria-hidden="true" />
            {label} <span className="dim">{`${formatBytes(bytes)}, ${formatPercent(bytes / whole)}`}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}

type TableProps = { readonly objects: readonly StorageObject[]; readonly fileBytes: number }

/** Every table with its indexes below it, with bars to scale. */
function StorageTable({ objects, fileBytes }: TableProps) {
  const rows = storageRows(objects)
  const most = rows.reduce((max, { bytes }) => Math.max(max, bytes), 1)
  return (
    <table className={classNames(figures.table, styles.table)}>
      <thead>
        <tr>
          <th scope="col">name</th>
          <th scope="col">what it is</th>
          <th scope="col">rows</th>
          <th scope="col">bytes</th>
          <th scope="col">share</th>
          <th scope="col">unused</th>
          <th scope="col" className={styles.wide}>
            <span className="unseen">bytes, drawn</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const use = lookOf(row.kind)
          return (
            <tr key={row.name}>
              <td className={classNames(styles.name, row.isPart && styles.part)} title={row.name}>
                <bdi>{row.name}</bdi>
              </td>
              <td className={styles.kind}>{KIND_TEXTS[row.kind]}</td>
              <td>{row.rows === null ? '' : formatCount(row.rows)}</td>
              <td
                title={
                  row.wholeBytes > row.bytes ? `${formatBytes(row.wholeBytes)} with what belongs to it` : undefined
                }
              >
                {formatBytes(row.bytes)}
              </td>
              <td>{formatPercent(row.bytes / Math.max(1, fileBytes))}</td>
              <td className="dim">{formatBytes(row.unusedBytes)}</td>
              <td className={styles.wide}>
                <span
                  className={figures.bar}
                  style={{ width: `${(row.bytes / most) * 100}%`, background: use?.color }}
                />
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

const KIND_TEXTS: Readonly<Record<StorageObject['kind'], string>> = {
  table: 'table',
  index: 'index',
  search_index: 'full-text index',
  search_text: 'text for search',
  system: 'SQLite’s own',
}
