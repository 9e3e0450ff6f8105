// Why it is so: docs/decisions/0025-map-runs.md

import { mkdirSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { canonicalJson } from '../canonical-json.ts'
import { MapOperator, MapResult } from '../contract/map.ts'
import { parseExactly } from '../ingest/transcripts/json-objects.ts'
import { readLines } from '../ingest/transcripts/line-reader.ts'
import { syncFolder } from '../platform.ts'
import { fileError } from '../sqlite/memory-file.ts'
import { TimeSlice } from '../yielding.ts'

/** The first line of a journal: what the run is about. */
export const JournalHead = z.object({
  kind: z.literal('run'),
  run_id: z.string(),
  operator: MapOperator,
  item_count: z.int(),
  input: z.string(),
  input_hash: z.string(),
  prompt_hash: z.string().optional(),
  schema_hash: z.string().optional(),
  delegate_hash: z.string().optional(),
  retain: z.string().optional(),
  worker: z.string(),
  at_ms: z.number(),
})
export type JournalHead = z.infer<typeof JournalHead>

/** A try that failed and was followed by another one. */
const JournalAttempt = z.object({
  kind: z.literal('attempt'),
  index: z.int(),
  attempt: z.int(),
  problem: z.string(),
  at_ms: z.number(),
})
const JournalResult = MapResult.extend({ kind: z.literal('result'), at_ms: z.number() })
const JournalRecord = z.discriminatedUnion('kind', [JournalAttempt, JournalResult])
type JournalRecord = z.infer<typeof JournalRecord>
type JournalResult = z.infer<typeof JournalResult>

/** What stands in the journal about an item. */
const NOTHING = 0
const COMPLETED = 1
const FAILED = 2

/**
 * The record of one run: JSONL that only grows. Each line is on the disk before its result counts, so that a run that
 * was killed goes on behind its last result. Of several results of one item the last one counts.
 */
export class RunJournal {
  readonly path: string
  readonly #file: FileHandle
  readonly #states: Uint8Array
  /** Where the last result of each item begins, and how long it is. */
  readonly #offsets: Float64Array
  readonly #lengths: Float64Array
  #end: number
  #retries = 0
  #records = 0
  #queue: { readonly record: JournalRecord; readonly done: PromiseWithResolvers<void> }[] = []
  #isWriting = false

  private constructor(path: string, file: FileHandle, itemCount: number, end: number) {
    this.path = path
    this.#file = file
    this.#states = new Uint8Array(itemCount)
    this.#offsets = new Float64Array(itemCount)
    this.#lengths = new Float64Array(itemCount)
    this.#end = end
  }

  /**
   * Opens the journal of a run, or begins it. A line that was cut off by a crash is removed.
   * @throws LcmError file_not_readable, disk_full, cancelled
   */
  static async open(path: string, head: JournalHead, signal: AbortSignal): Promise<RunJournal> {
    try {
      const file = await open(path, 'a+', 0o600)
      try {
        const { size } = await file.stat()
        const journal = new RunJournal(path, file, head.item_count, 0)
        if (size > 0) await journal.#recall(signal)
        if (journal.#end < size) await file.truncate(journal.#end)
        if (journal.#end === 0) await journal.#begin(head)
        return journal
      } catch (error) {
        await file.close()
        throw error
      }
    } catch (error) {
      throw fileError(error, path)
    }
  }

  /** @throws LcmError file_not_readable, disk_full */
  static makeFolder(path: string): void {
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    } catch (error) {
      throw fileError(error, dirname(path))
    }
  }

  async #begin(head: JournalHead): Promise<void> {
    const line = Buffer.from(`${canonicalJson(head)}\n`)
    await this.#file.appendFile(line)
    await this.#file.sync()
    this.#end = line.length
    syncFolder(dirname(this.path))
  }

  async #recall(signal: AbortSignal): Promise<void> {
    const slice = new TimeSlice(signal)
    for await (const { lines, ends } of readLines(this.path)) {
      for (const [index, line] of lines.entries()) {
        await slice.yieldIfOver()
        if (line.kind === 'text' && !line.isEnded) return
        const start = this.#end
        this.#end = ends[index] ?? start
        const record = line.kind === 'text' ? readRecord(line.text) : null
        if (record !== null) this.#note(record, start, this.#end - start - 1)
      }
    }
  }

  #note(record: JournalRecord, offset: number, length: number): void {
    this.#records += 1
    if (record.kind === 'attempt') {
      this.#retries += 1
      return
    }
    if (record.index >= this.#states.length) return
    this.#states[record.index] = record.status === 'completed' ? COMPLETED : FAILED
    this.#offsets[record.index] = offset
    this.#lengths[record.index] = length
  }

  /** True while nothing is recorded but what the run is about. */
  get isEmpty(): boolean {
    return this.#records === 0
  }

  /** Says whether an item has its answer. One that failed has none. */
  isCompleted(index: number): boolean {
    return this.#states[index] === COMPLETED
  }

  get counts(): { readonly completed: number; readonly failed: number; readonly retries: number } {
    let [completed, failed] = [0, 0]
    for (const state of this.#states) {
      if (state === COMPLETED) completed += 1
      if (state === FAILED) failed += 1
    }
    return { completed, failed, retries: this.#retries }
  }

  /**
   * Resolves when the record is on the disk. Records that come while others are being written go to the disk together.
   * @throws LcmError disk_full, file_not_readable
   */
  append(record: JournalRecord): Promise<void> {
    const done = Promise.withResolvers<void>()
    this.#queue.push({ record, done })
    if (!this.#isWriting) void this.#write()
    return done.promise
  }

  async #write(): Promise<void> {
    this.#isWriting = true
    while (this.#queue.length > 0) {
      const batch = this.#queue
      this.#queue = []
      const lines = batch.map(({ record }) => Buffer.from(`${canonicalJson(record)}\n`))
      try {
        await this.#file.appendFile(Buffer.concat(lines))
        await this.#file.datasync()
        for (const [index, { record, done }] of batch.entries()) {
          const length = lines[index]?.length ?? 0
          this.#note(record, this.#end, length - 1)
          this.#end += length
          done.resolve()
        }
      } catch (error) {
        // What was written in part must not become the beginning of the next line.
        await this.#file.truncate(this.#end).catch(() => {})
        for (const { done } of batch) done.reject(fileError(error, this.path))
      }
    }
    this.#isWriting = false
  }

  /** Gives the last result of each item that has one, in the order of the input. */
  async *results(signal: AbortSignal): AsyncGenerator<MapResult> {
    const slice = new TimeSlice(signal)
    const reader = new BlockReader(this.#file)
    for (const [index, state] of this.#states.entries()) {
      if (slice.isOver) await slice.yield()
      if (state === NOTHING) continue
      const text = await reader.text(this.#offsets[index] ?? 0, this.#lengths[index] ?? 0)
      // It was checked when it was written or recalled.
      const { kind: _kind, at_ms: _at, ...result } = parseExactly(text) as JournalResult
      yield result
    }
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}

/** Results stand nearly in the order of the items, so that a block holds many that follow each other. */
const BLOCK_BYTES = 256 * 1024

/** Reads pieces of a file through a block that is kept. */
class BlockReader {
  readonly #file: FileHandle
  #block = Buffer.alloc(0)
  #start = 0

  constructor(file: FileHandle) {
    this.#file = file
  }

  async text(offset: number, length: number): Promise<string> {
    const isHeld = offset >= this.#start && offset + length <= this.#start + this.#block.length
    if (!isHeld) {
      const wanted = Math.max(BLOCK_BYTES, length)
      const { buffer, bytesRead } = await this.#file.read(Buffer.allocUnsafe(wanted), 0, wanted, offset)
      this.#block = buffer.subarray(0, bytesRead)
      this.#start = offset
    }
    return this.#block.toString('utf8', offset - this.#start, offset - this.#start + length)
  }
}

/** Returns the record on a line, or null for the first line and for what is none. */
export function readRecord(text: string): JournalRecord | null {
  try {
    return JournalRecord.safeParse(parseExactly(text)).data ?? null
  } catch {
    // A line that was damaged says nothing: its item is done again.
    return null
  }
}
