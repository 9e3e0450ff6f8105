import { appendFileSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { copyMemory } from '#core/doctor/working-copy/copy-memory.ts'
import { runToEnd } from '#core/yielding.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { folderState } from '../sqlite/folder-state.ts'
import {
  copyWithLedger,
  ended,
  events,
  FOLDER,
  hashOf,
  LEDGER,
  type LedgerEvent,
  line,
  lines,
  SMALL,
} from './decapod-files.ts'
import { askEveryService, checkIntegrity, withLcm } from './every-service.ts'
import { copyInto, following, stored } from './foreign-files.ts'

const cacheDir = join(temporaryFolder(), 'cache')

type Indexed = { hash: string; session: string; bytes: number }
const indexed = stored<Indexed>(
  SMALL,
  'SELECT content_hash AS hash, session_id AS session, byte_size AS bytes FROM originals_index ORDER BY rowid',
)
const summaries = stored<{ hash: string; originals: string }>(
  SMALL,
  'SELECT summary_hash AS hash, original_hashes AS originals FROM summaries ORDER BY rowid',
).map(({ hash, originals }) => ({ hash, originals: [...new Set(JSON.parse(originals) as string[])] }))
const links = summaries.reduce((sum, { originals }) => sum + originals.length, 0)
const sessions = [...new Set(indexed.map(({ session }) => session))].map((session) => [
  session,
  indexed.filter((row) => row.session === session).length,
])

/** The number of a content is that of its first line. */
const numberOf = (hash: string): number => events.findIndex((event) => event.content_hash === hash) + 1

describe('the ledger of decapod', () => {
  it('is named in what the file lacks, and the file is recognised by its structure', () =>
    withLcm(SMALL, cacheDir, ({ info }) => {
      expect(info).toMatchObject({ system: 'decapod', systemLabel: 'decapod', systemVersion: null })
      expect(info.capabilities).toMatchObject({ storedWindow: false, freeSummaries: true })
      expect(info.lacks?.[0]).toBe(
        `The ledger holds ${events.length} events; a content that was recorded again is one message, and the index lists ${indexed.length}.`,
      )
    }))

  it('gives every text under its hash in its order, and a text that was recorded again once', () => {
    const again = { ...events[1], event_id: '01AGAIN' }
    const path = copyWithLedger(`${ended(lines)}${JSON.stringify(again)}\n`)
    return withLcm(path, cacheDir, (lcm) => {
      const rows = lcm.read.all(
        `SELECT message_id AS id, content, content_hash AS hash, external_id AS eventId, created_at AS atMs
         FROM messages ORDER BY seq`,
      )
      const first = events.filter((event, index) => numberOf(event.content_hash) === index + 1)
      expect(rows).toEqual(
        first.map((event) => ({
          id: numberOf(event.content_hash),
          content: event.content,
          hash: hashOf(event.content),
          eventId: event.event_id,
          atMs: Number.parseInt(event.ts, 10) * 1000,
        })),
      )
      expect(lcm.retrieval.describe(events[9]?.event_id ?? '', 10)).toMatchObject({ id: 'msg_10', kind: 'message' })
    })
  })

  it('says who spoke: people, agents and tools, or nobody', () => {
    const metadata = { session_id: 'who', source: 'tool:edit' }
    const told: [Partial<LedgerEvent>, string][] = [
      [{ actor: 'human' }, 'user'],
      [{ actor: 'agent-claude' }, 'assistant'],
      [{ actor: 'agent-claude', kind: 'tool_result', metadata }, 'tool'],
      [{ actor: 'agent-claude', kind: 'event' }, 'system'],
    ]
    const spoken = told.map(([more], index) => line(`spoken ${index}`, more)).join('')
    return withLcm(copyWithLedger(ended(lines) + spoken), cacheDir, ({ read, transcript }) => {
      const roles = read.column(`SELECT role FROM messages WHERE content LIKE 'spoken %' ORDER BY message_id`)
      expect(roles).toEqual(told.map(([, role]) => role))
      const [part] = transcript.message(`msg_${lines.length + 3}`).parts
      expect(part).toMatchObject({ type: 'tool', toolName: 'edit', toolOutput: 'spoken 2' })
      expect(JSON.parse(part?.metadata ?? '')).toEqual({
        kind: 'tool_result',
        actor: 'agent-claude',
        source: 'tool:edit',
      })
    })
  })

  it('links each summary with the contents that it names, in their order, also across sessions', () => {
    // A summary of everything, beside those that are there.
    const everything = JSON.stringify(indexed.map(({ hash }) => hash))
    const path = copyWithLedger(
      undefined,
      `INSERT INTO summaries VALUES ('of-everything', '1772460000Z', 'session', '${everything}', 'all of it', 9)`,
    )
    const all = [...summaries, { hash: 'of-everything', originals: indexed.map(({ hash }) => hash) }]
    return withLcm(path, cacheDir, ({ read, retrieval, transcript }) => {
      for (const { hash, originals } of all) {
        const own = 'SELECT message_id FROM summary_messages WHERE summary_id = :hash ORDER BY ordinal'
        expect(read.column(own, { hash })).toEqual(originals.map(numberOf))
        const input = { summaryId: hash, depth: 9, includeMessages: true, tokenCap: 1_000_000 }
        expect(retrieval.expand(input).messages).toHaveLength(originals.length)
        expect(retrieval.describe(hash, 100)).toMatchObject({ kind: 'leaf', depth: 0, level: 'deterministic' })
      }
      // It belongs where most of it was said, and shows in the other session too.
      expect(retrieval.describe('of-everything', 10).conversationId).toBe(1)
      const last = numberOf(indexed.at(-1)?.hash ?? '')
      const { conversationId } = retrieval.describe(`msg_${last}`, 10)
      expect([conversationId, transcript.message(`msg_${last}`).coveredBy]).toEqual([
        2,
        [{ id: 'of-everything', depth: 0, inWindow: false }],
      ])
    })
  })

  it('puts every message into the window, because no other rule is known', () =>
    withLcm(SMALL, cacheDir, (lcm) => {
      for (const { conversationId, messages, contextTokens, storedTokens } of lcm.stats.conversations()) {
        const { items } = lcm.context.assemble({ conversationId })
        expect(items.map(({ ordinal }) => ordinal)).toEqual(items.map((_, index) => index))
        expect([items.length, contextTokens]).toEqual([messages, storedTokens])
      }
    }))

  it('is read together with the index by every service, and not changed', async () => {
    const path = copyWithLedger()
    const before = folderState(dirname(path))
    await withLcm(path, cacheDir, askEveryService)
    expect(folderState(dirname(path))).toEqual(before)
  })

  it('may be missing, and then messages are shown without text', async () => {
    await withLcm(copyWithLedger(null), cacheDir, async (lcm) => {
      expect(lcm.info.lacks?.[0]).toContain('is not there')
      expect(lcm.info.lacks?.[0]).toContain(`all ${indexed.length} messages are shown without their text`)
      expect(lcm.stats.stats()).toMatchObject({
        conversations: sessions.length,
        messages: indexed.length,
        edges: { summaryMessages: links },
      })
      expect(lcm.read.column(`SELECT DISTINCT content FROM messages`)).toEqual([''])
      expect(lcm.read.column(`SELECT DISTINCT content_hash FROM messages`)).toEqual([null])
      expect(lcm.read.value('SELECT sum(token_count) FROM messages')).toBe(
        indexed.reduce((sum, { bytes }) => sum + Math.ceil(bytes / 4), 0),
      )
      await askEveryService(lcm)
    })
  })

  it('is checked also when a link leads to the file, and an empty line is no finding', async () => {
    const link = join(temporaryFolder(), 'link.db')
    symlinkSync(copyWithLedger(`${ended(lines)}\n \n`), link)
    await withLcm(link, cacheDir, async (lcm) => {
      const { checks } = await checkIntegrity(lcm)
      const ofLedger = checks.filter(({ id }) => id.startsWith('ledger_'))
      expect(ofLedger.map(({ count }) => count)).toEqual(ofLedger.map(() => 0))
      // Whose a ledger is, is asked of our own.
      expect(ofLedger.filter(({ notApplicable }) => notApplicable === null).length).toBeGreaterThanOrEqual(4)
    })
  })

  it('keeps the positions of messages whose lines are missing, and counts them', async () => {
    const left = lines.filter((_, index) => index < 10 || index >= 14)
    const isGone = ({ hash }: Indexed): boolean => !left.some((text) => text.includes(hash))
    const gone = indexed.filter(isGone).length
    expect(gone).toBeGreaterThan(0)
    await withLcm(copyWithLedger(ended(left)), cacheDir, async (lcm) => {
      const facts = lcm.info.lacks?.slice(0, 2).join(' ')
      expect(facts).toContain(`holds ${left.length} events`)
      expect(facts).toContain(`${gone} messages that the index lists are shown without a text`)
      const { messages } = lcm.transcript.page({ conversationId: 1, offset: 0, limit: 30, contentChars: 5 })
      const own = indexed.filter(({ session }) => session === sessions[0]?.[0]).slice(0, 30)
      expect(messages.map(({ content, tokens }) => [content === '', tokens > 0])).toEqual(
        own.map((row) => [isGone(row), true]),
      )
      await askEveryService(lcm)
    })
  })

  it('contains messages that the index lacks, and they are shown', async () => {
    const listed = indexed.length - 7
    const path = copyWithLedger(undefined, `DELETE FROM originals_index WHERE rowid > ${listed}`)
    await withLcm(path, cacheDir, async (lcm) => {
      expect(lcm.info.lacks?.[0]).toContain(`the index lists ${listed}`)
      expect(lcm.info.lacks?.[1]).toBe('7 messages stand in the ledger and not in the index.')
      expect(lcm.stats.stats().messages).toBe(indexed.length)
      const last = events.findLast((event, index) => numberOf(event.content_hash) === index + 1)
      expect(lcm.transcript.message(`msg_${numberOf(last?.content_hash ?? '')}`).content).toBe(last?.content)
      await askEveryService(lcm)
    })
  })

  it('names the session when the index does not, or none is named', async () => {
    const path = copyWithLedger(
      ended(lines) + line('nobody knows where', { metadata: {} }),
      `UPDATE originals_index SET session_id = iif(rowid % 2, NULL, '')`,
    )
    await withLcm(path, cacheDir, (lcm) => {
      expect(lcm.stats.conversations().map(({ sessionId, messages }) => [sessionId, messages])).toEqual([
        ...sessions,
        ['', 1],
      ])
    })
  })

  it('is followed as it grows, line by line, and only complete lines are kept', async () => {
    const folder = temporaryFolder()
    copyInto(folder, join(FOLDER, LEDGER))
    const { read, write, lcm } = await following(SMALL, cacheDir, folder)
    const ledger = join(folder, LEDGER)
    const next = `msg_${lines.length + 1}`
    expect(read().messages).toBe(indexed.length)
    const added = line('one more thing', { metadata: { session_id: 'later' } })
    appendFileSync(ledger, added.slice(0, 40))
    expect(read().messages).toBe(indexed.length)
    appendFileSync(ledger, added.slice(40))
    expect(lcm.transcript.message(next)).toMatchObject({
      content: 'one more thing',
      conversationId: sessions.length + 1,
      tokens: 4,
    })
    write(
      `INSERT INTO originals_index VALUES ('${hashOf('one more thing')}', 'e', '1772450000Z', 'agent', 'message', 14, 'later')`,
    )
    expect(lcm.transcript.message(next).content).toBe('one more thing')
    appendFileSync(ledger, line('one more thing'))
    expect(read().messages).toBe(indexed.length + 1)
    // The whole file is another one.
    writeFileSync(ledger, added)
    expect(lcm.transcript.message('msg_1').content).toBe('one more thing')
    expect(read().messages).toBe(indexed.length + 1)
    rmSync(ledger)
    expect(lcm.read.column('SELECT DISTINCT content FROM messages')).toEqual([''])
  })

  it('is copied into a working copy with the same ids, order and texts', async () => {
    const to = join(temporaryFolder(), 'copy.db')
    const all = 'SELECT message_id, seq, content, content_hash, external_id FROM messages ORDER BY message_id'
    const before = await withLcm(SMALL, cacheDir, async (lcm) => {
      const made = await runToEnd(copyMemory({ from: lcm, to }, new AbortController().signal))
      expect(made).toMatchObject({
        messages: indexed.length,
        summaries: summaries.length,
        edges: links,
        contextItems: indexed.length,
        verified: true,
      })
      return lcm.read.all(all)
    })
    await withLcm(to, cacheDir, (lcm) => expect(lcm.read.all(all)).toEqual(before))
    expect(readFileSync(join(FOLDER, LEDGER), 'utf8')).toBe(ended(lines))
  })
})
