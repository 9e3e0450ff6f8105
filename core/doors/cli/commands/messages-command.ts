import { isoMinute } from '#core/clock.ts'
import { TranscriptPage, TranscriptPageInput } from '#core/contract/message.ts'
import { plural } from '#core/text.ts'
import { defineQuestion, narrowed } from '../command.ts'
import { count, oneLine, table } from '../output/text.ts'
import { chooseOrNewest } from '../session.ts'

const { offset, limit, contentChars } = TranscriptPageInput.shape

export const messages = defineQuestion({
  name: 'messages',
  example: 'messages --db sample.db --conversation 1 --offset 20 --limit 10',
  fields: TranscriptPageInput.extend({
    conversationId: narrowed.conversationId,
    offset: offset.default(0),
    limit: limit.default(50),
    contentChars,
  }),
  prints: TranscriptPage,
  ask: async (lcm, input) => {
    const conversationId = chooseOrNewest(lcm, input.conversationId)
    await lcm.reader.prepare(conversationId)
    return lcm.transcript.page({ ...input, conversationId })
  },
  text: pageText,
})

function pageText({ total, offset, messages }: TranscriptPage): string {
  const end = offset + messages.length
  return [
    table(
      ['id', 'seq', 'role', 'tokens', 'created', 'covered by', 'content'],
      messages.map((message) => [
        message.id,
        String(message.seq),
        message.role,
        message.tokens,
        message.createdAtMs === null ? '' : isoMinute(message.createdAtMs),
        message.coveredBy[0]?.id ?? '',
        oneLine(message.content, 80),
      ]),
    ),
    `${count(messages.length)} of ${plural(total, 'message')}${end < total ? `; go on with --offset ${end}` : ''}`,
  ].join('\n')
}
