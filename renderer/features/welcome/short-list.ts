/** Longer lists show so many at first, and can be filtered. */
export const FIRST_SHOWN = 10
/** What one click more shows. */
export const MORE_SHOWN = 100

/** What of a list is on the page. */
export type ShortList<T> = {
  readonly rows: readonly T[]
  /** How many items match the filter, shown or not. */
  readonly matching: number
  /** What is left to show. */
  readonly hidden: number
}

/** The first of a list that hold every typed word. A list that is just a little longer is shown whole. */
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
