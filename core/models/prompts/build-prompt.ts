import { isoMinute } from '#core/clock.ts'
import { extractTokens } from '../summarizers/deterministic.ts'
import type { SourceEntry, SummaryRequest } from '../summarizers/summarizer.ts'
import { TOPICS_LABEL } from '../summarizers/units.ts'
import { entryMark, type NewNonce, unusedNonce } from './nonce.ts'
import { FRAME, fill, type ModelLevel, type PromptTemplate } from './prompt-template.ts'

/** Exactly what is sent to the model. */
export type BuiltPrompt = {
  readonly promptVersion: string
  readonly source: string
  /** The random code of this call, which also marks the answer. */
  readonly nonce: string
  readonly system: string
  readonly prompt: string
}

/**
 * Writes the prompt. Text of the conversation stands only between tags that have the code of the call. The rest is the
 * same for every conversation.
 */
export function buildPrompt(
  template: PromptTemplate,
  request: Omit<SummaryRequest, 'level'>,
  level: ModelLevel,
  newNonce: NewNonce,
): BuiltPrompt {
  const nonce = unusedNonce(newNonce, textsOf(request))
  const mark = entryMark(nonce)
  const coded = (text: string): string => text.replaceAll('CODE', nonce).replaceAll('ENTRY', mark)
  const values = {
    sources: quote('record', nonce, request.entries.flatMap((entry) => writeEntry(entry, mark)).join('\n')),
    previous_summary:
      request.previousSummary === null
        ? ''
        : `${FRAME.earlier}\n${quote('earlier', nonce, request.previousSummary.toWellFormed())}\n`,
    style: template.styles[level],
    target_tokens: String(targetTokens(request, level)),
    depth: String(request.depth),
  }
  const closing = coded(FRAME.closing).replace('LABEL', TOPICS_LABEL.trim())
  return {
    promptVersion: template.version,
    source: template.source,
    nonce,
    system: coded(FRAME.system),
    prompt: `${fill(template.text, values).trim()}\n\n${closing}`,
  }
}

/** The aggressive level has half the target of the normal one. The target is at most half of the sources. */
function targetTokens(request: Pick<SummaryRequest, 'sourceTokens' | 'targetTokens'>, level: ModelLevel) {
  const target = level === 'normal' ? request.targetTokens : Math.ceil(request.targetTokens / 2)
  return extractTokens(request.sourceTokens, target)
}

const quote = (tag: string, nonce: string, text: string): string => `<${tag}-${nonce}>\n${text}\n</${tag}-${nonce}>`

/**
 * Writes speaker and time, then the text unchanged. Ids are left out, because a model must not say what a node stands
 * for.
 */
function writeEntry(entry: SourceEntry, mark: string): string[] {
  const time = entry.atMs === null ? null : isoMinute(entry.atMs)
  const at = time === null ? '' : `, ${time}Z`
  const speaker = entry.kind === 'summary' ? 'summary' : (entry.role ?? 'unknown')
  const who = entry.answer
    ? `result of ${oneLine(entry.answer.name)}${entry.answer.isError ? ' (failed)' : ''}`
    : speaker
  const text = entry.text.trim().toWellFormed()
  return [
    ...(text === '' ? [] : [`${mark} ${who}${at}\n${text}`]),
    ...entry.calls.map(({ name, input }) => `${mark} ${speaker} calls ${oneLine(name)}${at}\n${input.toWellFormed()}`),
  ]
}

/** The name of a tool comes from the conversation, too, and is put into a line of our own. */
const oneLine = (name: string): string =>
  name
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
    .slice(0, 80)
    .toWellFormed() || 'tool'

const textsOf = ({ entries, previousSummary }: Pick<SummaryRequest, 'entries' | 'previousSummary'>): string[] => [
  previousSummary ?? '',
  ...entries.flatMap(({ text, calls, answer }) => [
    text,
    answer?.name ?? '',
    ...calls.flatMap(({ name, input }) => [name, input]),
  ]),
]
