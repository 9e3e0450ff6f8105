import { z } from 'zod'
import type { ListedConversation } from '#core/contract/memory.ts'
import { sizeText } from '#core/text.ts'
import { defineQuestion, narrowed } from '../command.ts'
import { count, percent } from '../output/text.ts'

export const statusline = defineQuestion({
  name: 'statusline',
  example: 'statusline --db sample.db',
  fields: z.object(narrowed),
  ask: async ({ stats, info, read }, { conversationId }) => {
    const { measureFile } = await import('#core/sqlite/memory-file.ts')
    const { newestFirst } = await import('#core/browse/conversation-order.ts')
    const { noSuchConversation } = await import('#core/systems/records/conversations.ts')
    const all = stats.listed()
    const rows = all.filter((row) => conversationId === undefined || row.conversationId === conversationId)
    if (conversationId !== undefined && rows.length === 0) throw noSuchConversation(read, conversationId)
    return statusOf(rows.toSorted(newestFirst), measureFile(info.path).bytes)
  },
  json: (status) => ({ ...status, line: lineOf(status) }),
  text: lineOf,
})

type Status = {
  readonly conversations: number
  readonly messages: number
  readonly summaries: number
  /** −1 when there is no summary. */
  readonly maxDepth: number
  readonly bytes: number
  /** How full the window of the conversation is that changed last. Null while that would take reading every text. */
  readonly pressure: number | null
}

function statusOf(rows: readonly ListedConversation[], sizeBytes: number): Status {
  const sum = (figure: 'messages' | 'summaries'): number => rows.reduce((total, row) => total + row[figure], 0)
  return {
    conversations: rows.length,
    messages: sum('messages'),
    summaries: sum('summaries'),
    maxDepth: rows.reduce((most, row) => Math.max(most, row.maxDepth), -1),
    bytes: sizeBytes,
    pressure: rows[0]?.pressure ?? null,
  }
}

/** The same line as the status line of the window. */
function lineOf({ messages, summaries, maxDepth, bytes: sizeBytes, pressure }: Status): string {
  const depth = maxDepth > 0 ? ` (depth ${maxDepth})` : ''
  const window = pressure === null ? '' : ` · ${fullness(pressure)} of window`
  return [
    `LCM: ${count(messages)} ${messages === 1 ? 'msg' : 'msgs'}`,
    `${count(summaries)} ${summaries === 1 ? 'summary' : 'summaries'}${depth}`,
    `${sizeText(sizeBytes)}${window}`,
  ].join(' | ')
}

/** Rounds down, so that 100 % is said of a full window only. */
const fullness = (pressure: number): string =>
  pressure < 0.01 || pressure >= 1 ? percent(pressure) : `${Math.floor(pressure * 100)} %`
