import { plural, withoutColours } from '#core/text.ts'
import type { Explorer } from './explorer.ts'
import { linesOf } from './lines.ts'
import { counted, shown } from './shown.ts'
import type { Entry, Findings } from './summary-text.ts'

const LINE_CHARS = 160
/** At most this many kinds of lines are told apart. */
const MOST_KINDS = 2000
/** A kind is recognised by at most this much of a line. */
const KIND_CHARS = 160

/** The ways in which logs write the time, each with the name that the summary gives it. */
const TIMES: readonly (readonly [name: string, pattern: RegExp])[] = [
  [
    'ISO times',
    /^\W{0,2}(\d{4}[-/]\d{2}[-/]\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:Z|\s?[+-]\d{2}:?\d{2})?)/,
  ],
  [
    'syslog times',
    /^(?:<\d{1,3}>)?((?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {1,2}\d{1,2} \d{2}:\d{2}:\d{2})/,
  ],
  ['times of a web server', /\[(\d{2}\/[A-Z][a-z]{2}\/\d{4}:\d{2}:\d{2}:\d{2} [+-]\d{4})\]/],
  ['times of day', /^(?:\W{0,2}(?=\d{2}:\d{2}:\d{2})|\[)(\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)/],
  ['seconds since 1970', /^\W{0,2}(1\d{9}(?:\.\d{1,9})?|1\d{12})\b/],
  ['dates with words', /^\W{0,2}([A-Z][a-z]{2} [A-Z][a-z]{2} {1,2}\d{1,2} \d{2}:\d{2}:\d{2}(?:\.\d+)? \d{4})/],
]
const LEVEL = /\b(TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERR(?:OR)?|SEVERE|CRIT(?:ICAL)?|FATAL|PANIC|ALERT|EMERG)\b/i
const LEVEL_NAMES: Readonly<Record<string, string>> = { WARNING: 'WARN', ERR: 'ERROR', CRITICAL: 'CRIT' }
const SEVERE: ReadonlySet<string> = new Set(['ERROR', 'SEVERE', 'CRIT', 'FATAL', 'PANIC', 'ALERT', 'EMERG'])
/** The level stands near the beginning of a line. */
const LEVEL_WITHIN = 80

/** Finds the time at the beginning of a line. */
function timeOf(line: string): { readonly time: string; readonly format: string } | null {
  const head = line.slice(0, 120)
  for (const [format, pattern] of TIMES) {
    const time = pattern.exec(head)?.[1]
    if (time !== undefined) return { time, format }
  }
  return null
}

/** Says whether most lines begin with a time, or with a level. */
export function isLikelyLog(head: string): boolean {
  const lines = head
    .split('\n', 200)
    .slice(0, 199)
    .filter((line) => line.trim() !== '')
  const marked = lines.filter(
    (line) => timeOf(line) !== null || /^\W{0,2}(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\b/.test(line),
  )
  return lines.length >= 3 && marked.length >= Math.max(3, lines.length * 0.4)
}

/** The times, levels, lines that recur, and errors of a log. */
export const exploreLog: Explorer = function* (file) {
  const log = new LogLines()
  for (const line of linesOf(yield* file.text())) {
    log.add(line)
    yield
  }
  return log.findings()
}

type Kind = { count: number; readonly example: string }
type Found = { readonly line: string; readonly at: number }

class LogLines {
  #lines = 0
  #timed = 0
  #continued = 0
  #first: string | null = null
  #last: string | null = null
  #earliest: string | null = null
  #latest: string | null = null
  readonly #formats = new Map<string, number>()
  readonly #levels = new Map<string, number>()
  readonly #kinds = new Map<string, Kind>()
  #otherKinds = 0
  #firstError: Found | null = null
  #lastError: Found | null = null

  add(written: string): void {
    const line = withoutColours(written)
    this.#lines += 1
    if (line.trim() === '') return
    const found = timeOf(line)
    if (found === null && this.#timed > 0 && /^\s/.test(line)) this.#continued += 1
    if (found !== null) this.#noteTime(found.time, found.format)
    this.#noteLevel(line)
    this.#noteKind(found === null ? line : line.slice(line.indexOf(found.time) + found.time.length))
  }

  findings(): Findings {
    const formats = byCount(this.#formats).map(([name]) => name)
    const levels = byCount(this.#levels).map(([level, count]) => `${level} ${counted(count)}`)
    const kinds = [...this.#kinds.values()]
      .filter(({ count }) => count > 1)
      .sort((a, b) => b.count - a.count || (a.example < b.example ? -1 : 1))
    return {
      facts: [
        `${plural(this.#lines, 'line')}, ${counted(this.#timed)} with a time${formats.length === 0 ? '' : ` (${formats.slice(0, 2).join(', ')}${formats.length > 2 ? ' and others' : ''})`}${this.#continued === 0 ? '' : `, ${counted(this.#continued)} that continue the line before`}.`,
        ...(this.#first === null
          ? []
          : [`First time ${shown(this.#first, 40)}, last ${shown(this.#last ?? '', 40)}${this.#range()}.`]),
        levels.length === 0 ? 'No line names a level.' : `Levels: ${levels.join(', ')}.`,
      ],
      sections: [
        { kind: 'entries', title: 'Errors', entries: this.#errors(), use: 'always' },
        {
          kind: 'entries',
          title: `Lines that recur (# stands for a number or id; ${this.#otherKinds === 0 ? '' : 'at least '}${plural(this.#kinds.size, 'kind')} of lines)`,
          entries: kinds
            .slice(0, 40)
            .map(({ count, example }) => ({ name: '', detail: `${counted(count)}× ${shown(example, LINE_CHARS)}` })),
          total: kinds.length,
          use: 'always',
        },
        {
          kind: 'entries',
          title: 'Other lines',
          entries: this.#rare(),
          total: this.#rareCount(),
          isCut: this.#otherKinds > 0,
          use: 'more',
        },
      ],
    }
  }

  #range(): string {
    const isInOrder = this.#earliest === this.#first && this.#latest === this.#last
    if (this.#earliest === null || this.#latest === null || isInOrder) return ''
    return `; not in order, from ${shown(this.#earliest, 40)} to ${shown(this.#latest, 40)}`
  }

  #errors(): Entry[] {
    const [first, last] = [this.#firstError, this.#lastError]
    if (first === null || last === null) return []
    const entry = (which: string, { line, at }: Found): Entry => ({
      name: '',
      detail: `${which}, line ${counted(at)}: ${shown(line, LINE_CHARS)}`,
    })
    return first.at === last.at ? [entry('the only one', first)] : [entry('first', first), entry('last', last)]
  }

  #rareCount(): number {
    return [...this.#kinds.values()].filter(({ count }) => count === 1).length
  }

  #rare(): Entry[] {
    const rare = [...this.#kinds.values()].filter(({ count }) => count === 1).slice(0, 10)
    return rare.map(({ example }) => ({ name: '', detail: shown(example, LINE_CHARS) }))
  }

  #noteTime(time: string, format: string): void {
    this.#timed += 1
    this.#first ??= time
    this.#last = time
    this.#formats.set(format, (this.#formats.get(format) ?? 0) + 1)
    // Only these are in the order of their characters, and only with each other.
    if (format !== 'ISO times' || this.#formats.size > 1) return
    if (this.#earliest === null || time < this.#earliest) this.#earliest = time
    if (this.#latest === null || time > this.#latest) this.#latest = time
  }

  #noteLevel(line: string): void {
    const word = LEVEL.exec(line.slice(0, LEVEL_WITHIN))?.[1]?.toUpperCase()
    if (word === undefined) return
    const level = LEVEL_NAMES[word] ?? word
    this.#levels.set(level, (this.#levels.get(level) ?? 0) + 1)
    if (!SEVERE.has(level)) return
    const found = { line: line.slice(0, LINE_CHARS * 2), at: this.#lines }
    this.#firstError ??= found
    this.#lastError = found
  }

  #noteKind(line: string): void {
    const example = withoutNumbers(line.slice(0, KIND_CHARS))
    const kind = this.#kinds.get(example)
    if (kind !== undefined) kind.count += 1
    else if (this.#kinds.size < MOST_KINDS) this.#kinds.set(example, { count: 1, example })
    else this.#otherKinds += 1
  }
}

/** Lines that differ only in numbers and ids are of one kind. */
const withoutNumbers = (line: string): string =>
  line
    .replace(/^[\s\])}>:,|-]+/, '')
    .replaceAll(/\b(?:0x)?(?=[\da-f-]*\d)[\da-f]{4,}(?:-[\da-f]{2,}){0,8}\b|\d+(?:[.:,]\d+)*/gi, '#')
    .trim()

const byCount = (counts: ReadonlyMap<string, number>): [string, number][] =>
  [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
