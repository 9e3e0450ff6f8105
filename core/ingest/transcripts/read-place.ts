import { closeSync, fstatSync, openSync } from 'node:fs'
import { z } from 'zod'
import { sha256 } from '#core/hashing.ts'
import { readAt } from '#core/read-at.ts'
import type { WriteDb } from '#core/sqlite/read-db.ts'
import { metaValue, parsedValue, storeMetaValue } from '#core/systems/records/meta-values.ts'
import { stemOfLink } from './answer-links.ts'
import type { TranscriptChunk, TranscriptFormat, TranscriptRecord, TranscriptSource } from './format.ts'
import type { JsonObject } from './json-value.ts'
import { linesIn } from './line-reader.ts'
import { READERS } from './unchanged-files.ts'

/** This many bytes are compared at the beginning of a file, and before the place where its last reading ended. */
const COMPARED_BYTES = 64 * 1024
/** A file that has grown by more bytes is read as a whole. */
const MOST_BYTES = 16 * 1024 * 1024
const LINE_FEED = 0x0a

/** Where the last reading of a file ended, and what its reader has to know to go on from there. */
const Known = z.object({
  readers: z.literal(READERS),
  format: z.string(),
  bytes: z.int().positive(),
  /** The inode number of the file, and the hashes of its first and of its last bytes up to there. */
  stamp: z.string(),
  place: z.record(z.string(), z.unknown()),
})
type Known = z.infer<typeof Known>

type Rest = { readonly bytes: number; readonly records: readonly TranscriptRecord[]; readonly place: JsonObject }

/**
 * Lets the reading of a transcript go on from where the last one ended, when the file has only grown and what came goes
 * on from its end. Otherwise the whole is read. Both lead to the same memory
 * (test/ingest/transcripts/going-on.whole.test.ts). A file has only grown when its inode number, its first bytes and its
 * last bytes before that place are the same. A change between those is found by the next reading of the whole.
 */
export class ReadPlace {
  readonly #db: WriteDb
  readonly #path: string
  readonly #key: string
  #next: Known | null = null

  constructor(db: WriteDb, path: string) {
    this.#db = db
    this.#path = path
    this.#key = `transcript_place:${path}`
  }

  /** Whether this reading went on from the last one. */
  hasGoneOn = false

  /** The format, reading only what is new where that is enough. */
  reading(format: TranscriptFormat): TranscriptFormat {
    return { ...format, read: (source) => this.#read(format, source) }
  }

  /** Remembers where the reading ended, when what it read was stored. */
  note(): void {
    storeMetaValue(this.#db, this.#key, this.#next && JSON.stringify(this.#next))
  }

  #endedAt(bytes: number, format: string, place: JsonObject): void {
    const stamp = stampOf(this.#path, bytes)
    this.#next = stamp === null ? null : { readers: READERS, format, bytes, stamp, place }
  }

  async *#read(format: TranscriptFormat, source: TranscriptSource): AsyncGenerator<TranscriptChunk> {
    const rest = await this.#rest(format, source)
    if (rest !== null) {
      this.hasGoneOn = true
      const { bytes, records, place } = rest
      this.#endedAt(bytes, format.id, place)
      yield { doing: 'storing', bytesRead: source.bytes, records }
      return
    }
    const ends = { looking: 0, storing: 0 }
    let place: JsonObject | null = null
    for await (const { doing, bytesRead, records } of format.read({ ...source, place: { from: null } })) {
      ends[doing] = Math.max(ends[doing], bytesRead)
      place = placeIn(records) ?? place
      yield { doing, bytesRead, records }
    }
    // What was written between the two readings is unknown to the first one.
    if (place !== null && ends.looking === ends.storing) this.#endedAt(ends.storing, format.id, place)
  }

  /** Returns null when the whole file has to be read. */
  async #rest(format: TranscriptFormat, source: TranscriptSource): Promise<Rest | null> {
    const known = parsedValue(Known, metaValue(this.#db, this.#key))
    if (known === null || known.format !== format.id || stampOf(this.#path, known.bytes) !== known.stamp) return null
    const added = bytesFrom(this.#path, known.bytes)
    if (added === null) return null
    const head = { ...source.head, allLines: linesIn(added), lines: [] }
    const records: TranscriptRecord[] = []
    for await (const chunk of format.read({ ...source, head, place: { from: known.place } }))
      records.push(...chunk.records)
    const place = placeIn(records)
    if (place === null || records.some((record) => !isAddition(record, source))) return null
    return { bytes: known.bytes + added.length, records, place }
  }
}

/** Says whether a record only adds something. A message whose id is stored already may change what is stored. */
function isAddition(record: TranscriptRecord, { storedBlocks }: TranscriptSource): boolean {
  if (record.kind === 'skipped') return record.isKnown === true
  if (record.kind !== 'message') return additions.has(record.kind)
  const { sessionId, message } = record
  const { externalId } = message
  if (externalId === null || record.copiedFrom?.length) return false
  return [externalId, stemOfLink(externalId)].every((id) => storedBlocks(sessionId, id) === undefined)
}

const additions: ReadonlySet<TranscriptRecord['kind']> = new Set([
  ...(['session', 'title', 'cost', 'written_by', 'read_to', 'other'] as const),
])

function placeIn(records: readonly TranscriptRecord[]): JsonObject | null {
  const last = records.at(-1)
  return last?.kind === 'read_to' ? last.place : null
}

/** The stamp of a file up to a place. Null when it is shorter, or no line ends there. */
function stampOf(path: string, bytes: number): string | null {
  return reading(path, (file, { ino, size }) => {
    if (size < bytes) return null
    const from = Math.max(0, bytes - COMPARED_BYTES)
    const [first, last] = [readAt(file, 0, Math.min(COMPARED_BYTES, bytes)), readAt(file, from, bytes - from)]
    return last.at(-1) === LINE_FEED ? `${ino} ${sha256(first)} ${sha256(last)}` : null
  })
}

/** What a file has after a place, which may be nothing. Null when that is too much, or does not end with a line. */
function bytesFrom(path: string, from: number): Buffer | null {
  return reading(path, (file, { size }) => {
    if (size < from || size - from > MOST_BYTES) return null
    const added = readAt(file, from, size - from)
    return added.length === 0 || added.at(-1) === LINE_FEED ? added : null
  })
}

/** Null for a file that cannot be read: the reading of the whole says so. */
function reading<T>(path: string, body: (file: number, stat: { ino: number; size: number }) => T): T | null {
  let file: number | null = null
  try {
    file = openSync(path, 'r')
    return body(file, fstatSync(file))
  } catch {
    return null
  } finally {
    if (file !== null) closeSync(file)
  }
}
