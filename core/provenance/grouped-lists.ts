import { MOST_POSTINGS } from './passages.ts'

const NO_ITEMS = new Int32Array(0)

/** Lists of numbers, one after the other: the list of `group` begins at `begins[group]`. */
export type Grouped = { readonly begins: Int32Array; readonly values: Int32Array }

/** Returns the list of a group, which is empty for a group that does not exist. */
export const listOf = ({ begins, values }: Grouped, group: number): Int32Array =>
  group < 0 || group + 1 >= begins.length ? NO_ITEMS : values.subarray(begins[group], begins[group + 1])

export const lengthOf = ({ begins }: Grouped, group: number): number =>
  group < 0 || group + 1 >= begins.length ? 0 : (begins[group + 1] as number) - (begins[group] as number)

/** How many items are looked at between two yields. */
const ITEMS_A_PIECE = 100_000

/** Groups the indexes of some items by a number that each has, in pieces of some milliseconds. */
export function* grouping(groups: Int32Array, count: number): Generator<void, Grouped> {
  const begins = new Int32Array(count + 1)
  for (let item = 0; item < groups.length; item += 1) {
    const group = groups[item] as number
    begins[group + 1] = (begins[group + 1] as number) + 1
    if (item % ITEMS_A_PIECE === ITEMS_A_PIECE - 1) yield
  }
  for (let group = 0; group < count; group += 1)
    begins[group + 1] = (begins[group + 1] as number) + (begins[group] as number)
  const next = begins.slice()
  const values = new Int32Array(groups.length)
  for (let item = 0; item < groups.length; item += 1) {
    const group = groups[item] as number
    values[next[group] as number] = item
    next[group] = (next[group] as number) + 1
    if (item % ITEMS_A_PIECE === ITEMS_A_PIECE - 1) yield
  }
  return { begins, values }
}

/** How many terms are looked at between two yields. */
const TERMS_A_PIECE = 20_000

/** Groups the units in which terms stand by the terms, each unit once. */
export function* groupingUnits(terms: Int32Array, units: Int32Array, count: number): Generator<void, Grouped> {
  const grouped = yield* grouping(terms, count)
  const begins = new Int32Array(count + 1)
  const values = new Int32Array(grouped.values.length)
  let length = 0
  for (let term = 0; term < count; term += 1) {
    const begin = length
    for (const token of listOf(grouped, term)) {
      const unit = units[token] as number
      if ((length > begin && values[length - 1] === unit) || length - begin >= MOST_POSTINGS) continue
      values[length] = unit
      length += 1
    }
    begins[term + 1] = length
    if (term % TERMS_A_PIECE === TERMS_A_PIECE - 1) yield
  }
  return { begins, values: values.slice(0, length) }
}
