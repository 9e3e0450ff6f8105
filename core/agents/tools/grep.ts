import { isoToMs } from '#core/clock.ts'
import { MOST_AGENT_TOKENS } from '#core/contract/lists.ts'
import { type GrepHit, GrepInput } from '#core/contract/retrieval.ts'
import { LcmError } from '#core/errors.ts'
import { fitting } from '../expand-query/granted-reader.ts'
import { MOST_IDS } from './describe.ts'
import type { Reading } from './reading.ts'
import type { ToolInput } from './tool-inputs.ts'

/** At most this many matches of a hit are returned. */
const MOST_MATCHES = 20

/** Returns a page of hits that fits into one answer. */
export async function grep(reading: Reading, input: ToolInput<'lcm_grep'>, signal: AbortSignal) {
  const { retrieval, estimator } = reading.services
  if (input.within !== undefined) reading.find(input.within)
  const { after, before, limit, full, ...asked } = input
  const permitted = reading.scope?.permitted() ?? null
  for (let wanted = limit; ; wanted = Math.max(1, Math.floor(wanted / 2))) {
    const query = GrepInput.parse({
      ...asked,
      limit: wanted,
      afterMs: timeOf('after', after),
      beforeMs: timeOf('before', before),
      conversationIds: reading.conversations(input.conversationIds),
    })
    const { hits, notes, ...facts } = reading.shown(await retrieval.grep(query, signal, permitted))
    const shown = hits.map(shortened)
    const answer = {
      ...facts,
      // A note about a search under a grant could reveal something of what must not be read.
      notes: permitted ? [] : notes,
      hits: full ? shown.map((hit) => withText(reading, hit, wanted)) : shown,
    }
    // A page that is too large is requested again as a smaller one, so that its cursor fits.
    const isSmall =
      estimator.count(JSON.stringify(answer)) <= MOST_AGENT_TOKENS && reading.costOf(answer) <= reading.cap
    if (wanted === 1 || isSmall) return answer
  }
}

/** Adds the whole text of a hit. Only the text of a hit that is alone on its page is cut. */
function withText({ services, cap }: Reading, hit: ReturnType<typeof shortened>, hits: number) {
  const { retrieval, estimator } = services
  const { content, contentChars } = retrieval.describe(hit.id, MOST_AGENT_TOKENS * 8)
  const room = Math.min(MOST_AGENT_TOKENS / 2, cap - estimator.count(hit.snippet))
  const shown = hits === 1 ? fitting(content, room, estimator) : content
  const isCut = shown.length < contentChars
  return { ...hit, content: shown, ...(isCut && { isCut, nextOffset: shown.length }) }
}

function timeOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const atMs = isoToMs(text)
  if (atMs === null)
    throw new LcmError('invalid_argument', `${name}: Expected a time such as 2026-02-13T09:30:00Z or 2026-02-13.`)
  return atMs
}

const shortened = ({ coveredBy, matches, ...hit }: GrepHit) => ({
  ...hit,
  matches: matches.slice(0, MOST_MATCHES),
  coveredBy: coveredBy.slice(0, MOST_IDS),
})
