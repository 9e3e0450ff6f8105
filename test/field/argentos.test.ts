import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { GrepInput } from '#core/contract/retrieval.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { FIXTURES } from '../sqlite/fixtures.ts'
import { withLcm } from '../systems/every-service.ts'

const SMALL = join(FIXTURES, 'argentos/small.db')
const GATEWAY = join(FIXTURES, 'argentos/gateway.db')
const cacheDir = join(temporaryFolder(), 'cache')
const truthOf = (path: string) => JSON.parse(readFileSync(path.replace('.db', '.truth.json'), 'utf8'))

type Session = {
  messages: number
  total_tokens: number
  max_depth: number
  context_items: number
  context_tokens: number
  context_order: string
  queries: Record<string, { hits?: number; error?: string }>
}
const sessions = Object.entries<Session>(truthOf(SMALL).sessions)

describe('a file of ArgentOS', () => {
  it('has the counts of its own system', () =>
    withLcm(SMALL, cacheDir, (lcm) => {
      const { table_counts: tables, nodes_by_depth, edges } = truthOf(SMALL)
      const stats = lcm.stats.stats()
      expect(stats).toMatchObject({
        conversations: sessions.length,
        messages: tables.messages,
        summaries: tables.summaries,
        summariesByDepth: nodes_by_depth,
        edges: { summaryMessages: edges.summary_messages, summaryParents: edges.summary_sources },
        contextItems: tables.context_items,
        largeFiles: tables.large_files,
      })
      expect(stats.perConversation).toMatchObject(
        sessions.map(([sessionId, truth]) => ({
          sessionId,
          messages: truth.messages,
          storedTokens: truth.total_tokens,
          maxDepth: truth.max_depth,
          contextItems: truth.context_items,
          contextTokens: truth.context_tokens,
          internal: null,
        })),
      )
    }))

  it('has these counts in a polluted file too, and separates sessions of the summariser from conversations', () =>
    withLcm(GATEWAY, cacheDir, (lcm) => {
      const truth = truthOf(GATEWAY)
      const tables = truth.table_counts
      const stats = lcm.stats.stats()
      expect(stats).toMatchObject({
        conversations: truth.session_count,
        messages: tables.messages,
        summaries: tables.summaries,
        edges: { summaryMessages: tables.summary_messages, summaryParents: tables.summary_sources },
        contextItems: tables.context_items,
        largeFiles: tables.large_files,
      })
      const rows = stats.perConversation
      expect(rows.filter((row) => row.internal)).toHaveLength(truth.synthetic_sessions)
      expect(rows.find((row) => !row.internal)?.sessionId).toBe('agent:main:main')
      for (const { session_id, messages, tokens } of truth.sessions) {
        expect(rows.find((row) => row.sessionId === session_id)).toMatchObject({ messages, storedTokens: tokens })
      }
    }))

  it('finds at least what its own search finds', () =>
    withLcm(SMALL, cacheDir, async (lcm) => {
      for (const [index, [, { queries }]] of sessions.entries()) {
        for (const [asked, { hits, error }] of Object.entries(queries)) {
          // It drops operators and looks for any of the words that are left; on an open quote it fails.
          const words: readonly string[] =
            asked
              .replace(/^EDGE /, '')
              .replaceAll(/[(){}[\]^~*:"]/g, ' ')
              .match(/\S+/g) ?? []
          const isOdd = asked.startsWith('EDGE ')
          const query = isOdd ? words.map((word) => `"${word}"`).join(' OR ') : asked
          const { total } = await lcm.retrieval.grep(
            GrepInput.parse({ query, scope: 'messages', conversationIds: [index + 1], limit: 1000 }),
          )
          if (error === undefined) expect([asked, total >= (hits ?? 0)]).toEqual([asked, true])
        }
      }
    }))
})
