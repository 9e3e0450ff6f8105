import { createHash } from 'node:crypto'

/** Fields that say when something was done or how long it took, in any answer. */
const TIMES = new Set(['tookMs', 'modifiedAtMs', 'openedAtMs'])
/** What repeats other fields of the answer in another order, with a test of its own. */
const REPEATED = new Set(['byConversation'])
/** In these answers a duration is read from the file. In all others it was measured just now. */
const KEEPS_DURATIONS = new Set(['context.timeline', 'compaction.runs'])

/** Texts that differ between runs (paths, random ids), each with its replacement. */
export type Replacements = ReadonlyMap<string, string>

/** An answer as text that is the same in every run: keys in order, without times of now, with `replacements`. */
export function canonical(procedure: string, answer: unknown, replacements: Replacements): string {
  const keepsDurations = KEEPS_DURATIONS.has(procedure)
  const inOrder = (value: unknown): unknown => {
    if (typeof value === 'string') return replaced(value, replacements)
    if (value === null || typeof value !== 'object') return value
    if (ArrayBuffer.isView(value)) return [...(value as unknown as Iterable<number>)]
    if (Array.isArray(value)) return value.map(inOrder)
    const entries = Object.entries(value)
      .filter(([key]) => !TIMES.has(key) && !REPEATED.has(key) && (keepsDurations || key !== 'durationMs'))
      .sort(([one], [other]) => (one < other ? -1 : 1))
    return Object.fromEntries(entries.map(([key, one]) => [replaced(key, replacements), inOrder(one)]))
  }
  return JSON.stringify(inOrder(answer) ?? null)
}

function replaced(text: string, replacements: Replacements): string {
  let result = text
  for (const [from, to] of replacements) result = result.replaceAll(from, to)
  return result
}

export const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex')

/** Counts the numbers, texts, booleans and nulls in an answer. */
export function valuesIn(answer: unknown): number {
  if (answer === null || typeof answer !== 'object') return 1
  return Object.values(answer).reduce<number>((sum, value) => sum + valuesIn(value), 0)
}
