import { BEFORE_MONTH } from './word-lists.ts'

/** The range of a summary that says one thing. Offsets are UTF-16 units of the summary's text, end exclusive. */
export type ClaimRange = {
  readonly kind: 'sentence' | 'bullet' | 'heading' | 'code'
  readonly start: number
  readonly end: number
}

// Each id can be read in one way only. With another choice at every hyphen, a long line that is no list would never end.
const ID = String.raw`(?=[\w-]*[_-][\w-])[\w-]+`
const NODE_ID = String.raw`(?:sum|msg|file)_\w+`

/** Lines that the writer of a summary adds and that say nothing about the conversation. */
const TRAILERS: readonly RegExp[] = [
  /^\[?expand for details\b/i,
  /^segment covering\b/i,
  /^\[[^\]]*\bsummary\b[^\]]*\]$/i,
  new RegExp(`^(?:sources?|source ids?|ids|files?|file ids?|messages?)\\s*:\\s*(?:none|${listOf(ID)})\\.?$`, 'i'),
  new RegExp(`^${listOf(NODE_ID)}$`, 'i'),
  /^<\/?[a-z][\w-]*(?:\s[^>]*)?>$/i,
  /^\[[^\]]*\b\d{4}-\d\d-\d\d[^\]]*\]$/,
  /^\W*\[(?:truncated|lcm|cut|omitted|\.\.\.|…)[^\]]*\]\W*$/i,
]

function listOf(item: string): string {
  return `${item}(?:[\\s,;]+${item})*[\\s,;]*`
}

/** The sign or number before the text of a bullet, a quotation or a numbered point. */
const BULLET = /^(?:[-*+•‣◦–—]|\d{1,3}[.)]|\(\d{1,3}\)|\[[ xX]\])\s+/
const HEADING = /^#{1,6}\s+/
/** The time and speaker that extracts of this app put before what was said. */
const EXTRACT_LABEL =
  /^(?:\d{4}-\d\d-\d\d )?(?:\d\d:\d\dZ )?(?:user|assistant|system|tool|call [^:\n]{1,60}|result [^:\n]{1,60}|error [^:\n]{1,60}): /
const DATED_LABEL = /^\[\d{4}-\d\d-\d\d[^\]\n]{0,60}\]:?\s*/
/** The speaker as other systems write it. */
const SPEAKER_LABEL = /^\[(?:user|assistant|system|tool)\b[^\]\n]{0,80}\]:?\s*/i
/** The topic of a line, before its text. */
const SECTION_LABEL =
  /^\**(?:key (?:facts|points)|facts|errors?(?: seen)?|files?(?: touched| changed| modified| read)?|decisions?|open questions?|to-?dos?|next steps?|status|outcome|results?|goals?|progress|changes|commands?(?: run)?|tools?(?: used)?|notes?)\**:\**\s+/i
const LABELS: readonly RegExp[] = [/^>\s*/, BULLET, DATED_LABEL, SPEAKER_LABEL, EXTRACT_LABEL, SECTION_LABEL]

/** A longer claim is divided. */
const LONGEST_CLAIM = 600

/**
 * Divides the text of a summary into claims, in order. Titles, trailers and lists of ids are no claims and are left
 * out.
 */
export const claimsOf = (text: string): ClaimRange[] => [...claimsIn(text)]

