import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { GrepInput } from '#core/contract/retrieval.ts'
import { type Lcm, openLcm } from '#core/lcm.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { FIXTURES } from '../sqlite/fixtures.ts'

const SMALL = 'lossless-claude/small.sqlite'
const cacheDir = join(temporaryFolder(), 'cache')

async function withLcm<T>(path: string, body: (lcm: Lcm) => T | Promise<T>): Promise<T> {
  using lcm = await openLcm(path, { cacheDir })
  return await body(lcm)
}

describe('lossless-claude', () => {
  const path = join(FIXTURES, SMALL)
  const truth = JSON.parse(readFileSync(join(FIXTURES, 'lossless-claude/small.truth.json'), 'utf8'))

  it('counts what the system itself counts', async () => {
    await withLcm(path, ({ stats }) => {
      const counts = truth.tableCounts
      expect(stats.stats()).toMatchObject({
        system: 'lossless-claude',
        conversations: counts.conversations,
        messages: counts.messages,
        messageParts: counts.message_parts,
        summaries: counts.summaries,
        summariesByDepth: { '0': 8, '1': 2, '2': 1 },
        edges: { summaryMessages: counts.summary_messages, summaryParents: counts.summary_parents },
        contextItems: counts.context_items,
        largeFiles: counts.large_files,
        bytes: truth.dbBytes,
      })
      const { roles, conversation } = stats.overview(1)
      expect(Object.fromEntries(roles.map(({ key, count }) => [key, count]))).toEqual(truth.messagesByRole)
      expect(conversation.contextTokens).toBe(truth.contextTokens['cc-small'])
    })
  })

  it('has a history of its compactions, exact to the token', async () => {
    await withLcm(path, ({ timeTravel, compactions }) => {
      const timeline = timeTravel.timeline(1)
      expect(timeline.isExact).toBe(true)
      const parts = truth.compactionParts as { createdSummaryId: string; pass: string; tokensAfter: number }[]
      expect(timeline.events.map(({ summaryId, pass }) => [summaryId, pass])).toEqual(
        parts.map((part) => [part.createdSummaryId, part.pass]),
      )
      timeline.events.forEach(({ eventId }, index) => {
        const window = timeTravel.contextAt({ conversationId: 1, budgetTokens: 1_000_000, moment: { eventId } })
        expect([window.reconstructed, window.activeTokens]).toEqual([false, parts[index]?.tokensAfter])
      })
      const log = truth.compactionLog as { tokensBefore: number; tokensAfter: number }[]
      const runs = compactions.runs({ conversationId: 1, created: 'listed' })
      expect(runs.map(({ tokensBefore, tokensAfter }) => [tokensBefore, tokensAfter])).toEqual(
        log.map((run) => [run.tokensBefore, run.tokensAfter]).reverse(),
      )
    })
  })

  it('finds at least what the search of the system finds', async () => {
    const hits = truth.searchHits as Record<string, { messages: number[]; summaries: string[] }>
    await withLcm(path, async ({ retrieval }) => {
      for (const [query, own] of Object.entries(hits)) {
        const ask = async (input: object): Promise<Set<string>> => {
          const found = await retrieval.grep(GrepInput.parse({ query, limit: 1000, exactTotal: true, ...input }))
          return new Set(found.hits.map((hit) => hit.id))
        }
        const pattern = /^regex:(.*)$/.exec(query)?.[1]
        const ids = await ask(pattern === undefined ? {} : { query: pattern, mode: 'regex' })
        const missed = [...own.messages.map((id) => `msg_${id}`), ...own.summaries].filter((id) => !ids.has(id))
        if (missed.length === 0) continue
        // Its index keeps the stems of English words: "running" finds "run". Ours finds words as they are written, and
        // the same when it is asked for their beginnings.
        const stems = query.replace(/([a-z]+?)(ning|ing|ed|es|s|e)?(?= |$)/g, '$1*')
        const begun = await ask({ query: stems })
        expect({ query, missed: missed.filter((id) => !begun.has(id)) }).toEqual({ query, missed: [] })
      }
    })
  })
})
