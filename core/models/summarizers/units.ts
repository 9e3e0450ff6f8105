import { isoMinute } from '#core/clock.ts'
import { parsedJson, unlessTooDeep } from '#core/parsed-json.ts'
import { blanksToSpaces, withoutColours } from '#core/text.ts'
import type { SourceEntry } from './summarizer.ts'

/** A line or sentence of the sources, the smallest unit that an extract keeps or drops. */
export type Unit = {
  /** The number of the turn: a message, or the words of one speaker in an earlier extract. */
  readonly turn: number
  readonly atMs: number | null
  /** The speaker: `user`, `assistant`, `call bash`, `result bash` … */
  readonly label: string
  /** The text in one line. */
  readonly text: string
  readonly role: 'ask' | 'say' | 'call' | 'result' | 'error'
  /** True for the first and last unit of an entry. */
  readonly isFirst: boolean
  readonly isLast: boolean
}

const LONGEST_UNIT = 320
/** Only the ends of a huge text are read line by line, and between them only lines that report something. */
const HEAD_CHARS = 48_000
const TAIL_CHARS = 16_000
const MOST_REPORTS_BETWEEN = 40

/** Matches words with which programs report trouble. They are a help and never needed. */
export const TROUBLE =
  /error|exception|traceback|\bfail|fatal|panic|denied|refused|timed? ?out|not found|cannot|exit(?:ed)?(?: with)?(?: code)?:? [1-9]|\bE[A-Z]{4,}\b|错误|失败|异常|エラー|失敗|例外|오류|실패|ошибк|fehler|erreur|échec/i

const EVERY_TROUBLE = new RegExp(TROUBLE.source, 'gi')
/** Matches lines that this app wrote into the summaries that are condensed. */
const EXTRACT_LINE =
  /^(?:(\d{4}-\d{2}-\d{2}) )?(?:(\d{2}:\d{2})Z )?((?:user|assistant|system|tool|call [^:]{1,60}|result [^:]{1,60}|error [^:]{1,60})): (.*)$/
export const TOPICS_LABEL = 'Expand for details about: '

/** Splits the sources into units, in order. `topics` are those that earlier extracts offered to expand. */
export function unitsOf(entries: readonly SourceEntry[]): { units: Unit[]; topics: string[] } {
  const units: Unit[] = []
  const topics: string[] = []
  let turn = 0
  for (const entry of entries) {
    turn += 1
    if (entry.kind === 'summary') turn = readExtract(entry, turn, units, topics)
    else readMessage(entry, turn, units)
  }
  return { units, topics }
}

function readMessage(entry: SourceEntry, turn: number, units: Unit[]): void {
  const { answer } = entry
  const label = answer ? `${answer.isError ? 'error' : 'result'} ${labelName(answer.name)}` : (entry.role ?? 'user')
  const role = answer ? (answer.isError ? 'error' : 'result') : entry.role === 'user' ? 'ask' : 'say'
  const begin = units.length
  for (const text of linesOf(entry.text)) {
    units.push({ turn, atMs: entry.atMs, label, text, role, isFirst: units.length === begin, isLast: false })
  }
  const last = units.at(-1)
  if (units.length > begin && last) units[units.length - 1] = { ...last, isLast: true }
  for (const call of entry.calls) {
    const text = argumentsOf(call.input)
    units.push({
      turn,
      atMs: entry.atMs,
      label: `call ${labelName(call.name)}`,
      text,
      role: 'call',
      isFirst: true,
      isLast: false,
    })
  }
}

/**
 * Reads an earlier extract line by line with speaker and time. Any other summary is text of its own. Returns the last
 * turn.
 */
function readExtract(entry: SourceEntry, firstTurn: number, units: Unit[], topics: string[]): number {
  let turn = firstTurn
  const began = entry.atMs === null ? null : isoMinute(entry.atMs)
  let [day, time, label] = [began?.slice(0, 10) ?? '', began?.slice(11) ?? '', '']
  for (const line of entry.text.split('\n')) {
    if (line.startsWith(TOPICS_LABEL)) {
      topics.push(...line.slice(TOPICS_LABEL.length).replace(/\.$/, '').split(', '))
      continue
    }
    const match = EXTRACT_LINE.exec(line)
    if (match) {
      day = match[1] ?? day
      time = match[2] ?? time
      label = match[3] ?? ''
      turn += 1
    }
    const atMs = day === '' ? entry.atMs : Date.parse(`${day}T${time || '00:00'}Z`)
    for (const text of linesOf(match ? (match[4] ?? '') : line)) {
      const role = roleOf(label)
      units.push({
        turn,
        atMs: Number.isNaN(atMs) ? entry.atMs : atMs,
        label,
        text,
        role,
        isFirst: match !== null,
        isLast: false,
      })
    }
  }
  return turn
}

