import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { GrepInput } from '#core/contract/retrieval.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { FIXTURES } from '../sqlite/fixtures.ts'
import { withLcm } from '../systems/every-service.ts'

const SMALL = join(FIXTURES, 'pi-lcm/small.db')
const cacheDir = join(temporaryFolder(), 'cache')

type Asked = { hits_limit100: number; first_seqs: number[]; first_ids: string[] }
type Session = {
  conversation_id: string
  stats: { messages: number; summaries: number; maxDepth: number }
  uncompacted: number
  text_queries: Record<string, Asked>
  summary_queries: Record<string, number>
  regex_queries: Record<string, Asked>
}
const truth = JSON.parse(readFileSync(SMALL.replace('.db', '.truth.json'), 'utf8'))
const sessions = Object.entries<Session>(truth.conversations)

describe('a file of pi-lcm', () => {
  it('has the counts of its own system', () =>
    withLcm(SMALL, cacheDir, (lcm) => {
      const { table_counts: tables, nodes_by_depth, edges, bytes } = truth
      const stats = lcm.stats.stats()
      expect(stats).toMatchObject({
        conversations: tables.conversations,
        messages: tables.messages,
        summaries: tables.summaries,
        summariesByDepth: nodes_by_depth,
        edges: { summaryMessages: edges.message, summaryParents: edges.summary },
        bytes,
      })
      expect(stats.perConversation).toMatchObject(
        sessions.map(([sessionId, { stats: own }]) => ({
          sessionId,
          messages: own.messages,
          summaries: own.summaries,
          maxDepth: own.summaries === 0 ? -1 : own.maxDepth,
        })),
      )
      const roles = lcm.read.all<{ role: string; n: number }>('SELECT role, count(*) AS n FROM messages GROUP BY role')
      expect(Object.fromEntries(roles.map(({ role, n }) => [role, n]))).toEqual({
        user: truth.roles.user,
        assistant: truth.roles.assistant,
        tool: truth.roles.toolResult + truth.roles.bashExecution,
      })
    }))

  it('finds at least what its own search finds', () =>
    withLcm(SMALL, cacheDir, async (lcm) => {
      const find = async (
        query: string,
        scope: 'messages' | 'summaries',
        conversation: number,
        mode: 'full_text' | 'regex' = 'full_text',
      ) =>
        await lcm.retrieval.grep(GrepInput.parse({ query, mode, scope, conversationIds: [conversation], limit: 1000 }))
      for (const [index, [, session]] of sessions.entries()) {
        for (const [query, { hits_limit100, first_seqs }] of Object.entries(session.text_queries)) {
          const { total, hits } = await find(query, 'messages', index + 1)
          expect([query, total >= hits_limit100]).toEqual([query, true])
          const seqs = hits.map((hit) => hit.seq)
          expect(seqs).toEqual(expect.arrayContaining(first_seqs))
        }
        for (const [query, count] of Object.entries(session.summary_queries)) {
          expect([query, (await find(query, 'summaries', index + 1)).total >= count]).toEqual([query, true])
        }
        for (const [query, { hits_limit100, first_seqs }] of Object.entries(session.regex_queries)) {
          const { total, hits } = await find(query, 'messages', index + 1, 'regex')
          expect([query, total]).toEqual([query, hits_limit100])
          expect(hits.map((hit) => hit.seq)).toEqual(expect.arrayContaining(first_seqs))
        }
      }
      // What only the original holds is found too: its own search never sees reasoning.
      expect((await find('SECRETTHOUGHT', 'messages', 1)).total).toBe(29)
      expect(sessions[0]?.[1].text_queries.SECRETTHOUGHT?.hits_limit100).toBe(0)
    }))
})
