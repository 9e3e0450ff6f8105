import { z } from 'zod'
import { Family, type FamilyMember, type RecordedUsage } from '#core/contract/family.ts'
import { ConversationsInput, ListedConversation } from '#core/contract/memory.ts'
import { plural } from '#core/text.ts'
import { defineQuestion } from '../command.ts'
import { interruptible } from '../interruptible.ts'
import { count, oneLine, table } from '../output/text.ts'

const { query, sort, reversed, limit } = ConversationsInput.shape

const ConversationFamilies = z.object({
  families: z.array(
    Family.extend({ members: z.array(Family.shape.members.element.extend({ row: ListedConversation.nullable() })) }),
  ),
  /** The number of conversations that were asked for. */
  found: z.int(),
})

/** The conversations of a memory as families, each counted once, with what their agents recorded. */
export const conversations = defineQuestion({
  name: 'conversations',
  example: 'conversations --db sample.db',
  fields: z.object({ query, sort, reversed, limit }),
  prints: ConversationFamilies,
  ask: async (lcm, input) => {
    await lcm.stats.measure()
    const { conversations: rows, found } = lcm.stats.page(ConversationsInput.parse({ ...input, families: true }))
    const families: z.output<typeof ConversationFamilies>['families'] = []
    const byId = new Map(rows.map((row) => [row.conversationId, row]))
    const seen = new Set<number>()
    for (const { conversationId } of rows) {
      if (seen.has(conversationId)) continue
      const family = await interruptible((signal) => lcm.families.of(conversationId, signal))
      for (const member of family.members) seen.add(member.conversationId)
      const members = family.members.map((one) => ({ ...one, row: byId.get(one.conversationId) ?? null }))
      families.push({ ...family, members })
    }
    return { families, found }
  },
  text: familiesText,
})

function familiesText({ families, found }: z.output<typeof ConversationFamilies>): string {
  const rows = families.flatMap((family) => [
    ...family.members.map((member) => [
      String(member.conversationId),
      member.messages,
      member.row?.summaries ?? '',
      ...usageCells(member.usage),
      nameOf(member),
    ]),
    ...(family.members.length > 1
      ? [['', family.messages, '', ...usageCells(family.usage), 'the family, counted once']]
      : []),
  ])
  const shown = families.reduce((sum, { members }) => sum + members.length, 0)
  return [
    table(['id', 'messages', 'summaries', 'input', 'from cache', 'output', 'cost', 'conversation'], rows),
    `${count(shown)} of ${plural(found, 'conversation')}. Input, cache, output and cost are what the agent recorded.`,
  ].join('\n')
}

const usageCells = ({ steps, inputTokens, cachedTokens, outputTokens, cost }: RecordedUsage) => [
  steps === 0 ? '' : inputTokens,
  cachedTokens ?? '',
  steps === 0 ? '' : outputTokens,
  cost === null ? '' : cost.toFixed(4),
]

function nameOf({ depth, relation, title, sessionId, copies }: FamilyMember): string {
  const name = oneLine(title ?? sessionId, 60)
  const marks = [relation, copies > 0 ? plural(copies, 'copy', 'copies') : null].filter((mark) => mark !== null)
  return `${'  '.repeat(depth)}${depth > 0 ? '↳ ' : ''}${name}${marks.length > 0 ? ` (${marks.join(', ')})` : ''}`
}
