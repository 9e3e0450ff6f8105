import { createHash } from 'node:crypto'
import { appendFileSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { GrepInput } from '../../core/contract/retrieval.ts'
import { copyMemory } from '../../core/working-copy/copy-memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { FIXTURES } from '../db/fixtures.ts'
import { folderState } from '../db/folder-state.ts'
import { askEveryService, checkIntegrity, withLcm } from '../dialects/every-service.ts'
import { changedCopy, copyInto, following, WITHOUT_CONSTRAINTS } from '../dialects/foreign-files.ts'

const FOLDER = join(FIXTURES, 'decapod/small')
const SMALL = join(FOLDER, 'lcm.db')
const LEDGER = 'lcm.events.jsonl'
const cacheDir = join(temporaryFolder(), 'cache')
const truth = JSON.parse(readFileSync(join(FIXTURES, 'decapod/small.truth.json'), 'utf8'))

type LedgerEvent = {
  actor: string
  content: string
  content_hash: string
  event_id: string
  kind: string
  metadata: { session_id?: string; source?: string }
  ts: string
}
const lines = readFileSync(join(FOLDER, LEDGER), 'utf8').trimEnd().split('\n')
const events = lines.map((line) => JSON.parse(line) as LedgerEvent)

/** A copy with its ledger, or what is left of it. */
function copyWithLedger(ledger: string | null = lines.map((line) => `${line}\n`).join(''), sql = ''): string {
  const path = changedCopy(SMALL, (db) => db.exec(`${WITHOUT_CONSTRAINTS}; ${sql}`))
  if (ledger !== null) writeFileSync(join(dirname(path), LEDGER), ledger)
  return path
}

const hashOf = (content: string): string => createHash('sha256').update(content, 'utf8').digest('hex')

/** A line as the system writes it. */
const line = (content: string, more: Partial<LedgerEvent> = {}): string =>
  `${JSON.stringify({ actor: 'agent', content, content_hash: hashOf(content), event_id: `01${hashOf(content).slice(0, 24)}`, kind: 'message', metadata: {}, ts: '1772450000Z', ...more })}\n`

describe('a file of decapod', () => {
  it('is known by its structure, and says what it lacks', () =>
    withLcm(SMALL, cacheDir, ({ info }) => {
      expect(info).toMatchObject({ system: 'decapod', systemLabel: 'decapod', systemVersion: null })
      expect(info.capabilities).toMatchObject({ storedWindow: false, freeSummaries: true })
      expect(info.lacks?.[0]).toBe(
        `The ledger holds ${truth.ledger_lines} events; a content that was recorded again is one message, and the index lists ${truth.table_counts.originals_index}.`,
      )
    }))

  it('has the counts that its own system gives', () =>
    withLcm(SMALL, cacheDir, (lcm) => {
      const stats = lcm.stats.stats()
      expect(stats).toMatchObject({
        conversations: truth.sessions.length,
        messages: truth.table_counts.originals_index,
        summaries: truth.table_counts.summaries,
        summariesByDepth: truth.nodes_by_depth,
        // A content that stands twice in a summary is one source of it.
        edges: { summaryMessages: truth.edges_distinct, summaryParents: 0 },
        bytes: truth.bytes.db,
      })
      expect(stats.perConversation.map(({ sessionId, messages }) => ({ session_id: sessionId, c: messages }))).toEqual(
        truth.sessions,
      )
      const summaries = lcm.read.all('SELECT summary_id AS hash, token_count AS token_estimate FROM summaries')
      expect(summaries).toEqual(
        truth.summaries.map(({ hash, token_estimate }: Record<string, unknown>) => ({ hash, token_estimate })),
      )
    }))

  it('has every text of the ledger, under its hash, in its order', () =>
    withLcm(SMALL, cacheDir, (lcm) => {
      const rows = lcm.read.all<{ id: number; content: string; hash: string; eventId: string; atMs: number }>(
        `SELECT message_id AS id, content, content_hash AS hash, external_id AS eventId, created_at AS atMs
         FROM messages ORDER BY seq`,
      )
      const first = events.filter(
        (event, index) => events.findIndex((other) => other.content_hash === event.content_hash) === index,
      )
      expect(rows).toEqual(
        first.map((event) => ({
          id: events.indexOf(event) + 1,
          content: event.content,
          hash: hashOf(event.content),
          eventId: event.event_id,
          atMs: Number.parseInt(event.ts, 10) * 1000,
        })),
      )
    }))

  it('says who spoke: people, agents, tools, and what merely happened', () =>
    withLcm(SMALL, cacheDir, (lcm) => {
      const roleOf = ({ kind, actor }: LedgerEvent): string =>
        kind === 'tool_result' ? 'tool' : kind === 'event' ? 'system' : actor === 'human' ? 'user' : 'assistant'
      for (const [index, event] of events.entries()) {
        const row = lcm.read.value<string>('SELECT role FROM messages WHERE message_id = :id', { id: index + 1 })
        if (row !== undefined) expect([index, row]).toEqual([index, roleOf(event)])
      }
      const [part] = lcm.transcript.message('msg_3').parts
      expect(part).toMatchObject({ type: 'tool', toolName: 'edit', toolOutput: events[2]?.content })
      expect(JSON.parse(part?.metadata ?? '')).toEqual({
        kind: 'tool_result',
        actor: 'agent-claude',
        source: 'tool:edit',
      })
    }))

  it('links each summary to the contents that it names, in their order', () =>
    withLcm(SMALL, cacheDir, (lcm) => {
      for (const { hash, originals } of truth.summaries as { hash: string; originals: number }[]) {
        const sources = lcm.read.column<number>(
          'SELECT message_id FROM summary_messages WHERE summary_id = :hash ORDER BY ordinal',
          { hash },
        )
        const named = [...new Set(events.slice(0, originals).map((event) => event.content_hash))]
        expect(sources.map((id) => events[id - 1]?.content_hash)).toEqual(named)
        const input = { summaryId: hash, depth: 9, includeMessages: true, tokenCap: 1_000_000 }
        expect(lcm.retrieval.expand(input).messages.length).toBe(lcm.retrieval.describe(hash, 0).messages)
        expect(lcm.retrieval.describe(hash, 100)).toMatchObject({ kind: 'leaf', depth: 0, level: 'deterministic' })
      }
      // The last one is of everything: it belongs where most of it was said, and shows in the other session too.
      const last = truth.summaries.at(-1).hash
      expect(lcm.retrieval.describe(last, 10).conversationId).toBe(1)
      expect(lcm.transcript.message('msg_71').coveredBy).toEqual([{ id: last, depth: 0, inWindow: false }])
    }))

  it('shows every message as if in the window, since nothing says otherwise', () =>
    withLcm(SMALL, cacheDir, (lcm) => {
      for (const { conversationId, messages, contextTokens, storedTokens } of lcm.stats.conversations()) {
        const { items } = lcm.context.assemble({ conversationId })
        expect(items.map(({ ordinal }) => ordinal)).toEqual(items.map((_, index) => index))
        expect([items.length, contextTokens]).toEqual([messages, storedTokens])
      }
    }))

  it('finds what stands in the ledger', () =>
    withLcm(SMALL, cacheDir, async (lcm) => {
      const find = async (query: string, scope: 'messages' | 'summaries') =>
        (await lcm.retrieval.grep(GrepInput.parse({ query, mode: 'literal', scope, limit: 1000 }))).total
      for (const [query, asked] of Object.entries<{ ledger_lines: number; summaries: number }>(truth.queries)) {
        // Contents that are recorded again are one message: none of these words stands in one.
        expect([query, await find(query, 'messages')]).toEqual([query, asked.ledger_lines])
        expect([query, await find(query, 'summaries')]).toEqual([query, asked.summaries])
      }
    }))

  it('finds a message by the id of its event', () =>
    withLcm(SMALL, cacheDir, (lcm) => {
      expect(lcm.retrieval.describe(events[9]?.event_id ?? '', 10)).toMatchObject({ id: 'msg_10', kind: 'message' })
    }))

  it('answers every service, and leaves no trace', async () => {
    const path = copyWithLedger()
    copyInto(dirname(path), join(FOLDER, 'map.events.jsonl'))
    const before = folderState(dirname(path))
    await withLcm(path, cacheDir, askEveryService)
    expect(folderState(dirname(path))).toEqual(before)
  })

  it('without its ledger opens as the index that it is, and makes no text up', async () => {
    const path = copyWithLedger(null)
    await withLcm(path, cacheDir, async (lcm) => {
      expect(lcm.info.lacks?.[0]).toMatch(/is not there.*all 90 messages are shown without their text/)
      expect(lcm.stats.stats()).toMatchObject({ conversations: 2, messages: 90, edges: { summaryMessages: 192 } })
      expect(lcm.read.column(`SELECT DISTINCT content FROM messages`)).toEqual([''])
      expect(lcm.read.column(`SELECT DISTINCT content_hash FROM messages`)).toEqual([null])
      expect(lcm.read.value('SELECT sum(token_count) FROM messages')).toBe(46146 + 5179)
      await askEveryService(lcm)
    })
  })

  it('is checked with its ledger also where a link leads to it, and an empty line is no fault', async () => {
    const path = copyWithLedger(`${lines.join('\n')}\n\n \n`)
    const link = join(temporaryFolder(), 'link.db')
    symlinkSync(path, link)
    await withLcm(link, cacheDir, async (lcm) => {
      const { checks } = await checkIntegrity(lcm)
      const ofLedger = checks.filter(({ id }) => id.startsWith('ledger_'))
      expect(ofLedger.map(({ count }) => count)).toEqual(ofLedger.map(() => 0))
      // Whose a ledger is, is asked of our own.
      expect(ofLedger.filter(({ notApplicable }) => notApplicable === null).length).toBeGreaterThanOrEqual(4)
    })
  })

  it('keeps the places of messages whose lines are gone, and counts them', async () => {
    const path = copyWithLedger(
      lines
        .filter((_, index) => index < 10 || index >= 14)
        .map((text) => `${text}\n`)
        .join(''),
    )
    await withLcm(path, cacheDir, async (lcm) => {
      expect(lcm.info.lacks?.slice(0, 2).join(' ')).toMatch(
        /holds 90 events.* 4 messages that the index lists are shown without a text/,
      )
      const { messages } = lcm.transcript.page({ conversationId: 1, offset: 8, limit: 6, contentChars: 5 })
      expect(messages.map(({ content, tokens }) => [content === '', tokens > 0])).toEqual([
        [false, true],
        [true, true],
        [true, true],
        [true, true],
        [true, true],
        [false, true],
      ])
      await askEveryService(lcm)
    })
  })

  it('shows what stands in the ledger alone, when the index lags behind', async () => {
    const path = copyWithLedger(undefined, `DELETE FROM originals_index WHERE rowid > 60`)
    await withLcm(path, cacheDir, async (lcm) => {
      expect(lcm.info.lacks?.slice(0, 2).join(' ')).toMatch(
        /the index lists 60.* 30 messages stand in the ledger and not in the index/,
      )
      expect(lcm.stats.stats().messages).toBe(90)
      expect(lcm.transcript.message('msg_94').content).toBe(events[93]?.content)
      await askEveryService(lcm)
    })
  })

  it('reads sessions from the ledger where the index has none, and calls the rest nothing', async () => {
    const unnamed = line('nobody knows where', { metadata: {} })
    const path = copyWithLedger(
      `${lines.map((text) => `${text}\n`).join('')}${unnamed}`,
      `UPDATE originals_index SET session_id = iif(rowid % 2, NULL, '')`,
    )
    await withLcm(path, cacheDir, (lcm) => {
      expect(lcm.stats.conversations().map(({ sessionId, messages }) => [sessionId, messages])).toEqual([
        ['sess-01', 68],
        ['sess-02', 22],
        ['', 1],
      ])
    })
  })

  it('follows the ledger as it grows, line by line, and only ended lines for good', async () => {
    const folder = temporaryFolder()
    copyInto(folder, join(FOLDER, LEDGER))
    const { read, write, lcm } = await following(SMALL, cacheDir, folder)
    const ledger = join(folder, LEDGER)
    expect(read().messages).toBe(90)
    const added = line('one more thing', { metadata: { session_id: 'sess-03' } })
    appendFileSync(ledger, added.slice(0, 40))
    expect(read().messages).toBe(90)
    appendFileSync(ledger, added.slice(40))
    expect(lcm.transcript.message('msg_95')).toMatchObject({ content: 'one more thing', conversationId: 3, tokens: 4 })
    write(
      `INSERT INTO originals_index VALUES ('${hashOf('one more thing')}', 'e', '1772450000Z', 'agent', 'message', 14, 'sess-03')`,
    )
    expect(lcm.transcript.message('msg_95').content).toBe('one more thing')
    appendFileSync(ledger, line('one more thing'))
    expect(read().messages).toBe(91)
    // The whole file is another one.
    writeFileSync(ledger, added)
    expect(lcm.transcript.message('msg_1').content).toBe('one more thing')
    expect(read().messages).toBe(91)
    rmSync(ledger)
    expect(lcm.read.column('SELECT DISTINCT content FROM messages')).toEqual([''])
  })

  it('becomes a working copy with the same ids, order and texts', async () => {
    const to = join(temporaryFolder(), 'copy.db')
    const before = await withLcm(SMALL, cacheDir, async (lcm) => {
      const copying = copyMemory({ from: lcm, to }, new AbortController().signal)
      for (;;) {
        const step = await copying.next()
        if (!step.done) continue
        expect(step.value).toMatchObject({ messages: 90, summaries: 4, edges: 192, contextItems: 90, verified: true })
        return lcm.read.all(
          'SELECT message_id, seq, content, content_hash, external_id FROM messages ORDER BY message_id',
        )
      }
    })
    await withLcm(to, cacheDir, (lcm) => {
      expect(
        lcm.read.all('SELECT message_id, seq, content, content_hash, external_id FROM messages ORDER BY message_id'),
      ).toEqual(before)
    })
  })
})