function roleOf(label: string): Unit['role'] {
  if (label === 'user') return 'ask'
  if (label.startsWith('call ')) return 'call'
  if (label.startsWith('result ')) return 'result'
  return label.startsWith('error ') ? 'error' : 'say'
}

const labelName = (name: string): string => cleanLine(name).replaceAll(':', ' ').slice(0, 40).trim() || 'tool'

function* linesOf(text: string): Generator<string> {
  if (text.length <= HEAD_CHARS + TAIL_CHARS) {
    yield* splitLines(text)
    return
  }
  yield* splitLines(text.slice(0, HEAD_CHARS))
  yield* reportsIn(text.slice(HEAD_CHARS, -TAIL_CHARS))
  yield* splitLines(text.slice(-TAIL_CHARS))
}

/** Finds lines that report trouble, cut to the text around the word. */
function* reportsIn(text: string): Generator<string> {
  const reach = LONGEST_UNIT / 2
  let [reports, readTo] = [0, 0]
  for (const match of text.matchAll(EVERY_TROUBLE)) {
    if (match.index < readTo) continue
    const begin = Math.max(readTo, match.index - reach, text.lastIndexOf('\n', match.index) + 1)
    const lineEnd = text.indexOf('\n', match.index)
    readTo = Math.min(lineEnd < 0 ? text.length : lineEnd, match.index + reach)
    yield* splitLines(text.slice(begin, readTo))
    reports += 1
    if (reports === MOST_REPORTS_BETWEEN) return
  }
}

function* splitLines(text: string): Generator<string> {
  let begin = 0
  while (begin < text.length) {
    let end = text.indexOf('\n', begin)
    if (end < 0) end = text.length
    const line = cleanLine(text.slice(begin, end)).replace(LINE_NUMBER, '')
    begin = end + 1
    if (!hasWord(line)) continue
    if (line.length <= LONGEST_UNIT) yield line
    else yield* splitSentences(line)
  }
}

/** Matches line numbers as tools write them that show files. */
const LINE_NUMBER = /^\d+→ ?/
const SENTENCE_END = /[.!?…][)"'\]]*\s+|[。！？；]|;\s+/g
const MOST_SENTENCES = 40

function* splitSentences(line: string): Generator<string> {
  let begin = 0
  let count = 0
  for (const match of line.matchAll(SENTENCE_END)) {
    const end = match.index + match[0].length
    // Short sentences stay together, because "Yes." alone says nothing.
    if (end - begin < 60 && line.length - begin > 60) continue
    yield cutLine(line.slice(begin, end).trim())
    begin = end
    count += 1
    if (count === MOST_SENTENCES) return
  }
  const rest = line.slice(begin).trim()
  if (rest !== '') yield cutLine(rest)
}

export function cutLine(line: string, chars = LONGEST_UNIT): string {
  if (line.length <= chars) return line
  const head = line.slice(0, chars - 1)
  const space = head.lastIndexOf(' ')
  return `${(space > chars / 2 ? head.slice(0, space) : head).toWellFormed().replace(/\ufffd$/, '')}…`
}

// Most lines of code are indented, and have nothing else to replace.
const cleanLine = (text: string): string => blanksToSpaces(withoutColours(text).trim()).trim().toWellFormed()

const WORD =
  /[\p{L}\p{N}]{2}|[\p{Script=Han}\p{Script=Hangul}\p{Script=Kana}\p{Script=Hiragana}]|\p{Extended_Pictographic}/u
const hasWord = (line: string): boolean => WORD.test(line)

const MOST_ARGUMENTS = 4
const LONGEST_ARGUMENT = 140
const LONGEST_PARSED = 40_000

/**
 * Writes the arguments of a call in one line: the values without the JSON around them. Text that is no JSON, or is nested
 * too deeply, is shown unchanged.
 */
function argumentsOf(input: string): string {
  const parsed = input.length <= LONGEST_PARSED ? parsedJson(input) : undefined
  const values =
    typeof parsed === 'object' && parsed !== null
      ? unlessTooDeep(() => Object.entries(parsed).slice(0, MOST_ARGUMENTS).map(argumentOf))
      : undefined
  if (values === undefined) return cutLine(cleanLine(input.slice(0, LONGEST_UNIT * 4)))
  return cutLine(values.filter((value) => value !== '').join(' · '))
}

function argumentOf([name, value]: [string, unknown]): string {
  if (typeof value === 'string') return cutLine(cleanLine(value.slice(0, LONGEST_ARGUMENT * 4)), LONGEST_ARGUMENT)
  if (value === null || typeof value === 'object') return cutLine(cleanLine(JSON.stringify(value)), LONGEST_ARGUMENT)
  return cleanLine(`${name}=${String(value)}`)
}
