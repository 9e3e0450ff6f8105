import { type Level, type Logger, pino } from 'pino'
import type { LogLevel } from '../contract/lists.ts'
import type { LogEvent } from '../log.ts'
import type { LogFiles } from './log-files.ts'

/**
 * A word or an id: short, and without spaces, as no text is. Whatever else a hostile file calls an id is left out.
 */
const WORD = /^[^\s"]{1,120}$/

/** Writes events as lines of JSON. */
export class EventLogger {
  readonly #files: LogFiles
  readonly #logger: Logger
  #lines: string[] = []

  constructor(files: LogFiles, level: LogLevel) {
    this.#files = files
    this.#logger = pino(
      { level, base: { pid: process.pid }, timestamp: false, formatters: { level: (label) => ({ level: label }) } },
      { write: (line: string) => void this.#lines.push(line) },
    )
  }

  write(events: readonly LogEvent[], nowMs: number): void {
    for (const { atMs, level, source, event, fields } of events) {
      const line = { time: new Date(atMs).toISOString(), source, event }
      this.#logger[level satisfies Level](Object.assign(line, withoutTexts(fields)))
    }
    if (this.#lines.length > 0) this.#files.append(this.#lines.join(''), nowMs)
    this.#lines = []
  }
}

const withoutTexts = (fields: LogEvent['fields']): object =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' && !WORD.test(value) ? `(${value.length}_characters)` : value,
    ]),
  )
