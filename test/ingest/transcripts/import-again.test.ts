import { utimesSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { ImportedFile } from '#core/contract/import.ts'
import { importTranscripts } from '#core/ingest/transcripts/import-transcripts.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import type { SqlParams } from '#core/sqlite/read-db.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { transcriptSamples, writeSample } from '#test/builders/transcript-samples.ts'

/** Imports one file when the clock shows this time. */
async function importAt({ db }: Pick<TestMemory, 'db'>, path: string, nowMs: number): Promise<ImportedFile> {
  const input = {
    db,
    estimator: createTokenEstimator(),
    clock: () => nowMs,
    paths: [path],
    format: 'auto',
    window: 'agent',
  } as const
  const job = importTranscripts({ ...input, files: null }, new AbortController().signal)
  for (;;) {
    const step = await job.next()
    const file = step.done ? step.value.files[0] : undefined
    if (file) return file
  }
}

/** Notes which messages are written once more. */
const NOTE_REWRITTEN = `
  CREATE TEMP TABLE rewritten (message_id INTEGER);
  CREATE TEMP TRIGGER note_rewritten AFTER UPDATE ON main.messages
  BEGIN INSERT INTO rewritten VALUES (new.message_id); END`

/** Only where the file lies says which session these are. */
const KNOWN_BY_PATH = new Set(['aider', 'swe-agent', 'openhands', 'messages'])
const isKnownByPath = (name: string, format: string, isTimed: boolean): boolean =>
  KNOWN_BY_PATH.has(format) ? name !== 'messages, one conversation' : format === 'specstory' && !isTimed

describe.each(transcriptSamples)('a transcript of $name', (sample) => {
  it.each([true, false])(
    'adds and rewrites nothing when it is imported again, and from another place unless its path is its id (with times: %s)',
    async (isTimed) => {
      using memory = buildMemory()
      const folder = temporaryFolder()
      const first = await importAt(memory, writeSample(sample, { folder, isTimed }), Date.UTC(2026, 5, 1))
      expect(first).toMatchObject({ format: sample.format, error: null, conflicts: 0 })
      expect(first.added).toBeGreaterThan(0)
      const elsewhere = isKnownByPath(sample.name, sample.format, isTimed) ? folder : temporaryFolder()
      const path = writeSample(sample, { folder: elsewhere, isTimed })
      utimesSync(path, new Date(1_600_000_000_000), new Date(1_600_000_000_000))
      memory.db.exec(NOTE_REWRITTEN)
      const again = await importAt(memory, path, Date.UTC(2027, 8, 9))
      expect(again).toMatchObject({ added: 0, conflicts: 0, alreadyThere: first.added + first.alreadyThere })
      expect(memory.db.column('SELECT message_id FROM temp.rewritten')).toEqual([])
      expect(again.conversations.map(({ conversationId }) => conversationId)).toEqual(
        first.conversations.map(({ conversationId }) => conversationId),
      )
    },
  )

  it('reads the parts of each message once when it is imported again', async () => {
    using memory = buildMemory()
    const path = writeSample(sample)
    await importAt(memory, path, 0)
    const read = new Map<unknown, number>()
    const note = (sql: string, params: SqlParams = {}): void => {
      const message = 'messageId' in params && /FROM message_parts/.test(sql) ? params.messageId : undefined
      if (message !== undefined && !/SELECT NOT EXISTS/.test(sql)) read.set(message, (read.get(message) ?? 0) + 1)
    }
    const { db } = memory
    const watched: typeof db = {
      ...db,
      rows: (sql, params) => {
        note(sql, params)
        return db.rows(sql, params)
      },
      all: (sql, params) => {
        note(sql, params)
        return db.all(sql, params)
      },
    }
    await importAt({ db: watched }, path, 0)
    const messages = memory.db.value<number>('SELECT count(*) FROM messages') ?? 0
    // What was stored last, half-written or grown is compared in more detail.
    expect([...read.values()].filter((times) => times > 1).length).toBeLessThanOrEqual(Math.max(2, messages / 4))
  })

  it('names its conversations by what was said, never by the path of the file', async () => {
    using memory = buildMemory()
    const path = writeSample(sample)
    const file = await importAt(memory, path, 0)
    expect(file.conversationCount).toBe(file.conversations.length)
    expect(file.conversations.length).toBe(memory.db.value('SELECT count(*) FROM conversations'))
    for (const { title, conversationId } of file.conversations) {
      expect(title).toBe(
        memory.db.value('SELECT title FROM conversations WHERE conversation_id = :conversationId', { conversationId }),
      )
      expect(title).toMatch(/^The words of|^Shop$|^Second$|^shop-/)
    }
  })
})
