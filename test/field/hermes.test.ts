import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GrepInput } from '#core/contract/retrieval.ts'
import { FIXTURES } from '../sqlite/fixtures.ts'
import { folderState } from '../sqlite/folder-state.ts'
import { windowOf, withLcm } from '../systems/hermes-files.ts'

const truthOf = (folder: string) => JSON.parse(readFileSync(join(FIXTURES, folder, 'small.truth.json'), 'utf8'))
describe('hermes-lcm and LCM-X', () => {
  let before: Record<string, string> = {}
  beforeAll(() => {
    before = folderState(join(FIXTURES, 'hermes-lcm'))
  })
  afterAll(() => {
    expect(folderState(join(FIXTURES, 'hermes-lcm'))).toEqual(before)
  })

  describe.each(['hermes-lcm', 'lcm-x'])('%s', (folder) => {
    const path = join(FIXTURES, folder, 'small.db')

    it('counts what the system itself counts', async () => {
      const truth = truthOf(folder)
      const edges = truth.edges_parent_to_source as [number, 'messages' | 'nodes', number][]
      await withLcm(path, ({ stats, info }) => {
        expect(info.systemVersion).toBe(`schema ${truth.schema_version}`)
        expect(stats.stats()).toMatchObject({
          system: 'hermes-lcm',
          conversations: truth.sessions.length,
          messages: truth.table_counts.messages,
          summaries: truth.table_counts.summary_nodes,
          summariesByDepth: truth.nodes_by_depth,
          edges: {
            summaryMessages: edges.filter(([, type]) => type === 'messages').length,
            summaryParents: edges.filter(([, type]) => type === 'nodes').length,
          },
        })
        const { roles, conversation } = stats.overview(1)
        expect(Object.fromEntries(roles.map(({ key, count }) => [key, count]))).toEqual(truth.messages_by_role)
        expect(conversation).toMatchObject({ sessionId: 'sess-small', storedTokens: truth.message_token_total })
      })
    })

    it('has the window that the system gave to the model', async () => {
      const truth = truthOf(folder)
      await withLcm(path, (lcm) => {
        const items = windowOf(lcm)
        // The system packs all summaries into one message.
        const summaries = (truth.final_context.summary_blob as string).split('\n\n---\n\n')
        const nodes = items.filter((id) => !id.startsWith('msg_'))
        expect(summaries.map((text) => /^\[.*node (\d+)\)\]/.exec(text)?.[1])).toEqual(nodes)
        expect(items.length - nodes.length + 1).toBe(truth.final_context.messages)
        expect(items.filter((id) => id.startsWith('msg_'))).toEqual(
          (truth.uncovered_message_ids as number[]).map((id) => `msg_${id}`),
        )
        expect(lcm.strata.get({ conversationId: 1, axis: 'messages' }).marks).toEqual([])
      })
    })

    it('finds at least what the search of the system finds', async () => {
      const hits = truthOf(folder).search_hits as Record<
        string,
        { all_sessions: { messages: number[]; nodes: number[] } }
      >
      await withLcm(path, async ({ retrieval }) => {
        for (const [query, { all_sessions: own }] of Object.entries(hits)) {
          const ask = (input: object) =>
            retrieval.grep(GrepInput.parse({ query, limit: 1000, exactTotal: true, ...input }))
          const ids = new Set((await ask({})).hits.map((hit) => hit.id))
          const missed = [...own.messages.map((id) => `msg_${id}`), ...own.nodes.map(String)].filter(
            (id) => !ids.has(id),
          )
          if (missed.length === 0) continue
          // Its search takes NOT for a word, cuts a query at hyphens and dots, and falls back to any of the pieces: so
          // does ours when it is asked for that.
          const any = new Set(
            (
              await ask({
                query: query
                  .toLowerCase()
                  .split(/[^\p{L}\p{N}]+/u)
                  .join(' '),
                match: 'any',
              })
            ).hits.map((hit) => hit.id),
          )
          expect({ query, missed: missed.filter((id) => !any.has(id)) }).toEqual({ query, missed: [] })
        }
      })
    })
  })
})
