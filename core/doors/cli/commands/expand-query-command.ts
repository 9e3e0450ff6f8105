import { ExpandQueryInput, ExpandQueryResult } from '#core/contract/expand-query.ts'
import { plural } from '#core/text.ts'
import { defineQuestion } from '../command.ts'
import { count, oneLine } from '../output/text.ts'
import { chooseConversation } from '../session.ts'

/** A question that is answered from the sources of summaries. Ctrl-C stops it. */
export const expandQuery = defineQuestion({
  name: 'expand-query',
  example: 'expand-query "Why was the retry limit raised?" --db sample.db',
  fields: ExpandQueryInput,
  positional: ['prompt'],
  prints: ExpandQueryResult,
  work: (lcm, input, signal) => {
    if (input.conversationId !== undefined) chooseConversation(lcm, input.conversationId)
    return lcm.expandQuery.ask(input, signal)
  },
  text: resultText,
})

function resultText(result: ExpandQueryResult): string {
  const { answer, citations, provider, model, fallback, notes, grant, droppedIds } = result
  const by = provider === null ? 'best passages' : `${provider} (${model})`
  return [
    answer === '' ? 'Nothing was found.' : answer,
    '',
    ...(provider === null
      ? []
      : citations.map(
          ({ id, seq, excerpt }) => `${id}${seq === null ? '' : ` · seq ${seq}`}  ${oneLine(excerpt, 160)}`,
        )),
    ...(fallback === null ? [] : [`no model answered: ${fallback}`]),
    ...(droppedIds.length > 0 ? [`taken out, since not read: ${droppedIds.join(', ')}`] : []),
    ...notes.map((note) => `note: ${note}`),
    `${by} · ${count(result.tokensUsed)} of ${plural(grant.tokenCap, 'token')} · ${plural(grant.calls, 'read')}${result.truncated ? ' · there was more' : ''}`,
  ].join('\n')
}
