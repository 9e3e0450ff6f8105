import { type ReactNode, useState } from 'react'
import { Button } from '#renderer/ui/controls/button.tsx'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { formatCount } from '#renderer/ui/texts/format.ts'
import styles from './found-list.module.css'

/** A longer list shows this many items at first, and can be filtered. */
export const FIRST_SHOWN = 10
/** The number of items that one more click shows. */
export const MORE_SHOWN = 100

/** The part of a list on the page. */
type ShortList<T> = {
  readonly rows: readonly T[]
  /** The number of items that match the filter, shown or not. */
  readonly matching: number
  /** The number of items that are not shown. */
  readonly hidden: number
}

/** Returns the first items that contain every typed word. A list that is only slightly longer is shown completely. */
export function shortList<T>(
  all: readonly T[],
  textOf: (item: T) => string,
  filter: string,
  shown: number,
): ShortList<T> {
  const words = filter.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  const found =
    words.length === 0
      ? all
      : all.filter((item) => {
          const text = textOf(item).toLocaleLowerCase()
          return words.every((word) => text.includes(word))
        })
  const rows = found.length <= shown + 2 ? found : found.slice(0, shown)
  return { rows, matching: found.length, hidden: found.length - rows.length }
}

/** Puts the folder before the name of a file where several have the same name, shown or not. */
function withDistinctLabels<T extends { readonly path: string; readonly label: string }>(
  rows: readonly T[],
): readonly T[] {
  const counts = new Map<string, number>()
  for (const { label } of rows) counts.set(label, (counts.get(label) ?? 0) + 1)
  const isShared = (label: string) => (counts.get(label) ?? 0) > 1
  const folderOf = (path: string) => path.split(/[\\/]/).at(-2) ?? ''
  return rows.map((row) => (isShared(row.label) ? { ...row, label: `${folderOf(row.path)}/${row.label}` } : row))
}

/** Returns the first memories of a list, each by a name that no other of the list has, shown or not. */
export const shortMemories = <T extends { readonly path: string; readonly label: string }>(
  all: readonly T[],
  shown: number,
): ShortList<T> => shortList(withDistinctLabels(all), () => '', '', shown)

type Props<T> = {
  readonly title: string
  /** The kind of items, for the name of the filter. */
  readonly what: string
  readonly items: readonly T[]
  /** Returns the text that the filter searches. */
  readonly textOf: (item: T) => string
  readonly row: (item: T) => ReactNode
  readonly aside?: ReactNode
}

/** A list of what was found on this machine, newest first. A long list shows its beginning, and can be filtered. */
export function FoundList<T>({ title, what, items, textOf, row, aside }: Props<T>) {
  const [filter, setFilter] = useState('')
  const [shown, setShown] = useState(FIRST_SHOWN)
  const { rows, matching, hidden } = shortList(items, textOf, filter, shown)
  const isLong = items.length > FIRST_SHOWN
  return (
    <section>
      <SectionHeading
        aside={
          <span className={styles.aside}>
            {isLong && (
              <input
                className={styles.filter}
                type="text"
                placeholder="Filter"
                aria-label={`Filter ${what}`}
                spellCheck={false}
                value={filter}
                onChange={(event) => {
                  setFilter(event.target.value)
                  setShown(FIRST_SHOWN)
                }}
                onKeyDown={(event) => event.key === 'Escape' && setFilter('')}
              />
            )}
            {aside}
          </span>
        }
      >
        {title} · {matching < items.length && `${formatCount(matching)} of `}
        {formatCount(items.length)}
      </SectionHeading>
      {matching === 0 && <p className={styles.text}>Nothing here has “{filter.trim()}” in its name, path or system.</p>}
      <ul>{rows.map(row)}</ul>
      {hidden > 0 && (
        <div className={styles.more}>
          <Button look="quiet" onClick={() => setShown(shown + MORE_SHOWN)}>
            Show {formatCount(Math.min(hidden, MORE_SHOWN))} more
          </Button>
        </div>
      )}
    </section>
  )
}
