import type { Expansion } from '#core/contract/retrieval.ts'
import { fitting } from '../expand-query/granted-reader.ts'
import type { Reading } from './reading.ts'
import type { ToolInput } from './tool-inputs.ts'

/** When less than this is left of the cap, no part of a text is added, because so little is not worth reading. */
const LEAST_PART_TOKENS = 100

/** Returns the sources of a summary, level by level, as far as they fit. */
export function expand(
  reading: Reading,
  { summaryId, depth, includeMessages, tokenCap, cursor }: ToolInput<'lcm_expand'>,
) {
  const { retrieval, estimator } = reading.services
  const { scope } = reading
  reading.find(summaryId)
  const cap = reading.capFor(tokenCap)
  const expansion = retrieval.expand(
    { summaryId, depth, includeMessages, tokenCap: cap, cursor },
    { countOf: (text) => estimator.count(text), ...(scope && { allows: (id) => scope.allows(id) }) },
  )
  return withFirstParts(reading, reading.shown(expansion), cap)
}

/**
 * Adds the beginnings of texts that are larger than the whole cap, as far as this answer has room for them. The rest of
 * each is read with lcm_describe from `nextOffset`.
 */
function withFirstParts({ services }: Reading, expansion: Expansion, cap: number) {
  const { retrieval, estimator } = services
  const { nodes, messages, tooLarge, ...facts } = expansion
  const parts = new Map<string, object>()
  let { tokens } = facts
  for (const id of tooLarge) {
    if (cap - tokens < Math.min(cap, LEAST_PART_TOKENS)) break
    const { kind, depth, seq, role, createdAtMs, ...described } = retrieval.describe(id, cap * 8)
    const content = fitting(described.content, cap - tokens, estimator)
    const partTokens = estimator.count(content)
    tokens += partTokens
    const place = kind === 'message' ? { seq, role, createdAtMs } : { kind, depth }
    const isCut = content.length < described.contentChars
    parts.set(id, { id, ...place, tokens: partTokens, content, isCut, nextOffset: isCut ? content.length : null })
  }
  const left = tooLarge.filter((id) => !parts.has(id))
  const isMessage = (part: object): boolean => 'role' in part
  const notes = [
    ...(parts.size > 0 ? ['Go on with a text that is cut by lcm_describe with its id and offset = nextOffset.'] : []),
    ...(left.length > 0 ? ['What stands in tooLarge is read with lcm_describe, piece by piece.'] : []),
  ]
  return {
    ...facts,
    tokens,
    nodes: [...nodes, ...[...parts.values()].filter((part) => !isMessage(part))],
    messages: [...messages, ...[...parts.values()].filter(isMessage)],
    tooLarge: left,
    ...(notes.length > 0 && { notes }),
  }
}
