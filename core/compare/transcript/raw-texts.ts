import type { JobProgress } from '#core/contract/job.ts'
import { sha256 } from '#core/hashing.ts'
import type { Observe } from '#core/ingest/transcripts/format.ts'
import type { Recognised } from '#core/ingest/transcripts/formats.ts'
import { textLeaves } from '#core/ingest/transcripts/text-leaves.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { filesOf, pathsOfContent } from '#core/systems/records/files.ts'
import { spokenMessages } from '#core/systems/records/messages.ts'
import { stringsOfMessages } from '#core/systems/records/parts.ts'
import { yieldToOthers } from '#core/yielding.ts'
import { digest, squeezed } from '../fingerprint.ts'
import { readTranscript } from './read-transcript.ts'

type LostText = { readonly line: number; readonly field: string; readonly text: string }

/** `inFiles` counts texts of which a part was moved to a file, so that they were not compared. */
export type RawTextReport = { readonly lost: readonly LostText[]; readonly inFiles: number; readonly isCut: boolean }

/** Texts that were not found by their hash are held up to this size, and the rest counts as not compared. */
const MOST_HELD_UNITS = 16_000_000
const MOST_SOUGHT = 400
const BATCH = 200
/** Smaller texts are never in a file of their own. */
const SMALLEST_IN_FILE = 2000

type Place = { readonly line: number; readonly field: string }

/**
 * Collects the texts of all records that were read as messages, as hashes. Records that the reader knows as bookkeeping
 * of the program, and fields that an import leaves out by design, have none.
 */
export class RawTexts {
  readonly #asides: RegExp | undefined
  readonly open = new Map<number, Place>()

  constructor(asides: RegExp | undefined) {
    this.#asides = asides
  }

  readonly observe: Observe = (value, line, given) => {
    if (isBookkeeping(given)) return
    for (const { field, text } of textLeaves(value, this.#asides)) {
      const hash = digest(squeezed(text))
      if (!this.open.has(hash)) this.open.set(hash, { line, field })
    }
  }
}

/** What the reader left out is reported by its line, and is none of the texts that were read. */
const isBookkeeping = (given: Parameters<Observe>[2]): boolean =>
  given.length > 0 && !given.some(({ kind }) => kind === 'message' || kind === 'answer' || kind === 'repeated')

/**
 * Says which texts of the transcript are nowhere in the conversations of its sessions: neither as a text, nor as a part
 * of one, nor line by line. What is not found by its hash is read a second time.
 */
export async function* lostTexts(
  db: ReadDb,
  path: string,
  recognised: Recognised,
  { open }: RawTexts,
  conversations: readonly number[],
  signal: AbortSignal,
): AsyncGenerator<JobProgress, RawTextReport> {
  const left = new Map(open)
  for (const text of stringsOf(db, conversations)) {
    if (text === null) {
      yield { done: open.size - left.size, total: open.size, unit: 'messages', note: 'Looking for the texts' }
      await yieldToOthers(signal)
    } else left.delete(digest(squeezed(text)))
  }
  if (left.size === 0) return { lost: [], inFiles: 0, isCut: false }
  const held = new Map<number, LostText>()
  const isCut = yield* hold(path, recognised, left, held, signal)
  yield* findParts(db, conversations, held, signal)
  const hasFiles = conversations.some((id) => filesOf(db, id).length > 0)
  let inFiles = 0
  for (const [hash, { text }] of hasFiles ? held : []) {
    if (text.length < SMALLEST_IN_FILE) continue
    held.delete(hash)
    if (pathsOfContent(db, sha256(text)).length === 0) inFiles += 1
  }
  const lost = [...held.values()].sort((a, b) => a.line - b.line)
  return { lost, inFiles, isCut }
}

/** Gives every text of some conversations, and null where the caller may yield. */
function* stringsOf(db: ReadDb, conversations: readonly number[]): Generator<string | null> {
  for (const conversationId of conversations) {
    const ids = spokenMessages(db, conversationId)
    for (let from = 0; from < ids.length; from += BATCH) {
      for (const text of stringsOfMessages(db, ids.slice(from, from + BATCH))) {
        yield text
        for (const { text: inner } of textLeaves(text)) if (inner !== text) yield inner
      }
      yield null
    }
  }
}

/** Reads the texts of some hashes. Returns whether there was no room for all of them. */
async function* hold(
  path: string,
  recognised: Recognised,
  wanted: ReadonlyMap<number, Place>,
  held: Map<number, LostText>,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, boolean> {
  let room = MOST_HELD_UNITS
  let isCut = false
  const observe: Observe = (value, _line, given) => {
    if (isBookkeeping(given)) return
    for (const { text } of textLeaves(value, recognised.format.asides)) {
      const hash = digest(squeezed(text))
      const place = wanted.get(hash)
      if (!place || held.has(hash)) continue
      room -= text.length
      if (room < 0) isCut = true
      else held.set(hash, { ...place, text })
    }
  }
  for await (const { bytesRead } of readTranscript(path, recognised, observe)) {
    yield { done: bytesRead, total: recognised.head.bytes, unit: 'bytes', note: 'Comparing what was not found' }
    await yieldToOthers(signal)
  }
  return isCut
}

/** Removes the texts that are a part of a stored text, and those of which every line is stored. */
async function* findParts(
  db: ReadDb,
  conversations: readonly number[],
  held: Map<number, LostText>,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, void> {
  const linesOf = (text: string): number[] =>
    text.split('\n').flatMap((line) => (squeezed(line) === '' ? [] : digest(squeezed(line))))
  const openLines = new Map<number, Set<number>>()
  for (const [hash, { text }] of held) {
    for (const line of linesOf(text)) openLines.set(line, (openLines.get(line) ?? new Set()).add(hash))
  }
  // The text may be part of JSON that is stored as a whole: there it is escaped.
  const sought = [...held].slice(0, MOST_SOUGHT).map(([hash, { text }]) => {
    return { hash, forms: [squeezed(text), squeezed(JSON.stringify(text).slice(1, -1))] }
  })
  for (const text of stringsOf(db, conversations)) {
    if (text === null) {
      yield { done: 0, total: held.size, unit: 'messages', note: 'Looking for parts of texts' }
      await yieldToOthers(signal)
      continue
    }
    const bare = squeezed(text)
    for (const { hash, forms } of sought)
      if (held.has(hash) && forms.some((form) => bare.includes(form))) held.delete(hash)
    for (const line of linesOf(text)) openLines.delete(line)
  }
  const withOpenLines = new Set([...openLines.values()].flatMap((hashes) => [...hashes]))
  for (const hash of [...held.keys()]) if (!withOpenLines.has(hash)) held.delete(hash)
}
