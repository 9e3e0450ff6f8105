import { rewritingFailed } from '#core/systems/rewriting.ts'
import type { Rule } from '#core/systems/rule.ts'
import { failureOf } from './markers.ts'

/** A line that is a heading: a Markdown heading, bold words alone, or words that end with a colon. */
const HEADING = /^(?:#{1,6}\s.*|\*\*[^*]+\*\*:?|[-*\s]*[^.!?:]{1,60}:)\s*$/
/** What models write under a heading when they have nothing to say. */
const NOTHING =
  /^[-*\s]*(?:[([]?(?:none|n\/?a|nothing|unknown|empty|tbd|to be determined|not (?:applicable|available|specified|mentioned))\b[^\n]{0,20}|[….—–_-]+)?\s*$/i
const LEAST_HEADINGS = 2
const LEAST_LETTERS = 12
/** A longer text has more than headings, so it is not split into lines. */
const LONGEST_SKELETON = 4_000

/** Whether a text has headings and next to nothing under them. */
function isSkeleton(text: string): boolean {
  if (text.length > LONGEST_SKELETON) return false
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const said = lines.filter((line) => !HEADING.test(line) && !NOTHING.test(line)).join(' ')
  const headings = lines.filter((line) => HEADING.test(line)).length
  return headings >= LEAST_HEADINGS && (said.match(/[\p{L}\p{N}]/gu)?.length ?? 0) < LEAST_LETTERS
}

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
    id: 'skeletal_summary',
    group: 'content',
    severity: 'warning',
    phase: 'text',
    invariant: 'A summary says something under its headings.',
    explanation:
      'The summariser wrote the headings that its prompt asks for and nothing under them: the model is told hardly anything of this history.',
    fixes: [rewritingFailed('skeletal_summary', 'it is headings without text')],
    consequenceOf: ['fallback_summary', 'truncated_summary'],
    summaryTexts:
      () =>
      ({ content, kind }) =>
        isSkeleton(content ?? '') ? `${kind} of headings without text` : null,
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
