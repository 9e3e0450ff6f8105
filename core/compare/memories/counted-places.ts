import type { Comparison } from '#core/contract/comparison.ts'
import { messageNumber } from '#core/systems/reading/node-id.ts'
import { addDetails, type Count, DetailCounter } from '#core/trace/detail-counter.ts'
import { toldTextsOf } from '#core/trace/node-texts.ts'
import { TextIndexes } from '#core/trace/text-indexes.ts'
import type { TimeSlice } from '#core/yielding.ts'
import type { Axis } from './axis.ts'
import type { Compared } from './compared.ts'

/** By place: the details of its message, and how many of them stand in each window. */
export type CountedPlaces = {
  readonly columns: Comparison['details']
  /** Null where there is more than is counted. */
  readonly details: Int32Array | null
  readonly notes: readonly string[]
}

/** Counting takes about half a millisecond for each message and window. */
const MOST_MESSAGES = 12_000
const MESSAGES_AT_ONCE = 50
const MOST_COLUMNS = 1000

/** Counts how many details of every message stand in each window. Yields the number of messages that were counted. */
export async function* countedPlaces(
  a: Compared,
  b: Compared,
  { places, atA, atB }: Axis,
  slice: TimeSlice,
): AsyncGenerator<number, CountedPlaces> {
  if (a.messages + b.messages > MOST_MESSAGES) {
    const note = `Details are not counted: there are more than ${MOST_MESSAGES.toLocaleString('en')} messages.`
    return { columns: null, details: null, notes: [note] }
  }
  const inA = yield* countsOf(a, slice, 0)
  const inB = yield* countsOf(b, slice, a.messages)
  const width = Math.max(1, Math.ceil(places / MOST_COLUMNS))
  const length = Math.ceil(places / width)
  const zeros = (): number[] => Array.from({ length }, () => 0)
  const columns = { width, details: zeros(), a: zeros(), b: zeros() }
  const details = new Int32Array(places)
  const add = (to: number[], column: number, value: number): void => {
    to[column] = (to[column] ?? 0) + value
  }
  for (let place = 0; place < places; place += 1) {
    const column = Math.floor(place / width)
    const [ofA, ofB] = [inA.counts.get(atA[place] ?? -1), inB.counts.get(atB[place] ?? -1)]
    details[place] = Math.max(ofA?.details ?? 0, ofB?.details ?? 0)
    add(columns.details, column, details[place] as number)
    add(columns.a, column, ofA?.kept ?? 0)
    add(columns.b, column, ofB?.kept ?? 0)
  }
  return { columns, details, notes: [...new Set([...inA.notes, ...inB.notes])] }
}

async function* countsOf({ db, memory, messages }: Compared, slice: TimeSlice, before: number) {
  const { messageCounts } = memory.window
  const counts = new Map<number, Count>()
  const isOutside = Array.from({ length: messages }, (_, position) => (messageCounts[position] ?? 0) === 0)
  // The window may be that of a moment, so that its index is of no use to anybody else.
  const counter = isOutside.includes(true)
    ? await DetailCounter.of({ db, indexes: new TextIndexes(db) }, memory, slice)
    : null
  for (let from = 0; from < messages; from += MESSAGES_AT_ONCE) {
    const to = Math.min(messages, from + MESSAGES_AT_ONCE)
    const some = Array.from({ length: to - from }, (_, index) => from + index)
    const outside = some.filter((position) => isOutside[position])
    if (counter) for (const [position, count] of await counter.count(outside, slice)) counts.set(position, count)
    // What stands in the window itself keeps all of its details.
    for (const position of some) if (!isOutside[position]) counts.set(position, { details: 0, kept: 0 })
    const inside = some.filter((position) => !isOutside[position]).map((position) => memory.messageId(position))
    for (const texts of toldTextsOf(db, memory, inside)) {
      const countOf = ({ id }: { readonly id: string }): Count | undefined =>
        counts.get(memory.messages.positionOf(messageNumber(id) ?? Number.NaN))
      await addDetails(texts, [], countOf, slice)
      for (const text of texts) {
        const count = countOf(text)
        if (count) count.kept = count.details
      }
    }
    yield before + to
  }
  return { counts, notes: counter?.notes ?? [] }
}
