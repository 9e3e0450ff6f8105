import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ConversationStore } from '#core/ingest/conversation-store.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { openNative } from '#core/sqlite/native.ts'
import type { WriteDb } from '#core/sqlite/read-db.ts'
import { call, TranscriptBuilder, text, thinking } from '#test/builders/claude-code.ts'
import { importOne, runImport } from '#test/builders/import.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'

const TURNS = 2500

function longTranscript(): string {
  const story = new TranscriptBuilder()
  for (let turn = 0; turn < TURNS; turn += 1) {
    story.user(`Question ${turn}: ${'why does it fail? '.repeat(20)}`)
    story.answer(`msg_${turn}`, [thinking(`thought ${turn}`)])
    story.answer(`msg_${turn}`, [text(`answer ${turn}`), call(`t${turn}`)])
    story.result(`t${turn}`, `output ${turn} `.repeat(30))
  }
  return story.write()
}

const isWhole = (db: WriteDb): void => {
  expect(db.all('PRAGMA foreign_key_check')).toEqual([])
  for (const table of ['messages_fts', 'messages_trigram']) {
    db.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('integrity-check', 1)`)
  }
  expect(
    db.value("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'message%_index_insert'"),
  ).toBe(2)
  expect(db.value('SELECT count(*) FROM messages WHERE message_id NOT IN (SELECT message_id FROM message_parts)')).toBe(
    0,
  )
  expect(db.value('SELECT count(*) FROM context_items')).toBe(db.value('SELECT count(*) FROM messages'))
}

it('leaves a consistent memory when the process is killed at any moment, and the next import continues it', async () => {
  const transcript = longTranscript()
  const path = join(temporaryFolder(), 'lcm.db')
  let stored = 0
  for (const dots of [4, 7, 9]) {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'import-process.ts'), path, transcript])
    let seen = 0
    child.stdout.on('data', (chunk: Buffer) => {
      seen += chunk.length
      if (seen >= dots) child.kill('SIGKILL')
    })
    await once(child, 'exit')
    using db = openNative(path)
    isWhole(db)
    const now = db.value<number>('SELECT count(*) FROM messages') ?? 0
    expect(now).toBeGreaterThanOrEqual(stored)
    stored = now
  }
  expect(stored).toBeGreaterThan(0)
  using db = openNative(path)
  const file = await importOne(db, transcript)
  expect(file.added + file.alreadyThere).toBe(3 * TURNS)
  expect(file).toMatchObject({ alreadyThere: stored, conflicts: 0 })
  isWhole(db)
})

it('lets another writer write between two batches, and neither loses anything', async () => {
  using memory = buildMemory()
  using other = openNative(memory.path)
  const store = new ConversationStore(other, createTokenEstimator(), Date.now)
  const conversation = store.ensureConversation({ importer: 'agent', sessionId: 'live' })
  let said = 0
  const onProgress = (): void => {
    const content = `live message ${said}`
    store.append(conversation, [
      { externalId: null, role: 'user', content, createdAtMs: said, parts: [{ type: 'text', text: content }] },
    ])
    said += 1
  }
  const { added } = await runImport(memory.db, [longTranscript()], { onProgress })
  expect(added).toBe(3 * TURNS)
  expect(said).toBeGreaterThan(5)
  expect(memory.db.value('SELECT count(*) FROM messages WHERE conversation_id = :c', { c: conversation })).toBe(said)
  expect(
    memory.db.column(
      'SELECT DISTINCT seq - rank FROM (SELECT seq, row_number() OVER (PARTITION BY conversation_id ORDER BY seq) - 1 AS rank FROM messages)',
    ),
  ).toEqual([0])
  isWhole(memory.db)
})
