import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** `lcm-2026-03-02-004.jsonl`: the fifth file of a day. The names sort by age. */
const NAME = /^lcm-(\d{4}-\d\d-\d\d)-(\d{3,6})\.jsonl$/
/** Says whether a file is named as one of the log. */
export const isLogFile = (name: string): boolean => NAME.test(name)
const DAY_MS = 86_400_000
/** After a failure nothing is tried for this long, so that a full disk costs one failed call, not thousands. */
const RETRY_MS = 10_000

export type LogLimits = { readonly fileBytes: number; readonly totalBytes: number; readonly days: number }
export const LOG_LIMITS: LogLimits = { fileBytes: 2 * 1024 * 1024, totalBytes: 20 * 1024 * 1024, days: 7 }

/** Lists the files of the log, oldest first. A folder that is missing or cannot be read has none. */
export function logFileNames(folder: string): string[] {
  try {
    return readdirSync(folder).filter(isLogFile).sort()
  } catch {
    // Whoever shows the log says by `problem` why nothing is in it.
    return []
  }
}

/**
 * The files that the log is written to, private to the user. A file is never renamed: each writer appends whole lines to
 * the newest file of the day and begins the next one when it is full, so that several processes share the folder.
 */
export class LogFiles {
  readonly folder: string
  readonly #limits: LogLimits
  #open: { readonly file: number; readonly name: string } | null = null
  #failedAtMs = Number.NEGATIVE_INFINITY

  constructor(folder: string, limits: LogLimits = LOG_LIMITS) {
    this.folder = folder
    this.#limits = limits
  }

  /** Appends whole lines. They are lost when they cannot be written, because the log must not fail what it is about. */
  append(lines: string, nowMs: number): void {
    if (nowMs - this.#failedAtMs < RETRY_MS) return
    try {
      const { file } = this.#current(nowMs)
      const bytes = Buffer.from(lines)
      for (let at = 0; at < bytes.byteLength; ) at += writeSync(file, bytes, at)
    } catch {
      // Missing rights, a full disk, a folder that went away: the next try opens it anew.
      this.#failedAtMs = nowMs
      this.close()
    }
  }

  close(): void {
    const open = this.#open
    this.#open = null
    if (open) closeSync(open.file)
  }

  /** Returns the file to append to, and removes old ones when a new one begins. */
  #current(nowMs: number): { readonly file: number } {
    const day = new Date(nowMs).toISOString().slice(0, 10)
    const open = this.#open
    if (open?.name.includes(day) && fstatSync(open.file).size < this.#limits.fileBytes) return open
    this.close()
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
    const newest = logFileNames(this.folder)
      .filter((name) => name.includes(day))
      .at(-1)
    const isFull = newest !== undefined && statSync(join(this.folder, newest)).size >= this.#limits.fileBytes
    const number = newest === undefined ? 0 : Number(NAME.exec(newest)?.[2]) + (isFull ? 1 : 0)
    const name = `lcm-${day}-${String(number).padStart(3, '0')}.jsonl`
    const next = { file: openSync(join(this.folder, name), 'a', 0o600), name }
    this.#open = next
    this.#removeOld(nowMs)
    return next
  }

  #removeOld(nowMs: number): void {
    const oldestDay = new Date(nowMs - this.#limits.days * DAY_MS).toISOString().slice(0, 10)
    let bytes = 0
    for (const name of logFileNames(this.folder).reverse()) {
      const path = join(this.folder, name)
      bytes += statSync(path, { throwIfNoEntry: false })?.size ?? 0
      const isOld = (NAME.exec(name)?.[1] ?? '') < oldestDay || bytes > this.#limits.totalBytes
      if (isOld && name !== this.#open?.name) rmSync(path, { force: true })
    }
  }
}
