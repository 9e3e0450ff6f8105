import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { GrepInput } from '../../core/contract/retrieval.ts'
import { openMemory } from '../../core/db/open-memory.ts'
import { type Lcm, openLcm } from '../../core/lcm.ts'
import { copyMemory } from '../../core/working-copy/copy-memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { copyOf, FIXTURES } from '../db/fixtures.ts'
import { finish } from '../dialects/every-question.ts'

const SMALL = 'lossless-claude/small.sqlite'
const cacheDir = join(temporaryFolder(), 'cache')

async function withLcm<T>(path: string, body: (lcm: Lcm) => T | Promise<T>): Promise<T> {
  const lcm = openLcm(path, { cacheDir })
  try {
    return await body(lcm)
  } finally {
    lcm.close()
  }
}

function changed(sql: string): string {
  const path = copyOf(SMALL)
  const db = new Database(path)
  db.pragma('foreign_keys = OFF')
  db.exec(sql)
  db.close()
  return path
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

  it('shows compactions as events and not as messages that nothing covers', async () => {
    await withLcm(path, ({ strata, transcript, read }) => {
      const events = (truth.strayMessages as { message_id: number }[]).map(({ message_id: id }) => id)
      expect(read.column('SELECT message_id FROM event_messages ORDER BY 1')).toEqual(events)
      const drawn = strata.get({ conversationId: 1, axis: 'messages' })
      expect(drawn.marks).toEqual([])
      // 8 are never compacted: the newest 8 messages that are not events.
      expect(drawn.totalMessages - drawn.freshTailX).toBeGreaterThanOrEqual(8)
      const { messages } = transcript.page({ conversationId: 1, offset: 0, limit: 100, contentChars: 20 })
      expect(messages.flatMap((message) => (message.isEvent ? [message.id] : []))).toEqual(
        events.map((id) => `msg_${id}`),
      )
    })
  })

  it('has a history of compactions from them, exact to the token', async () => {
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
      expect(compactions.runs(1).map(({ tokensBefore, tokensAfter }) => [tokensBefore, tokensAfter])).toEqual(
        log.map((run) => [run.tokensBefore, run.tokensAfter]).reverse(),
      )
    })
  })

  it('keeps an event whose record is broken or names nothing apart from the others', async () => {
    const broken = changed(
      `UPDATE message_parts SET metadata = '{"pass":' WHERE message_id = 61;
       UPDATE message_parts SET metadata = '[1]' WHERE message_id = 62;
       UPDATE message_parts SET metadata = NULL WHERE message_id = 63;
       UPDATE message_parts SET metadata = '{"createdSummaryIds":"sum_x","createdSummaryId":"sum_gone"}' WHERE message_id = 64`,
    )
    await withLcm(broken, ({ timeTravel, read, strata }) => {
      const timeline = timeTravel.timeline(1)
      expect(timeline.isExact).toBe(false)
      expect(timeline.events).toHaveLength(8)
      expect(timeline.events[0]).toMatchObject({ summaryId: 'sum_gone', tokens: 0 })
      expect(read.value('SELECT count(*) FROM event_messages')).toBe(11)
      expect(strata.get({ conversationId: 1, axis: 'messages' }).marks).toEqual([])
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

  it('copies conversations of one session as conversations of their own', async () => {
    const twice = changed(
      `INSERT INTO conversations (session_id, title) VALUES ('cc-small', 'again');
       INSERT INTO messages (conversation_id, seq, role, content, token_count) VALUES (2, 0, 'user', 'hello', 2)`,
    )
    const to = join(temporaryFolder(), 'copy.db')
    const from = openMemory(twice, { cacheDir })
    await finish(copyMemory({ from, to }, new AbortController().signal))
    from.close()
    await withLcm(to, ({ stats }) =>
      expect(stats.conversations().map(({ sessionId, title }) => [sessionId, title])).toEqual([
        ['cc-small', 'Session cc-small'],
        ['cc-small', 'again'],
      ]),
    )
  })
})
