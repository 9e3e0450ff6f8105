/** A longer list shows this many items at first, and can be filtered. */
export const FIRST_SHOWN = 10
/** The number of items that one more click shows. */
export const MORE_SHOWN = 100

/** The part of a list on the page. */
export type ShortList<T> = {
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
