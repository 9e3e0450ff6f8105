import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openLcm } from '#core/lcm.ts'
import { losslessClaudeWriter, losslessClawWriters } from '#test/builders/systems/lossless.ts'
import { piLcmWriter } from '#test/builders/systems/pi-lcm.ts'
import { tellStory } from '#test/builders/systems/story.ts'
import type { SystemWriter } from '#test/builders/systems/system.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { FIXTURES } from '#test/sqlite/fixtures.ts'
import { changedCopy, loosened, WITHOUT_CONSTRAINTS } from '#test/systems/foreign-files.ts'
import { checked, copied, written } from './copying.ts'

const STORY = tellStory({ seed: 21, sessions: 2, turns: 12, tail: 2, leafMessages: 2 })
const claw = losslessClawWriters[1] as SystemWriter
const CORRUPT = join(FIXTURES, 'lossless-claw/corrupt')

/** A file of lossless-claw in which SQL has done what its keys forbid. */
const broken = (tables: readonly string[], sql: string): string =>
  changedCopy(written(claw, STORY), (db) => db.exec(`${WITHOUT_CONSTRAINTS}; ${loosened(tables, sql)}`))

/** Checks of what a native file does not have, or has of its own. */
const OWN: Readonly<Record<string, string>> = {
  schema_incomplete: 'tables of its system',
  index_missing: 'indexes of its system',
  fts_in_sync: 'the search index of its system',
  fts_trigger_missing: 'the search index of its system',
  archived_but_active_flag: 'a native file has no such flag',
  ordinal_gap: 'native places need not be dense',
  source_gap: 'native links need not be dense',
  content_hash: 'the copy hashes its texts itself',
  stale_lock: 'a lock belongs to the process that has it',
  compaction_failing: 'debt belongs to the process that has it',
  file_reference_lost: 'a column of its system names the file of a message',
  file_reference_unknown: 'a column of its system names the file of a message',
  creation_time: 'it is looked at in files whose system notes when everything was made',
}

describe('a copy of a damaged file', () => {
  const files = readdirSync(CORRUPT).filter((name) => name.endsWith('.db'))
  it.each(files)('has in %s the findings of the original', async (name) => {
    const from = join(CORRUPT, name)
    const { path, report } = await copied(from)
    expect(report).toMatchObject({ verified: true, adjusted: [] })
    const [theirs, ours] = [await checked(from), await checked(path)]
    const kept = (checks: typeof theirs): string[] =>
      checks.checks
        .filter(({ id, count, severity }) => count > 0 && severity !== 'info' && OWN[id] === undefined)
        .map(({ id, count }) => `${id} ${count}`)
    const own = new Set(ours.checks.map(({ id }) => id))
    const comparable = kept(theirs).filter((line) => own.has(line.split(' ')[0] ?? ''))
    expect(kept(ours)).toEqual(expect.arrayContaining(comparable))
  })
})

