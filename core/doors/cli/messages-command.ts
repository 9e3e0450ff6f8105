import { isoMinute } from '#core/clock.ts'
import { TranscriptPage, TranscriptPageInput } from '#core/contract/message.ts'
import { plural } from '#core/text.ts'
import { defineCommand, narrowed } from './command.ts'
import { chooseOrNewest, withMemory } from './session.ts'
import { count, oneLine, table } from './text.ts'

const { offset, limit, contentChars } = TranscriptPageInput.shape

export const messages = defineCommand({
  name: 'messages',
  example: 'messages --db sample.db --conversation 1 --offset 20 --limit 10',
  memory: 'reads',
  fields: TranscriptPageInput.extend({
    conversationId: narrowed.conversationId,
    offset: offset.default(0),
    limit: limit.default(50),
    contentChars,
  }),
  prints: TranscriptPage,
  run: ({ conversationId, ...asked }, given) =>
    withMemory(
      given,
      async (lcm) => {
        const chosen = chooseOrNewest(lcm, conversationId)
        await lcm.reader.prepare(chosen)
        const page = lcm.transcript.page({ ...asked, conversationId: chosen })
        return { json: page, text: () => pageText(page) }
      },
      { readOnly: true },
    ),
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
