import type { NamedProbe, ProbedQuestion, ProbeState, QuestionKind } from '#core/contract/probe.ts'
import { depthLabel } from '#renderer/ui/nodes/depth-color.ts'
import { plural } from '#renderer/ui/texts/format.ts'

/** The sign of each state: the fuller the circle, the nearer the answer. Colour is never the only one. */
export const PROBE_SIGNS: Readonly<Record<ProbeState, string>> = {
  in_window: '●',
  by_search: '◕',
  by_expanding: '◔',
  changed: '≠',
  dropped: '⊘',
}

export const STATE_WORDS: Readonly<Record<ProbeState, string>> = {
  in_window: 'in the window',
  by_search: 'by search',
  by_expanding: 'by expanding',
  changed: 'changed',
  dropped: 'lost',
}

export const STATE_HINTS: Readonly<Record<ProbeState, string>> = {
  in_window: 'The answer stands in what the model sees',
  by_search: 'A search in the words of the question finds it',
  by_expanding: 'No search finds it, but a summary of the window leads to it when it is expanded',
  changed: 'The window says something else in its place, so nobody would look for it',
  dropped: 'Nothing in the window stands for it, and no search finds it',
}

export const KIND_WORDS: Readonly<Record<QuestionKind, string>> = {
  decision: 'decision',
  constraint: 'rule',
  number: 'number',
  path: 'path',
  negation: 'denial',
  id: 'id',
  name: 'name',
  error: 'error',
  quote: 'quote',
  words: 'words',
  correction: 'correction',
  given: 'your own',
}

/** What covers the evidence in the window, unless it is in the window itself. */
export function depthWords(depth: number | null): string {
  if (depth === null) return 'nothing'
  return depth < 0 ? 'window' : depthLabel(depth)
}

/** The name of a depth in the address. */
export function depthKey(depth: number | null): string {
  if (depth === null) return 'none'
  if (depth < 0) return 'window'
  return depth === 0 ? 'leaf' : `d${depth}`
}

/** How the answer is had, in one sentence. */
export function recoveryText({ state, steps, query, expand, instead }: ProbedQuestion): string {
  switch (state) {
    case 'in_window':
      return 'The model sees it.'
    case 'by_search':
      return `${plural(steps ?? 1, 'step')}: search “${query ?? ''}”${expand.length > 0 ? `, then expand ${plural(expand.length, 'summary', 'summaries')}` : ''}.`
    case 'by_expanding':
      return `${plural(steps ?? expand.length, 'step')}: expand ${expand.join(', then ')}. The search “${query ?? ''}” does not find it.`
    case 'changed':
      return instead === null ? 'The window says something else.' : `The window says: “${instead}”`
    case 'dropped':
      return query === null || query === ''
        ? 'Nothing leads to it.'
        : `Nothing leads to it. The search “${query}” does not find it.`
  }
}

/** Reports in the order in which their windows stood: moments by time, then now, then what was tried. */
export function inOrder(reports: readonly NamedProbe[]): readonly NamedProbe[] {
  const rank = ({ name, report }: NamedProbe): number =>
    name.startsWith('after a compaction') || name.startsWith('after one ')
      ? Number.POSITIVE_INFINITY
      : (report.atMs ?? Number.MAX_VALUE)
  return [...reports].sort((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)))
}
