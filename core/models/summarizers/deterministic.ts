import { isoMinute } from '#core/clock.ts'
import { trimSurrogate } from '#core/text.ts'
import type { TokenEstimator } from '../token-estimator.ts'
import type { Summarizer, SummaryRequest } from './summarizer.ts'
import { type ScoredUnit, scoreUnits } from './unit-score.ts'
import { cutLine, TOPICS_LABEL, type Unit, unitsOf } from './units.ts'

/** The version of the method that makes extracts. */
export const EXTRACT_VERSION = 'extract-1'

/**
 * Creates the summariser that is always available: no model, no network, and the same text for the same sources. It
 * keeps the most informative lines (questions, results, errors, decisions, paths, commands, numbers), each once, with
 * speaker and time, in order. The summary is smaller than its sources when they have at least two tokens. It takes time
 * in proportion to their length.
 */
export function createDeterministicSummarizer(estimator: TokenEstimator): Summarizer {
  return {
    name: 'deterministic',
    levels: ['deterministic'],
    model: null,
    promptVersion: () => EXTRACT_VERSION,
    summarize: async (request) => ({ text: extract(request, estimator), inputTokens: null, outputTokens: null }),
  }
}

/** Returns the expected tokens of a summary: the target, and at most half of its sources. */
export const extractTokens = (sourceTokens: number, targetTokens: number): number =>
  Math.max(1, Math.min(targetTokens, Math.floor(sourceTokens / 2)))

/** Makes the extract synchronously. */
export function extract(request: SummaryRequest, estimator: TokenEstimator): string {
  const limit = extractTokens(request.sourceTokens, request.targetTokens)
  const { units, topics } = unitsOf(request.entries)
  const { scored, termWeights } = scoreUnits(units)
  const ranked = rank(scored, termWeights, estimator)
  const footerTokens = limit >= 40 ? Math.min(80, Math.floor(limit / 6)) : 0
  let chosen = fill(ranked, limit - footerTokens)
  for (;;) {
    const body = compose(chosen)
    const dropped = leftOut(units, ranked, chosen)
    const footer = footerTokens > 0 ? writeTopics(findTopics(dropped, topics, body), footerTokens, estimator) : ''
    const text = footer === '' ? body : `${body}\n${footer}`
    if (text !== '' && estimator.count(text) <= limit) return text
    if (chosen.length <= 1) return shorten(ranked[0]?.unit ?? firstText(request), limit, estimator)
    // A vocabulary may need more tokens for the whole than for its lines, so the weakest lines are dropped until it
    // fits.
    chosen = chosen.slice(0, -1)
  }
}

/** Returns the units that are not in the extract: those with news, best first, and those skipped as repetition. */
function leftOut(units: readonly Unit[], ranked: readonly Ranked[], chosen: readonly Ranked[]): LeftOut {
  const kept = new Set(chosen.map(({ unit }) => unit))
  const own = ranked.map(({ unit }) => unit).filter((unit) => !kept.has(unit))
  const known = new Set([...kept, ...own])
  return { own, repeated: units.filter((unit) => !known.has(unit)) }
}

type Ranked = ScoredUnit & {
  readonly tokens: number
  /** Its score for its size. */
  readonly value: number
}

/** Ranks units by score for their size, without those that mostly repeat better ones. */
function rank(scored: readonly ScoredUnit[], termWeights: Float64Array, estimator: TokenEstimator): Ranked[] {
  const sized = scored.map(({ unit, order, score, terms }): Ranked => {
    const tokens = estimator.count(unit.text) + LINE_TOKENS
    return { unit, order, score, terms, tokens, value: score / (tokens + 8) ** 0.4 }
  })
  const said = new Uint8Array(termWeights.length)
  return sized
    .sort((a, b) => b.value - a.value || a.order - b.order)
    .filter(({ terms }) => {
      let [fresh, all] = [0, 0]
      for (const term of terms) {
        const weight = termWeights[term] ?? 0
        all += weight
        if (said[term] === 0) fresh += weight
      }
      if (terms.length > 0 && fresh < all * LEAST_NEWS) return false
      for (const term of terms) said[term] = 1
      return true
    })
}

/** The tokens of a line's speaker and of its share of times. */
const LINE_TOKENS = 5
/** At least this share of a line must not be in better lines. */
const LEAST_NEWS = 0.25

/** The share of a summary that one source may take while others have something to say. */
const LARGEST_SHARE: Readonly<Record<Unit['role'], number>> = {
  ask: 0.4,
  say: 0.3,
  call: 0.15,
  error: 0.2,
  result: 0.12,
}

/** Takes units while there is room: first so that no source crowds out the others, then questions and statements. */
function fill(ranked: readonly Ranked[], limit: number): Ranked[] {
  const chosen = new Set<Ranked>()
  const takenBy = new Map<number, number>()
  let left = limit
  const take = (candidate: Ranked): void => {
    chosen.add(candidate)
    left -= candidate.tokens
    takenBy.set(candidate.unit.turn, (takenBy.get(candidate.unit.turn) ?? 0) + candidate.tokens)
  }
  for (const candidate of ranked) {
    const share = (takenBy.get(candidate.unit.turn) ?? 0) + candidate.tokens
    if (candidate.tokens <= left && share <= limit * LARGEST_SHARE[candidate.unit.role]) take(candidate)
  }
  for (const candidate of ranked) {
    const isLog = candidate.unit.role === 'result' || candidate.unit.role === 'error'
    if (candidate.tokens <= left && !isLog && !chosen.has(candidate)) take(candidate)
  }
  for (const candidate of chosen.size === 0 ? ranked : []) {
    if (candidate.tokens <= left) take(candidate)
  }
  // The best come first, so that the weakest can be dropped from the end.
  return ranked.filter((candidate) => chosen.has(candidate))
}

