import { rewritingFailed } from '#core/systems/rewriting.ts'
import type { Rule } from '#core/systems/rule.ts'
import { failureOf } from './markers.ts'

export const textRules = [
  {
    id: 'empty_summary',
    group: 'content',
    severity: 'error',
    phase: 'text',
    invariant: 'Every summary says something.',
    explanation: 'An empty summary stands for history in the window: the model is told nothing of it.',
    fixes: [rewritingFailed('empty_summary', 'it says nothing')],
    summaryTexts:
      () =>
      ({ content, kind }) =>
        content !== null && content.trim() === '' ? `${kind} without text` : null,
  },
  {
    id: 'fallback_summary',
    group: 'content',
    severity: 'warning',
    phase: 'text',
    invariant: 'A summary is what a model made of its sources.',
    explanation:
      'The summariser failed and something else was stored in its place: a cut-off text, raw reasoning or a copy. What the model is told of this history is not a summary of it.',
    fixes: [rewritingFailed('fallback_summary', 'a failed summarisation stands in its place')],
    summaryTexts:
      () =>
      ({ content, model }) => {
        const failure = failureOf(content ?? '', model)
        return failure?.isFallback ? failure.detail : null
      },
  },
  {
    id: 'truncated_summary',
    group: 'content',
    severity: 'warning',
    phase: 'text',
    invariant: 'A summary is not cut off.',
    explanation: 'The text was cut to a length: whatever came after, or in the middle, is not told.',
    fixes: [rewritingFailed('truncated_summary', 'its text was cut off')],
    consequenceOf: ['fallback_summary'],
    summaryTexts:
      () =>
      ({ content, model }) => {
        const failure = failureOf(content ?? '', model)
        return failure?.isCut ? failure.detail : null
      },
  },
] as const satisfies readonly Rule[]
