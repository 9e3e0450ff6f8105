import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { RawRows, SqlCell } from '#core/contract/sql.ts'
import { api } from '#renderer/api.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { useCopy } from '#renderer/ui/controls/use-copy.ts'
import { ErrorLine } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { formatBytes, plural } from '#renderer/ui/texts/format.ts'
import { MarkedText } from '#renderer/ui/texts/marked-text.tsx'
import styles from './node-detail.module.css'

/** At most this much of a text is drawn. All of it is copied. */
const DRAWN_CHARS = 600

/** The rows behind a node as the file stores them, on request. */
export function RawRowsSection({ id }: { readonly id: string }) {
  const [isOpen, setOpen] = useState(false)
  const raw = useQuery(api.retrieval.raw.queryOptions({ input: { id }, enabled: isOpen }))
  const [copied, copy] = useCopy()
  return (
    <section className={styles.rawSection} aria-label="As it is stored">
      <SectionHeading
        aside={
          <>
            {isOpen && raw.data && (
              <Button look="quiet" onClick={() => copy(JSON.stringify(asObjects(raw.data), null, 2))}>
                {copied === 'copied' ? 'Copied' : 'Copy as JSON'}
              </Button>
            )}
            <Button look="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {isOpen ? 'Fold' : 'Show'}
            </Button>
          </>
        }
      >
        As it is stored
      </SectionHeading>
      {isOpen && raw.error && <ErrorLine error={raw.error} onRetry={() => void raw.refetch()} />}
      {isOpen && raw.isPending && <Loading what="the row" lines={4} />}
      {isOpen && raw.data && <Rows raw={raw.data} />}
    </section>
  )
}

function Rows({ raw: { rows, cutValues } }: { readonly raw: RawRows }) {
  return (
    <>
      {rows.map(({ table, isStored, columns }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows never change places
        <table key={index} className={styles.row}>
          <caption>
            <code>{table}</code>
            {!isStored && ' · not a row of its own in this system: as it is read'}
          </caption>
          <tbody>
            {columns.map(({ name, value }, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have the same name
              <tr key={column}>
                <th scope="row">
                  <bdi>{name}</bdi>
                </th>
                <td data-kind={value === null ? 'null' : typeof value}>
                  <bdi>
                    <MarkedText text={drawn(value)} />
                  </bdi>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      ))}
      {cutValues > 0 && <p className="dim">{plural(cutValues, 'long value')} cut</p>}
    </>
  )
}

function drawn(value: SqlCell): string {
  if (value === null) return 'NULL'
  if (typeof value === 'number') return String(value)
  if (typeof value === 'object') return `x'${value.hex}' · ${formatBytes(value.bytes)}`
  return value.length > DRAWN_CHARS ? `${value.slice(0, DRAWN_CHARS)}…` : value
}

const asObjects = ({ rows }: RawRows) =>
  rows.map(({ table, columns }) => ({
    table,
    row: Object.fromEntries(columns.map(({ name, value }) => [name, value])),
  }))