/**
 * Writes one line a unit, in the order of the history. A speaker or time that equals that of the line before is not
 * repeated.
 */
function compose(chosen: readonly ScoredUnit[]): string {
  let [day, time, label, turn] = ['', '', '', -1]
  const lines = chosen
    .toSorted((a, b) => a.order - b.order)
    .map(({ unit }) => {
      const [unitDay = '', unitTime = ''] = (unit.atMs === null ? '' : (isoMinute(unit.atMs) ?? '')).split(' ')
      const showsDay = unitDay !== day
      const showsTime = unitTime !== '' && (showsDay || unitTime !== time)
      const isSame = unit.label === label && unit.turn === turn && !showsTime
      day = unitDay
      time = unitTime
      label = unit.label
      turn = unit.turn
      if (isSame || unit.label === '') return `${isSame && label !== '' ? '  ' : ''}${unit.text}`
      return `${showsDay && unitDay !== '' ? `${unitDay} ` : ''}${showsTime ? `${unitTime}Z ` : ''}${unit.label}: ${unit.text}`
    })
  return lines.join('\n')
}

function writeTopics(topics: readonly string[], limit: number, estimator: TokenEstimator): string {
  let line = ''
  for (const topic of topics) {
    const longer = line === '' ? `${TOPICS_LABEL}${topic}` : `${line}, ${topic}`
    if (estimator.count(`${longer}.`) > limit) continue
    line = longer
  }
  return line === '' ? '' : `${line}.`
}

/** As the last resort, returns as much of one line as there is room for, even a single token. */
function shorten(unit: Pick<Unit, 'text'>, limit: number, estimator: TokenEstimator): string {
  let [fits, tooLong] = [0, Math.min(unit.text.length, limit * 16) + 1]
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1
    if (estimator.count(trimSurrogate(unit.text.slice(0, middle))) <= limit) fits = middle
    else tooLong = middle
  }
  const text = trimSurrogate(unit.text.slice(0, fits)).trim()
  return text === '' ? '…' : text
}

function firstText({ entries }: SummaryRequest): Pick<Unit, 'text'> {
  const text = entries.find((entry) => entry.text.trim() !== '')?.text
  return { text: text?.trim().slice(0, 2_000) ?? `${entries.length} messages without text` }
}

/** Matches names that one would search for: paths, calls, identifiers of code, error classes, addresses. */
const NAME =
  /[\w@~.-]*[/\\][\w@.-]+[/\\.][\w./\\-]*\w|\b[\w-]+\.(?:[a-z]{2,4}|[a-z]+\d)\b|\b\w+\(\)|\b[A-Za-z]+[a-z][A-Z]\w+|\b[a-z]+(?:_[a-z0-9]+)+\b|\b[A-Z][A-Z0-9_]{3,}\b/g
const MOST_TOPICS = 12
const LONGEST_NAME = 60
const LONGEST_PHRASE = 48

/** Units that an extract does not contain: best first, and those that repeat others. */
type LeftOut = { readonly own: readonly Unit[]; readonly repeated: readonly Unit[] }

/**
 * Finds what an extract leaves out and a reader may want: names in the dropped units, best units first, then names that
 * earlier extracts offered, then the beginnings of the best dropped units (in scripts without recognisable names).
 */
function findTopics({ own, repeated }: LeftOut, earlier: readonly string[], body: string): string[] {
  const topics = new Set<string>()
  for (const unit of [...own.slice(0, 60), ...repeated.slice(0, 20)]) {
    for (const [name] of unit.text.matchAll(NAME)) {
      if (name.length <= LONGEST_NAME && !body.includes(name) && !isPartOfOne(name, topics)) topics.add(name)
      if (topics.size >= MOST_TOPICS) return [...topics]
    }
  }
  for (const topic of earlier) {
    if (topics.size >= MOST_TOPICS) break
    if (topic !== '' && !body.includes(topic)) topics.add(topic)
  }
  for (const unit of own) {
    if (topics.size >= 3) break
    const phrase = cutLine(unit.text.replaceAll(',', ' '), LONGEST_PHRASE)
    if (!body.includes(unit.text)) topics.add(phrase)
  }
  // Nothing was dropped, so what remains to expand is the wording around the names.
  return topics.size > 0 ? [...topics] : namesIn(body)
}

function namesIn(body: string): string[] {
  const names = new Set(Array.from(body.slice(0, 4_000).matchAll(NAME), ([name]) => name))
  const [firstLine = ''] = body.split('\n')
  const phrase = cutLine(firstLine.replace(/^.*?Z [^:]*: /, '').replaceAll(',', ' '), LONGEST_PHRASE)
  return names.size > 0 ? [...names].slice(0, 3) : [phrase]
}

const isPartOfOne = (name: string, topics: ReadonlySet<string>): boolean =>
  [...topics].some((topic) => topic.includes(name))
