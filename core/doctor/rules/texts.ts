import { rewritingFailed } from '#core/systems/rules/rewriting.ts'
import type { Rule } from '#core/systems/rules/rule.ts'

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

/** What a text says about how it was made, by marks that systems put at its beginning or end. */
type Failure = { readonly isFallback: boolean; readonly isCut: boolean; readonly detail: string }

/** Marks count only where systems put them, because a conversation about these systems may quote them anywhere. */
const TRUNCATED_WINDOW = 40
const FALLBACK_WINDOW = 80

const EMERGENCY_MODEL = /^emergency[-_ ]?fallback$|^(deterministic-)?fallback$/i
const TRUNCATED = /\[Truncated from [\d,]+ tokens\]\s*$/
const CAPPED = /\[Capped from [\d,]+ tokens to ~?[\d,]+\]\s*$/
const BARE_TRUNCATION = /\[Truncated for context management\]\s*$/
const FALLBACK = '[LCM fallback summary'
const DETERMINISTIC_CUT = '[...deterministic truncation — details available via lcm_expand...]'
const REASONING =
  /^(<think(ing)?>|\[thinking\]|\[\{"type":"(thinking|reasoning|redacted_thinking)"|\{"type":"(thinking|reasoning)")/i
const COPIED = /^(<summary id="|\[LCM Context — Compressed History\])/

/**
 * Tells from the text of a summary or the name of its model whether the summariser failed. Null when neither shows a
 * failure.
 */
function failureOf(text: string, model: string | null): Failure | null {
  const start = text.slice(0, 200).trimStart()
  const end = text.slice(-TRUNCATED_WINDOW * 2)
  if (TRUNCATED.test(end) && end.length - end.search(TRUNCATED) <= TRUNCATED_WINDOW) {
    return { isFallback: true, isCut: true, detail: 'its text was cut: it ends with "[Truncated from … tokens]"' }
  }
  const tail = text.slice(-FALLBACK_WINDOW)
  if (start.startsWith(FALLBACK) || tail.includes(FALLBACK)) {
    const isCut = (start.startsWith(FALLBACK) ? start : tail).includes('truncated')
    return { isFallback: true, isCut, detail: 'it says itself that it is a fallback summary' }
  }
  if (CAPPED.test(end)) return { isFallback: false, isCut: true, detail: 'it ends with "[Capped from … tokens …]"' }
  if (BARE_TRUNCATION.test(end)) return { isFallback: true, isCut: true, detail: 'it was truncated without a model' }
  const cut = text.indexOf(DETERMINISTIC_CUT)
  if (cut > 0 && cut + DETERMINISTIC_CUT.length < text.length && isOnItsOwnLine(text, cut)) {
    return { isFallback: true, isCut: true, detail: 'its middle was cut out without a model' }
  }
  if (REASONING.test(start)) {
    return { isFallback: true, isCut: false, detail: 'it is the reasoning of a model, not its summary' }
  }
  if (COPIED.test(start)) return { isFallback: true, isCut: false, detail: 'it is a copy of what a window shows' }
  if (model !== null && EMERGENCY_MODEL.test(model.trim())) {
    return { isFallback: true, isCut: false, detail: `no model made it: it is signed "${model.trim()}"` }
  }
  return null
}

/** Tells the mark of the system, which fills a line, from a text that quotes the mark within a line. */
function isOnItsOwnLine(text: string, at: number): boolean {
  return text[at - 1] === '\n' && text[at + DETERMINISTIC_CUT.length] === '\n'
}