describe('a copy of rows that native keys refuse', () => {
  it('keeps a duplicate link once, and says so', async () => {
    const from = broken(
      ['summary_messages', 'summary_parents'],
      `INSERT INTO summary_messages SELECT summary_id, message_id, ordinal + 50 FROM summary_messages LIMIT 2;
       INSERT INTO summary_parents SELECT * FROM summary_parents LIMIT 1`,
    )
    const { path, report } = await copied(from)
    expect(report.adjusted).toEqual([
      { what: expect.stringContaining('named once'), rows: 3, examples: expect.any(Array) },
    ])
    using lcm = await openLcm(path)
    expect(lcm.read.value('SELECT count(*) FROM summary_messages')).toBe(
      STORY.sessions.flatMap(({ summaries }) => summaries).reduce((sum, { messages }) => sum + messages.length, 0),
    )
  })

  it('keeps a duplicate window item at its first position, and orders two items at one position', async () => {
    const from = broken(
      ['context_items'],
      `INSERT INTO context_items SELECT conversation_id, 900, item_type, message_id, summary_id, created_at FROM context_items WHERE ordinal = 0;
       UPDATE context_items SET ordinal = 1 WHERE ordinal = 2`,
    )
    const { path, report } = await copied(from)
    expect(report.adjusted.map(({ what, rows }) => [rows, what])).toEqual([
      [2, expect.stringContaining('the same position in a window')],
      [2, expect.stringContaining('stands in windows twice')],
    ])
    using lcm = await openLcm(path)
    const items = lcm.context.assemble({ conversationId: 1 }).items.map(({ id }) => id)
    const told = STORY.sessions[0]?.window.map((item) => (typeof item === 'number' ? `msg_${item}` : item))
    expect(items).toEqual(told)
  })

  it('keeps messages with the same seq, in their order', async () => {
    const from = broken(['messages'], 'UPDATE messages SET seq = 3 WHERE conversation_id = 1 AND seq IN (2, 3, 4)')
    const { path, report } = await copied(from)
    expect(report.adjusted).toHaveLength(1)
    expect(report.adjusted[0]?.what).toMatch(/same position in their conversation/)
    using lcm = await openLcm(path)
    const ids = lcm.read.column('SELECT message_id FROM messages WHERE conversation_id = 1 ORDER BY seq')
    expect(ids).toEqual(STORY.sessions[0]?.messages.map(({ number }) => number))
  })

  it('keeps messages with the same transcript entry, and parts with the same ordinal', async () => {
    const from = broken(
      ['messages', 'message_parts'],
      `UPDATE messages SET transcript_entry_id = 'one' WHERE message_id < 4;
       UPDATE message_parts SET part_id = 'same', ordinal = 0 WHERE message_id < 9`,
    )
    const { path, report } = await copied(from)
    expect(report.adjusted.length).toBeGreaterThan(1)
    using lcm = await openLcm(path)
    using original = await openLcm(from)
    for (const table of ['messages', 'message_parts']) {
      const count = `SELECT count(*) FROM ${table}`
      expect(lcm.read.value(count)).toBe(original.read.value(count))
    }
  })

  it('gives a message without a time the time of the message before it', async () => {
    const from = broken(['messages'], 'UPDATE messages SET created_at = NULL WHERE message_id IN (1, 5)')
    const { path, report } = await copied(from)
    expect(report.adjusted).toMatchObject([{ rows: 2, what: expect.stringMatching(/without a time/) }])
    using lcm = await openLcm(path)
    const times = lcm.read.column<number>(
      'SELECT created_at FROM messages WHERE message_id IN (1, 2, 4, 5) ORDER BY message_id',
    )
    expect(times[0]).toBe(times[1])
    expect(times[3]).toBe(times[2])
  })

  it('keeps several conversations of one session', async () => {
    const from = changedCopy(written(losslessClaudeWriter, STORY), (db) =>
      db.exec(`UPDATE conversations SET session_id = 'one'`),
    )
    const { path, report } = await copied(from)
    expect(report.verified).toBe(true)
    using lcm = await openLcm(path)
    expect(lcm.stats.conversations().map(({ sessionId }) => sessionId)).toEqual(['one', 'one'])
  })

  it('stores the window that follows from a rule', async () => {
    const from = written(piLcmWriter, STORY)
    const { path } = await copied(from)
    const [original, copy] = [await openLcm(from, { cacheDir: temporaryFolder() }), await openLcm(path)]
    const window = 'SELECT conversation_id, ordinal, message_id, summary_id FROM main.context_items ORDER BY 1, 2'
    expect(copy.read.all(window)).toEqual(original.read.all(window.replace('main.', '')))
    expect(copy.read.value('SELECT count(*) FROM context_items WHERE created_at = 0')).toBe(0)
    original.close()
    copy.close()
  })
})

describe('the record of compactions in a working copy', () => {
  it('is copied, so that time travel gives the same answers', async () => {
    const from = join(FIXTURES, 'lossless-claude/small.sqlite')
    const { path, report } = await copied(from)
    const [original, copy] = [await openLcm(from, { cacheDir: temporaryFolder() }), await openLcm(path)]
    const events = original.read.value<number>('SELECT count(*) FROM event_messages')
    expect(events).toBeGreaterThan(5)
    expect(report.compared.find(({ name }) => name === 'compactions')?.rows).toBe(events)
    const timeline = original.timeTravel.timeline(1)
    expect(copy.timeTravel.timeline(1)).toEqual(timeline)
    for (const { eventId } of timeline.events) {
      const input = { conversationId: 1, moment: { eventId } }
      expect(copy.timeTravel.contextAt(input)).toEqual(original.timeTravel.contextAt(input))
    }
    original.close()
    copy.close()
  })
})

describe('the files of another system', () => {
  it.each(['argentos/small.db', 'lcm-x/small.db'])('cause no finding in a copy of %s', async (name) => {
    const { path } = await copied(join(FIXTURES, name))
    const { checks } = await checked(path)
    expect(checks.filter(({ id, count }) => id.startsWith('file_') && count > 0)).toEqual([])
  })
})