/** Yields the same claims one after the other, so that a long text can be read in pieces. */
export function* claimsIn(text: string): Generator<ClaimRange> {
  let inCode = false
  for (let start = 0; start < text.length; ) {
    let end = text.indexOf('\n', start)
    if (end < 0) end = text.length
    const line = text.slice(start, end)
    if (/^\s*(?:```|~~~)/.test(line)) inCode = !inCode
    else yield* inCode ? claimsOfCode(line, start) : claimsOfLine(line, start)
    start = end + 1
  }
}

function* claimsOfCode(line: string, at: number): Generator<ClaimRange> {
  const { from, to } = trimmed(line, 0, line.length)
  if (hasContent(line.slice(from, to)))
    yield { kind: 'code', start: at + from, end: at + Math.min(to, from + LONGEST_CLAIM) }
}

function* claimsOfLine(line: string, at: number): Generator<ClaimRange> {
  let { from, to } = trimmed(line, 0, line.length)
  const isTrailer = (): boolean => {
    const rest = line.slice(from, Math.min(to, from + 2_000))
    return TRAILERS.some((trailer) => trailer.test(rest))
  }
  if (isTrailer()) return
  let kind: ClaimRange['kind'] = 'sentence'
  const skip = (pattern: RegExp): boolean => {
    const length = pattern.exec(line.slice(from, Math.min(to, from + 200)))?.[0].length ?? 0
    from += length
    return length > 0
  }
  if (skip(HEADING)) kind = 'heading'
  // A line of a summary of summaries may have the labels of both.
  for (let label = LABELS.find(skip); label && from < to; label = LABELS.find(skip)) {
    if (label === BULLET) kind = 'bullet'
  }
  if (isTrailer()) return
  if (kind === 'heading' || isTitle(line.slice(from, to))) {
    // A title names what follows. It is a claim only when it is a sentence.
    if (isSentence(line.slice(from, to))) yield { kind: 'heading', start: at + from, end: at + to }
    return
  }
  for (const [a, b] of sentencesOf(line, from, to)) {
    const label = SECTION_LABEL.exec(line.slice(a, b))?.[0].length ?? 0
    if (hasContent(line.slice(a + label, b))) yield { kind, start: at + a + label, end: at + b }
  }
}

const isTitle = (text: string): boolean => text.length <= 80 && /[:：]\**$/.test(text) && text.split(/\s+/).length <= 8

const isSentence = (text: string): boolean => text.split(/\s+/).length >= 5 || /\d/.test(text)

const hasContent = (text: string): boolean =>
  /[\p{L}\p{N}]{2}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|\d/u.test(text)

function trimmed(text: string, from: number, to: number): { from: number; to: number } {
  const piece = text.slice(from, to)
  return { from: from + piece.length - piece.trimStart().length, to: to - (piece.length - piece.trimEnd().length) }
}

/** Abbreviations whose point does not end a sentence. */
const ABBREVIATION =
  /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|al|approx|incl|resp|no|nr|mr|mrs|dr|st|fig|z\.b|d\.h|bzw|usw|ca|p\.ej)\.$/i
// A run of points is looked at from its first point only: otherwise a long one would be read again from each of them.
const SENTENCE_END = /(?<![.!?…])[.!?…]+["'”’)\]»*_`]*(?=\s)|[。！？；]+[”’」』）]*|;(?=\s)/g
/** A shorter part before a semicolon says too little on its own. */
const LEAST_PART = 30

/** Yields the ranges of the sentences of a line. */
function* sentencesOf(line: string, from = 0, to = line.length): Generator<readonly [number, number]> {
  let begin = from
  SENTENCE_END.lastIndex = from
  const text = line.slice(0, to)
  for (const match of text.slice(from).matchAll(SENTENCE_END)) {
    const end = from + match.index + match[0].length
    if (match[0].startsWith('.') && ABBREVIATION.test(text.slice(Math.max(begin, end - 10), end))) continue
    if (match[0] === ';' && (end - begin < LEAST_PART || to - end < LEAST_PART)) continue
    // A point before a small letter does not end a sentence, as in "v2. was" or "3. next".
    if (match[0] === '.' && isDay(text, end - 1)) continue
    if (match[0] === '.' && /^\s+\p{Ll}/u.test(text.slice(end, end + 8))) continue
    yield* pieces(text, begin, end)
    begin = end
  }
  if (begin < to) yield* pieces(text, begin, to)
}

const isDay = (text: string, point: number): boolean =>
  /(?<!\d)\d{1,2}$/.test(text.slice(Math.max(0, point - 3), point)) && BEFORE_MONTH.test(text.slice(point, point + 16))

function* pieces(text: string, begin: number, end: number): Generator<readonly [number, number]> {
  const { from, to } = trimmed(text, begin, end)
  for (let start = from; start < to; ) {
    let stop = Math.min(to, start + LONGEST_CLAIM)
    if (stop < to) {
      const space = text.lastIndexOf(' ', stop)
      if (space > start + LONGEST_CLAIM / 2) stop = space
      else if ((text.charCodeAt(stop) & 0xfc00) === 0xdc00) stop -= 1
    }
    const piece = trimmed(text, start, stop)
    if (piece.from < piece.to) yield [piece.from, piece.to]
    start = stop
  }
}

/**
 * Returns the claims that a selection overlaps. A selection within one claim narrows that claim, so that half of a
 * sentence can be asked about.
 */
export function claimsWithin(claims: readonly ClaimRange[], from: number, to: number): ClaimRange[] {
  const touched = claims.filter((claim) => claim.start < to && claim.end > from)
  const [only] = touched
  if (touched.length !== 1 || !only) return touched
  const narrowed = { ...only, start: Math.max(only.start, from), end: Math.min(only.end, to) }
  return narrowed.end - narrowed.start >= 3 ? [narrowed] : touched
}
