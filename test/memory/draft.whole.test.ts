import { cpSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Draft } from '#core/memory/draft.ts'
import type { Memory } from '#core/memory/memory.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { readingMemory } from '#core/systems/reading/read-memory.ts'
import { withoutYielding } from '#core/yielding.ts'
import { randomLineage, summaryId, writeLineage } from '../browse/history/random-lineage.ts'
import { openMemory } from '../builders/open-memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { FIXTURE_FILES } from '../recorded/memories.ts'
import { FIXTURES } from '../sqlite/fixtures.ts'
import { seen } from './seen.ts'

const folder = temporaryFolder()
cpSync(FIXTURES, folder, { recursive: true })

const read = (db: ReadDb): Memory => withoutYielding(readingMemory(db))

/** What a draft says of every link and window, and what SQL says. */
function expectRowsOf(db: ReadDb): void {
  const draft = new Draft(read(db))
  const messageLinks = db.all(`SELECT summary_id AS owner, message_id AS "to", coalesce(ordinal, 0) AS ordinal
    FROM summary_messages ORDER BY summary_id, ordinal, message_id`)
  const sourceLinks = db.all(`SELECT summary_id AS owner, source_summary_id AS "to", coalesce(ordinal, 0) AS ordinal
    FROM summary_sources ORDER BY summary_id, ordinal, source_summary_id`)
  const windows = db.all(`SELECT conversation_id AS owner, ordinal, message_id AS messageId, summary_id AS summaryId,
    created_at AS placedAtMs FROM context_items ORDER BY conversation_id, ordinal`)
  const owners = [...draft.owners()].sort((a, b) => (a < b ? -1 : 1))
  const owned = <Row>(of: (owner: string) => readonly Row[]) =>
    owners.flatMap((owner) => of(owner).map((row) => ({ owner, ...row })))
  expect(owned((owner) => draft.messageLinks(owner))).toEqual(messageLinks)
  expect(owned((owner) => draft.sourceLinks(owner))).toEqual(sourceLinks)
  const entries = draft.conversationIds.flatMap((owner) => draft.window(owner).map((entry) => ({ owner, ...entry })))
  expect(entries).toEqual(windows)
  const tokens = db.all<{ id: number; tokens: number }>(
    'SELECT message_id AS id, coalesce(token_count, 0) AS tokens FROM messages',
  )
  expect(tokens.map(({ id }) => ({ id, tokens: draft.messages.tokensOf(id) }))).toEqual(tokens)
  expect(draft.take()).toEqual([])
}

it.each(FIXTURE_FILES)('a draft of a memory has the rows of its file: %s', (name) => {
  const { read: db, close } = openMemory(join(folder, name), { cacheDir: temporaryFolder() })
  try {
    expectRowsOf(db)
  } finally {
    close()
  }
})

it('a draft of a memory has the rows of its file, for any lineage', () => {
  fc.assert(
    fc.property(randomLineage, (lineage) => {
      using memory = writeLineage(lineage)
      expectRowsOf(memory.db)
    }),
  )
})

it('the memory of a draft is the memory that is read of a file with its rows', () => {
  fc.assert(
    fc.property(randomLineage, fc.nat(10), fc.nat(10), (lineage, cleared, removed) => {
      using memory = writeLineage(lineage)
      const draft = new Draft(read(memory.db))
      expect(seen(draft.memory())).toEqual(seen(read(memory.db)))
      const id = summaryId(cleared)
      const gone = draft.summaries.has(summaryId(removed)) ? summaryId(removed) : id
      draft.setMessageLinks(id, [])
      draft.setSourceLinks(id, [])
      draft.setWindow(1, draft.window(1).slice(1))
      if (draft.summaries.has(gone)) draft.remove(gone)
      for (const each of [id, gone]) {
        memory.damage('DELETE FROM summary_messages WHERE summary_id = :id', { id: each })
        memory.damage('DELETE FROM summary_sources WHERE summary_id = :id', { id: each })
      }
      memory.damage('DELETE FROM summaries WHERE summary_id = :id', { id: gone })
      memory.db.run('DELETE FROM context_items WHERE ordinal = (SELECT min(ordinal) FROM context_items)')
      expect(seen(draft.memory())).toEqual(seen(read(memory.db)))
    }),
  )
})

it('a draft that was changed and changed back has nothing to write', () => {
  fc.assert(
    fc.property(randomLineage, fc.nat(10), (lineage, place) => {
      using memory = writeLineage(lineage)
      const draft = new Draft(read(memory.db))
      const id = summaryId(place)
      const [messages, sources, window] = [draft.messageLinks(id), draft.sourceLinks(id), draft.window(1)]
      draft.setMessageLinks(id, [])
      draft.setSourceLinks(id, [])
      draft.setWindow(1, [])
      draft.setWindow(1, window)
      draft.setSourceLinks(id, sources)
      draft.setMessageLinks(id, messages)
      expect(draft.take()).toEqual([])
    }),
  )
})
