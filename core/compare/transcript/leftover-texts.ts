import type { JobProgress } from '#core/contract/job.ts'
import type { Recognised } from '#core/ingest/transcripts/formats.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { yieldToOthers } from '#core/yielding.ts'
import type { ComparedMessage, Fingerprint } from '../fingerprint.ts'
import { readMessages } from '../read-memory.ts'
import { type HeldText, type Leftover, textOf } from './compare-texts.ts'
import type { Comparison, OpenGap } from './comparison.ts'
import { LISTED, listedDifferences, textThatDiffers } from './listed-differences.ts'
import { readTranscript } from './read-transcript.ts'

/**
 * Number of UTF-16 units of all compared texts that are held at once. Of any further text only the beginning is held.
 */
const MOST_HELD = 32_000_000
const BEGINNING = 16_000

/** Holds texts as long as there is room. */
class TextHold {
  readonly texts = new Map<number, HeldText>()
  #room = MOST_HELD

  add(index: number, text: string, isQuoteOnly: boolean): void {
    const isWhole = text.length <= this.#room && !isQuoteOnly
    const held = isWhole ? text : text.slice(0, BEGINNING)
    this.#room -= isWhole ? text.length : 0
    this.texts.set(index, { text: held, isWhole })
  }
}

/** Returns what can be compared of a leftover: nothing when there was no room for its whole text. */
export const leftoverOf = (index: number, print: Fingerprint | undefined, held: HeldText | undefined): Leftover[] =>
  print && held?.isWhole ? [{ index, role: print.role, text: held.text }] : []

/** What is read a second time from a message of the transcript. */
type WantedText = { readonly textOf: (said: ComparedMessage) => string; readonly isQuoteOnly: boolean }
export type WantedTexts = ReadonlyMap<number, WantedText>
export const WHOLE_TEXT: WantedText = { textOf, isQuoteOnly: false }

/** Returns the leftovers that are compared, and the messages that the report quotes. */
export function wantedTexts(comparison: Comparison, gaps: readonly OpenGap[]): WantedTexts {
  const compared = new Set(gaps.flatMap(({ lefts }) => lefts))
  const others = comparison.openLeft.filter((index) => !compared.has(index))
  const wanted = new Map<number, WantedText>()
  for (const index of others.slice(0, LISTED)) wanted.set(index, { textOf, isQuoteOnly: true })
  for (const index of compared) wanted.set(index, WHOLE_TEXT)
  for (const [index, { differs }] of listedDifferences(comparison)) {
    wanted.set(index, { textOf: textThatDiffers(differs), isQuoteOnly: false })
  }
  return wanted
}

/** Returns texts of some messages of a session, by their position in it. */
export async function* readTexts(
  path: string,
  recognised: Recognised,
  sessionId: string,
  wanted: WantedTexts,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, ReadonlyMap<number, HeldText>> {
  const hold = new TextHold()
  if (wanted.size === 0) return hold.texts
  let index = 0
  for await (const { messages, bytesRead } of readTranscript(path, recognised)) {
    for (const message of messages) {
      if (message.sessionId !== sessionId) continue
      const want = wanted.get(index)
      if (want) hold.add(index, want.textOf(message.said), want.isQuoteOnly)
      index += 1
    }
    yield { done: bytesRead, total: recognised.head.bytes, unit: 'bytes', note: 'Comparing what differs' }
    await yieldToOthers(signal)
    if (hold.texts.size === wanted.size) break
  }
  return hold.texts
}

/** Returns the whole texts of some messages of the memory, by their position. */
export function storedTexts(
  db: ReadDb,
  ids: readonly number[],
  positions: readonly number[],
): ReadonlyMap<number, HeldText> {
  const hold = new TextHold()
  const positionOf = new Map(positions.map((position) => [ids[position] ?? 0, position]))
  for (const batch of readMessages(db, [...positionOf.keys()])) {
    for (const { messageId, said } of batch) hold.add(positionOf.get(messageId) ?? 0, textOf(said), false)
  }
  return hold.texts
}
