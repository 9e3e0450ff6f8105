import { termsOf } from '../terms.ts'
import { TROUBLE, type Unit } from './units.ts'

export type ScoredUnit = {
  readonly unit: Unit
  readonly order: number
  readonly score: number
  /** The distinct terms as numbers. */
  readonly terms: Int32Array
}

/**
 * Matches words of judging and concluding. Like `TROUBLE` they raise the score where they occur. Scripts without such
 * words are ranked without them.
 */
const CONCLUSION =
  /decid|chose|instead|because|therefore|must\b|never\b|root cause|fixed|turns out|conclu|important|so that|决定|因为|必须|原因|结论|所以|決定|結論|必要|решил|потому|поэтому|entschied|weil|deshalb|결정|이유/i

const PATH = /[/\\][\w@.-]+[/\\.][\w.-]+|\b[\w-]+\.(?:[a-z]{1,4}|[a-z]+\d)\b/
const IDENTIFIER = /\w+\(\)|`[^`]+`|[a-z0-9][A-Z]\w|\w_\w|https?:|--?[a-z]/

/**
 * Scores units without knowing their language. Terms that recur in some units but not in most carry the topic. A unit
 * is worth more when it names paths, identifiers, numbers, errors and decisions, and when it is a question or a
 * conclusion.
 */
export function scoreUnits(units: readonly Unit[]): { scored: ScoredUnit[]; termWeights: Float64Array } {
  const terms = new TermNumbers()
  const termsByUnit = units.map((unit) => terms.distinct(unit.text))
  const termWeights = Float64Array.from(
    terms.frequency,
    (count) => Math.log2(1 + count) * Math.log(1 + units.length / Math.max(1, count)),
  )
  const seen = new Set<string>()
  const scored: ScoredUnit[] = []
  units.forEach((unit, order) => {
    // The same line with other numbers is a repetition: progress bars, log lines, stack frames.
    const template = (/\d/.test(unit.text) ? unit.text.replace(/\d+/g, '0') : unit.text).toLowerCase()
    if (seen.has(template)) return
    seen.add(template)
    const terms = termsByUnit[order] ?? new Int32Array(0)
    let weight = 0
    for (const term of terms) weight += termWeights[term] ?? 0
    const topic = weight / (terms.length + 6) ** 0.6
    scored.push({ unit, order, terms, score: topic * standing(unit, units[order + 1]) * substance(unit) })
  })
  return { scored, termWeights }
}

/** Gives each term a number, and counts the texts that hold it. */
class TermNumbers {
  readonly #numbers = new Map<string, number>()
  /** The last text that held a term, by the term's number. */
  readonly #lastText: number[] = []
  #texts = 0
  /** How many texts hold a term, by the term's number. */
  readonly frequency: number[] = []

  /** The terms of the next text, each once. */
  distinct(text: string): Int32Array {
    this.#texts += 1
    const distinct: number[] = []
    for (const term of termsOf(text)) {
      if (term.length < 2) continue
      let number = this.#numbers.get(term)
      if (number === undefined) {
        number = this.frequency.length
        this.#numbers.set(term, number)
        this.frequency.push(0)
        this.#lastText.push(0)
      }
      if (this.#lastText[number] === this.#texts) continue
      this.#lastText[number] = this.#texts
      distinct.push(number)
      this.frequency[number] = (this.frequency[number] ?? 0) + 1
    }
    return Int32Array.from(distinct)
  }
}

/** Scores a unit by its speaker and place: questions, results and failures. */
function standing(unit: Unit, next: Unit | undefined): number {
  switch (unit.role) {
    case 'ask':
      return unit.isFirst ? 3 : 1.6
    case 'say':
      // The last words before the user speaks again are the outcome.
      if (unit.isLast || next === undefined || next.role === 'ask') return 1.8
      return unit.isFirst ? 1.4 : 1
    case 'error':
      return unit.isFirst ? 1.8 : 1
    case 'call':
      return 0.8
    case 'result':
      return 0.4
  }
}

/** Scores a unit by its content. */
function substance({ text, role }: Unit): number {
  let [letters, digits, symbols] = [0, 0, 0]
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if ((unit | 32) >= 97 && (unit | 32) <= 122) letters += 1
    else if (unit >= 48 && unit <= 57) digits += 1
    else if (unit > 127) letters += 1
    else if (unit !== 32) symbols += 1
  }
  let factor = 1
  // In a successful result the word is mostly code or a mention of errors.
  if (TROUBLE.test(text)) factor *= role === 'result' ? 1.2 : 1.7
  if (CONCLUSION.test(text)) factor *= 1.4
  if (PATH.test(text)) factor *= 1.25
  if (IDENTIFIER.test(text)) factor *= 1.15
  if (digits > 0 && digits < letters) factor *= 1.1
  if (text.includes('?') || text.includes('？') || text.includes('؟')) factor *= 1.15
  // The line consists of brackets, rulers or encoded data.
  if (symbols + digits > letters) factor *= 0.3
  if (text.length > 100 && !text.includes(' ') && letters + digits === text.length - symbols && symbols < 3)
    factor *= 0.1
  return factor
}
