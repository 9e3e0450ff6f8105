import { closeSync, fstatSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { LineLevel, type LogInput, LogLine, type LogPage } from '../contract/activity.ts'
import { badCursor, decodeCursor, encodeCursor } from '../cursor.ts'
import { readAt } from '../read-at.ts'
import { TimeSlice } from '../yielding.ts'
import { logFileNames } from './log-files.ts'

const BLOCK_BYTES = 128 * 1024
/** Lines beyond this length are not ours. */
const MOST_LINE_BYTES = 64 * 1024
/** A question that fits little reads this much, and goes on by its cursor. */
const MOST_CHARACTERS_A_PAGE = 8 * 1024 * 1024

/** The place of a line: its file, and where it begins in it. */
const Place = z.object({ name: z.string(), at: z.int().min(0) })
type Place = z.infer<typeof Place>

export type LogLines = Pick<LogPage, 'lines' | 'nextCursor' | 'counts' | 'bytes'>

/** Reads the log backwards, from its end or from where the last page ended. A line that is not ours is passed over. */
export async function readLog(folder: string, input: LogInput, memory: string | null): Promise<LogLines> {
  const names = logFileNames(folder).reverse()
  const from = input.cursor === undefined ? null : decodeCursor(input.cursor, Place)
  if (from && !names.includes(from.name)) throw badCursor('the log went on, and what followed was removed')
  const page = new Page(input, memory)
  const slice = new TimeSlice()
  for (const name of from ? names.slice(names.indexOf(from.name)) : names) {
    for (const { text, at } of linesBackwards(join(folder, name), from?.name === name ? from.at : null)) {
      page.add(text, { name, at })
      if (page.isEnded) break
      if (slice.isOver) await slice.yield()
    }
    if (page.isEnded) break
  }
  const bytes = names.reduce((sum, name) => sum + sizeOf(join(folder, name)), 0)
  return { lines: page.lines, counts: page.counts, nextCursor: page.next && encodeCursor(page.next), bytes }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** The lines that fit, until there are enough of them. */
class Page {
  readonly lines: LogLine[] = []
  readonly counts = { debug: 0, info: 0, warn: 0, error: 0 }
  isEnded = false
  /** Where to go on; null at the end. */
  next: Place | null = null
  readonly #input: LogInput
  readonly #fits: (line: LogLine, text: string) => boolean
  #left = MOST_CHARACTERS_A_PAGE

  constructor(input: LogInput, memory: string | null) {
    this.#input = input
    this.#fits = filterOf(input, memory)
  }

  add(text: string, place: Place): void {
    const { sinceMs, levels, limit } = this.#input
    const line = parsed(text)
    this.#left -= text.length
    if (line !== null && sinceMs !== undefined && Date.parse(line.time) < sinceMs) {
      this.isEnded = true
      return
    }
    if (line !== null && this.#fits(line, text)) {
      this.counts[line.level] += 1
      const whole = levels.includes(line.level) ? LogLine.safeParse(line).data : undefined
      if (whole !== undefined) this.lines.push(whole)
    }
    if (this.lines.length < limit && this.#left > 0) return
    this.isEnded = true
    this.next = place
  }
}

/** Only its envelope is checked here: most lines of a long log are passed over. */
function parsed(text: string): LogLine | null {
  try {
    const line = JSON.parse(text) as LogLine | null
    return line !== null && LineLevel.options.includes(line.level) && typeof line.time === 'string' ? line : null
  } catch {
    // Half a line, of a program that was ended while it wrote.
    return null
  }
}

function filterOf(input: LogInput, memory: string | null): (line: LogLine, text: string) => boolean {
  const words = input.query.toLowerCase().split(/\s+/).filter(Boolean)
  const wanted = words.filter((word) => !word.startsWith('-'))
  const unwanted = words.flatMap((word) => (word.length > 1 && word.startsWith('-') ? [word.slice(1)] : []))
  return (line, text) => {
    if (input.of === 'this' && line.memory !== undefined && line.memory !== memory) return false
    if (input.sources && !input.sources.includes(line.source)) return false
    if (input.untilMs !== undefined && Date.parse(line.time) > input.untilMs) return false
    const lower = words.length === 0 ? '' : text.toLowerCase()
    return wanted.every((word) => lower.includes(word)) && !unwanted.some((word) => lower.includes(word))
  }
}

/** Yields the whole lines of a file before a place in it, the last one first. */
function* linesBackwards(path: string, before: number | null): Generator<{ text: string; at: number }> {
  const file = openOrNull(path)
  if (file === null) return
  try {
    let end = Math.min(before ?? Number.POSITIVE_INFINITY, fstatSync(file).size)
    let rest: Buffer = Buffer.alloc(0)
    while (end > 0) {
      const start = Math.max(0, end - BLOCK_BYTES)
      const bytes = Buffer.concat([readAt(file, start, end - start), rest])
      const firstBreak = start === 0 ? -1 : bytes.indexOf(10)
      if (start > 0 && firstBreak < 0) {
        if (bytes.byteLength > MOST_LINE_BYTES) return
        rest = bytes
        end = start
        continue
      }
      let lineEnd = bytes.byteLength
      while (lineEnd > firstBreak + 1) {
        const lineStart = lineEnd < 2 ? 0 : bytes.lastIndexOf(10, lineEnd - 2) + 1
        const text = bytes.toString('utf8', lineStart, lineEnd).trim()
        if (text !== '') yield { text, at: start + lineStart }
        lineEnd = lineStart
      }
      rest = bytes.subarray(0, firstBreak + 1)
      end = start
    }
  } finally {
    closeSync(file)
  }
}

function openOrNull(path: string): number | null {
  try {
    return openSync(path, 'r')
  } catch {
    // Removed by another process as too old.
    return null
  }
}
