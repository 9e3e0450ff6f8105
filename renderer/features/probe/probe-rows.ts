import { PROBE_STATES } from '#core/contract/lists.ts'
import type { NamedProbe, ProbedQuestion, ProbeState } from '#core/contract/probe.ts'
import type { ProbeAddress, ProbeSort } from '#renderer/probe-address.ts'
import { depthKey } from './probe-wording.ts'

/** A question with its answers in the compared windows. */
export type ProbeRow = {
  /** Counted from 1, in the order in which the questions were asked. */
  readonly number: number
  /** The answer in the window that was asked for. */
  readonly asked: ProbedQuestion
  /** The state in each window, in the order in which the windows are shown. */
  readonly states: readonly ProbeState[]
  readonly isChanged: boolean
}

/**
 * @param asked the report of the window that was asked for
 * @param shown the reports in the order in which they are shown
 */
export function rowsOf(asked: NamedProbe, shown: readonly NamedProbe[]): readonly ProbeRow[] {
  return asked.report.questions.map((question, index) => {
    const states = shown.flatMap(({ report }) => report.questions[index]?.state ?? [])
    return { number: index + 1, asked: question, states, isChanged: new Set(states).size > 1 }
  })
}

type RowChoice = Pick<ProbeAddress, 'states' | 'kind' | 'depth' | 'isChangedOnly' | 'sort' | 'isDescending'>

/** Returns the rows that are shown, in their order. */
export function shownRows(rows: readonly ProbeRow[], shown: RowChoice): readonly ProbeRow[] {
  const kept = rows.filter(
    ({ asked, isChanged }) =>
      (shown.states.length === 0 || shown.states.includes(asked.state)) &&
      (shown.kind === null || asked.kind === shown.kind) &&
      (shown.depth === null || depthKey(asked.depth) === shown.depth) &&
      (!shown.isChangedOnly || isChanged),
  )
  const sign = shown.isDescending ? -1 : 1
  // Equal rows stay in the order in which they were asked.
  return kept.toSorted((a, b) => sign * compare(a, b, shown.sort) || a.number - b.number)
}

function compare(a: ProbeRow, b: ProbeRow, sort: ProbeSort): number {
  switch (sort) {
    case 'order':
      return a.number - b.number
    case 'state':
      return PROBE_STATES.indexOf(a.asked.state) - PROBE_STATES.indexOf(b.asked.state)
    case 'question':
      return a.asked.question.localeCompare(b.asked.question)
    case 'kind':
      return a.asked.kind.localeCompare(b.asked.kind)
    case 'answer':
      return answerOf(a.asked).localeCompare(answerOf(b.asked))
    case 'steps':
      return (a.asked.steps ?? Number.MAX_SAFE_INTEGER) - (b.asked.steps ?? Number.MAX_SAFE_INTEGER)
    case 'place':
      return placeOf(a.asked) - placeOf(b.asked)
  }
}

/** The words that answer a question, or the sentence that does. */
export const answerOf = ({ answer, evidence }: ProbedQuestion): string => answer ?? evidence?.text ?? ''

const placeOf = ({ evidence }: ProbedQuestion): number => evidence?.position ?? Number.MAX_SAFE_INTEGER
