import type { ProbedQuestion, ProbeReport, ProbeState, ProbeSum } from '#core/contract/probe.ts'

const FIELDS: Readonly<Record<ProbeState, Exclude<keyof ProbeSum, 'questions' | 'recall'>>> = {
  in_window: 'inWindow',
  by_search: 'bySearch',
  by_expanding: 'byExpanding',
  changed: 'changed',
  dropped: 'dropped',
}

/** Counts the states of some questions. */
function sumOf(questions: readonly ProbedQuestion[]): ProbeSum {
  const counts = { inWindow: 0, bySearch: 0, byExpanding: 0, changed: 0, dropped: 0 }
  for (const { state } of questions) counts[FIELDS[state]] += 1
  const known = counts.inWindow + counts.bySearch + counts.byExpanding
  return { questions: questions.length, ...counts, recall: questions.length === 0 ? 0 : known / questions.length }
}

/** Sums questions as a whole, by kind and by depth. */
export function sumsOf(
  questions: readonly ProbedQuestion[],
): Pick<ProbeReport, 'total' | 'byKind' | 'byDepth' | 'recall'> {
  const total = sumOf(questions)
  const byKind = [...Map.groupBy(questions, ({ kind }) => kind)].map(([kind, some]) => ({ kind, ...sumOf(some) }))
  const byDepth = [...Map.groupBy(questions, ({ depth }) => depth)]
    .map(([depth, some]) => ({ depth, ...sumOf(some) }))
    .sort((a, b) => (a.depth ?? Number.MAX_SAFE_INTEGER) - (b.depth ?? Number.MAX_SAFE_INTEGER))
  return { total, byKind, byDepth, recall: questions.length === 0 ? null : total.recall }
}
