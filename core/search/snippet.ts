import type { Matches } from '../contract/retrieval.ts'
import { cutText } from '../text.ts'
import type { Fields, Match, Matcher } from './query/matcher.ts'

/** How many UTF-16 units of the text a snippet shows. */
const SNIPPET_CHARS = 200
/** How much text stands before the first match, so that the match can be understood. */
const LEAD_CHARS = 60
/** How many matches of each term are looked at to choose the best range. */
const MATCHES_PER_TERM = 40
/** How many matches are marked in a text that is shown as a whole. */
const MATCHES_OF_TEXT = 2000
/** How much text is folded at once. The snippet of a huge row is made from its first piece with a match. */
const PIECE_CHARS = 200_000

export type Snippet = {
  /** The index of the field. */
  readonly field: number
  readonly snippet: string
  /** The ranges of the matches in the snippet, in UTF-16 units, end exclusive. */
  readonly matches: [number, number][]
}

/** Returns the range of the texts that shows most of the terms, or the start of the first text when none is found. */
export function snippetOf(fields: Fields, matcher: Matcher): Snippet {
  let best: { field: number; text: string; matches: Match[]; terms: number } | undefined
  for (const [field, text] of fields.entries()) {
    const matches = matchesIn(text, matcher)
    const terms = new Set(matches.map((match) => match.term)).size
    if (terms > (best?.terms ?? 0)) best = { field, text, matches, terms }
    if (terms === matcher.termCount) break
  }
  if (!best) return { field: 0, ...cutOut(fields[0] ?? '', [], 0) }
  return { field: best.field, ...cutOut(best.text, best.matches, densest(best.matches)) }
}

/**
 * Returns what is shown of a line of a file.
 * @param from where the match begins that is shown, or null for the range with most of the terms
 */
export function snippetOfLine(line: string, matcher: Matcher, from: number | null): Snippet {
  if (from === null) return snippetOf([line], matcher)
  const near = Math.max(0, from - LEAD_CHARS * 4)
  const piece = line.slice(near, from + SNIPPET_CHARS * 4)
  if (matcher.elsewhere) {
    const matches = matcher.find(line, Number.POSITIVE_INFINITY).filter(({ start }) => start >= from)
    return { field: 0, ...cutOut(line, matches.slice(0, MATCHES_PER_TERM), from) }
  }
  return { field: 0, ...cutOut(piece, matcher.find(piece, MATCHES_PER_TERM), from - near) }
}

/** Returns the matches in a text, or in the first piece of a huge one that has any. */
export function matchesIn(text: string, matcher: Matcher): Match[] {
  // A matcher in another thread has looked at the whole text.
  if (matcher.elsewhere) return matcher.find(text, MATCHES_PER_TERM)
  for (let start = 0; start < text.length; ) {
    const end = pieceEnd(text, start)
    const matches = matcher.find(start === 0 && end === text.length ? text : text.slice(start, end), MATCHES_PER_TERM)
    if (matches.length > 0) {
      return matches.map((match) => ({ ...match, start: match.start + start, end: match.end + start }))
    }
    // Pieces overlap, because a match may lie across their border.
    start = end === text.length ? end : Math.max(start + 1, pieceStart(text, end - PIECE_CHARS / 10))
  }
  return []
}

/** Pieces begin and end between words, where there are any. */
function pieceEnd(text: string, start: number): number {
  if (text.length - start <= PIECE_CHARS * 1.5) return text.length
  const space = text.lastIndexOf(' ', start + PIECE_CHARS)
  return space > start + PIECE_CHARS / 2 ? space : start + PIECE_CHARS
}

function pieceStart(text: string, near: number): number {
  const space = text.indexOf(' ', near)
  return space >= 0 && space < near + 1000 ? space : near
}

/** Returns the start of the match from which on one snippet contains most different terms. */
function densest(matches: readonly Match[]): number {
  let best = { start: 0, terms: -1 }
  const all = new Set(matches.map(({ term }) => term)).size
  for (const [place, { start }] of matches.entries()) {
    const terms = new Set<number>()
    for (const match of matches.slice(place)) {
      if (match.end > start + SNIPPET_CHARS - LEAD_CHARS) break
      terms.add(match.term)
    }
    if (terms.size > best.terms) best = { start, terms: terms.size }
    if (best.terms === all) break
  }
  return best.start
}

function cutOut(text: string, matches: readonly Match[], from: number): Omit<Snippet, 'field'> {
  const start = startOf(text, from)
  const length = lengthOf(matches, start)
  const piece = cutText(text.slice(start, start + length + 1), length)
  const before = start > 0 ? '…' : ''
  const after = start + piece.length < text.length ? '…' : ''
  const ranges: [number, number][] = []
  for (const match of matches) {
    const [a, b] = [match.start - start, Math.min(match.end - start, piece.length)]
    if (a < 0 || a >= b) continue
    // A match that the end of the snippet cuts is not highlighted, unless it is longer than any snippet.
    if (match.end - start > piece.length && ranges.length > 0) continue
    addRange(ranges, a + before.length, b + before.length)
  }
  return { snippet: `${before}${piece}${after}`, matches: ranges }
}

/** Adds a range that does not begin before the others. Terms may overlap, so it is merged with one that it overlaps. */
function addRange(ranges: [number, number][], start: number, end: number): void {
  const last = ranges.at(-1)
  if (last && start < last[1]) last[1] = Math.max(last[1], end)
  else ranges.push([start, end])
}

/** Returns all that a matcher finds in a text, up to a number of matches. */
export function rangesOf(text: string, matcher: Matcher): Matches {
  const matches = matcher.find(text, MATCHES_OF_TEXT + 1).filter(({ start, end }) => start < end)
  const ranges: [number, number][] = []
  for (const { start, end } of matches) addRange(ranges, start, end)
  return { ranges: ranges.slice(0, MATCHES_OF_TEXT), isCut: ranges.length > MATCHES_OF_TEXT }
}

/** A short match at the end of the snippet is shown completely. */
function lengthOf(matches: readonly Match[], start: number): number {
  const end = start + SNIPPET_CHARS
  const last = matches.find((match) => match.start < end && match.end > end && match.end <= end + LEAD_CHARS)
  return last ? last.end - start : SNIPPET_CHARS
}

/**
 * Returns a place a little before the match: at the start of a word if one is near, and never inside of a character.
 */
function startOf(text: string, from: number): number {
  const near = Math.max(0, from - LEAD_CHARS)
  if (near === 0) return 0
  const space = text.slice(near, Math.min(from, near + 20)).search(/\s\S/)
  const start = space >= 0 ? near + space + 1 : near
  const unit = text.charCodeAt(start)
  return unit >= 0xdc00 && unit <= 0xdfff ? start + 1 : start
}
