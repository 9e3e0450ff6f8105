import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { GrepInput } from '#core/contract/retrieval.ts'
import { driveJob, runJob } from '#core/doors/run-job.ts'
import { ConversationStore } from '#core/ingest/conversation-store.ts'
import { IndexKeeper } from '#core/jobs/index-keeper.ts'
import type { Jobs } from '#core/jobs/jobs.ts'
import { openLcm } from '#core/lcm.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { Grep } from '#core/search/grep.ts'
import { loadSettings } from '#core/settings/settings-store.ts'
import { openNative } from '#core/sqlite/native.ts'
import { indexPending, PIECE_UNITS, pieceAt } from '#core/sqlite/pending-index.ts'
import type { SqlValue, WriteDb } from '#core/sqlite/read-db.ts'
import { NATIVE_CAPABILITIES } from '#core/systems/opening/open.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { importOne, runImport } from '#test/builders/import.ts'
import { STORY_BEGINS_MS } from '#test/builders/memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'

const SENTENCE = 'The é in the path, 日本語 and 😀, a NUL \0 between, and so on to the end of the line.\n'
const WORDS_AT_THE_CUT = ' needle-before-cut-it '

/** Longer than what is indexed at once, with what is awkward to cut around every place. */
const longText = (units: number): string => {
  const text = SENTENCE.repeat(Math.ceil(units / SENTENCE.length)).slice(0, units)
  return text.slice(0, PIECE_UNITS - 8) + WORDS_AT_THE_CUT + text.slice(PIECE_UNITS + 14)
}
const LONG = longText(1_700_000).toWellFormed()

function transcript(content: string): string {
  const path = join(temporaryFolder(), 'session.jsonl')
  const records = [
    { id: 'm-1', role: 'user', content: 'Look.' },
    { id: 'm-2', role: 'assistant', content },
    { id: 'm-3', role: 'user', content: 'Thanks, afterwards.' },
  ]
  writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  return path
}

/** Counts the characters that each transaction gives to the index of trigrams. */
function counted(db: WriteDb): { readonly db: WriteDb; readonly unitsOfTransactions: number[] } {
  const unitsOfTransactions: number[] = []
  let units = 0
  const counting: WriteDb = {
    ...db,
    runRaw: (sql, values) => {
      if (sql.includes('messages_trigram')) units += String(values[1]).length
      return db.runRaw(sql, values)
    },
    transaction: (body) => {
      units = 0
      const result = db.transaction(body)
      if (units > 0) unitsOfTransactions.push(units)
      return result
    },
  }
  return { db: counting, unitsOfTransactions }
}

/** Notes the tables that are given a long text: inside a transaction, and before one. */
function noted(db: WriteDb): { readonly db: WriteDb; readonly inside: string[]; readonly ahead: string[] } {
  const inside: string[] = []
  const ahead: string[] = []
  let depth = 0
  const note = (sql: string, values: readonly SqlValue[]): void => {
    if (!values.some((value) => typeof value === 'string' && value.length > PIECE_UNITS + 8)) return
    const places = depth > 0 ? inside : ahead
    places.push(/INTO (\w+)/.exec(sql)?.[1] ?? sql)
  }
  const noting: WriteDb = {
    ...db,
    run: (sql, params = {}) => {
      note(sql, Object.values(params))
      return db.run(sql, params)
    },
    runRaw: (sql, values) => {
      note(sql, values)
      return db.runRaw(sql, values)
    },
    bindAhead: (sql, values) => {
      note(sql, values)
      return db.bindAhead(sql, values)
    },
    transaction: (body) => {
      depth += 1
      try {
        return db.transaction(body)
      } finally {
        depth -= 1
      }
    },
  }
  return { db: noting, inside, ahead }
}

const rowsOf = (db: WriteDb, table: string, match: string): number[] =>
  db.column(`SELECT rowid FROM ${table} WHERE ${table} MATCH :match ORDER BY rowid`, { match })

async function found(db: WriteDb, query: string): Promise<{ ids: string[]; notes: readonly string[] }> {
  const engine = new Grep(db, NATIVE_CAPABILITIES, new MemoryReader(db))
  const { hits, notes } = await engine.search(GrepInput.parse({ query }))
  return { ids: hits.map(({ id }) => id), notes }
}

const checkIndexes = (db: WriteDb): void => {
  for (const table of ['messages_fts', 'messages_trigram']) {
    db.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('integrity-check', 1)`)
  }
}

const pending = (db: WriteDb): unknown[] => db.column(`SELECT key FROM lcm_meta WHERE key LIKE 'index_pending:%'`)

describe('a message too long to be indexed at once', () => {
  it('is stored in one transaction and indexed in pieces, and FTS5 confirms that the indexes match the whole text', async () => {
    using memory = openNative(join(temporaryFolder(), 'lcm.db'))
    const { db, unitsOfTransactions } = counted(memory)
    expect(await importOne(db, transcript(LONG))).toMatchObject({ added: 3, error: null })
    expect(pending(memory)).toEqual([])
    expect(unitsOfTransactions).toHaveLength(4)
    expect(Math.max(...unitsOfTransactions)).toBeLessThanOrEqual(PIECE_UNITS + 8)
    checkIndexes(memory)
    expect(rowsOf(memory, 'messages_fts', 'needle')).toEqual([2])
    expect(rowsOf(memory, 'messages_trigram', 'ore AND cut AND edl')).toEqual([2])
    expect(rowsOf(memory, 'messages_fts', 'afterwards')).toEqual([3])
  })

  it('is handed to SQLite before a transaction begins, with its long parts, and stored like any other', async () => {
    using memory = openNative(join(temporaryFolder(), 'lcm.db'))
    const { db, inside, ahead } = noted(memory)
    const store = new ConversationStore(db, createTokenEstimator(), () => STORY_BEGINS_MS)
    const conversationId = store.ensureConversation({ importer: 'test', sessionId: 'long' })
    const toolInput = JSON.stringify({ path: LONG })
    const parts = [
      { type: 'text', text: LONG },
      { type: 'tool', toolCallId: 'call-1', toolName: 'write', toolInput },
      { type: 'step_finish', stepReason: 'stop' },
    ] as const
    const message = {
      externalId: 'm-1',
      role: 'assistant',
      content: LONG,
      createdAtMs: STORY_BEGINS_MS,
      parts,
    } as const
    const batch = [{ conversationId, messages: [message] }]
    expect(store.ingestBulk(batch)).toMatchObject([{ added: 1 }])
    for await (const _ of indexPending(db));
    expect(inside).toEqual([])
    expect(ahead).toEqual(['message_parts', 'messages', 'messages_fts'])
    expect(memory.all('SELECT message_id, conversation_id, seq, content FROM messages')).toEqual([
      { message_id: 1, conversation_id: conversationId, seq: 0, content: LONG },
    ])
    expect(
      memory.all('SELECT ordinal, message_id, session_id, part_type, tool_input FROM message_parts ORDER BY ordinal'),
    ).toEqual(
      parts.map(({ type }, ordinal) => ({
        ordinal,
        message_id: 1,
        session_id: 'long',
        part_type: type,
        tool_input: type === 'tool' ? toolInput : null,
      })),
    )
    checkIndexes(memory)
    expect(store.ingestBulk(batch)).toMatchObject([{ added: 0, alreadyThere: 1, conflicts: [] }])
  })

  it('lets another connection write between any two steps without waiting', async () => {
    const path = join(temporaryFolder(), 'lcm.db')
    using memory = openNative(path)
    const other = new Database(path, { timeout: 0 })
    let written = 0
    await runImport(memory, [transcript(LONG)], {
      onProgress: () => {
        other.prepare(`INSERT OR REPLACE INTO lcm_meta (key, value) VALUES ('other', ?)`).run(String(written))
        written += 1
      },
    })
    expect(written).toBeGreaterThan(6)
    other.close()
  })

  it('is indexed to the end by the next import when the first one was cancelled in the middle', async () => {
    using memory = openNative(join(temporaryFolder(), 'lcm.db'))
    const path = transcript(LONG)
    const abort = new AbortController()
    const isHalf = () => memory.value<number>(`SELECT max(value) FROM lcm_meta WHERE key LIKE 'index_pending:%'`)
    const cancelled = runImport(memory, [path], {
      signal: abort.signal,
      onProgress: () => Number(isHalf() ?? 0) >= PIECE_UNITS && abort.abort(),
    })
    await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' })
    expect(pending(memory)).toEqual(['index_pending:2'])
    // Until then searches read every text, and say so.
    expect(await found(memory, 'needle')).toEqual({
      ids: ['msg_2'],
      notes: [expect.stringContaining('a long message is not in the index')],
    })
    expect(await importOne(memory, path)).toMatchObject({ added: 1, alreadyThere: 2 })
    expect(pending(memory)).toEqual([])
    checkIndexes(memory)
    for (const text of ['needle', '"efore-cut"'])
      expect(await found(memory, text)).toEqual({ ids: ['msg_2'], notes: [] })
  })

  it('is not indexed twice when the indexes were rebuilt in between', async () => {
    using memory = openNative(join(temporaryFolder(), 'lcm.db'))
    const path = transcript(LONG)
    const abort = new AbortController()
    const cancelled = runImport(memory, [path], {
      signal: abort.signal,
      onProgress: () => pending(memory).length > 0 && abort.abort(),
    })
    await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' })
    for (const table of ['messages_fts', 'messages_trigram']) {
      memory.exec(`INSERT INTO ${table} (${table}) VALUES ('rebuild')`)
    }
    await importOne(memory, path)
    expect(pending(memory)).toEqual([])
    checkIndexes(memory)
  })
})

describe('an unfinished index', () => {
  it('is completed by an index job, which a window starts', async () => {
    const path = join(temporaryFolder(), 'lcm.db')
    using memory = openNative(path)
    const abort = new AbortController()
    const cancelled = runImport(memory, [transcript(LONG)], {
      signal: abort.signal,
      onProgress: () => pending(memory).length > 0 && abort.abort(),
    })
    await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' })
    using lcm = await openLcm(path, { settings: loadSettings({}) })
    const started: unknown[] = []
    const jobs = { list: () => [], start: ({ spec }: { spec: unknown }) => `job-${started.push(spec)}` }
    const keeper = new IndexKeeper(jobs as unknown as Jobs, () => 0)
    expect(keeper.status(lcm)).toMatchObject({ state: 'behind', reason: expect.stringContaining('long message') })
    keeper.look(lcm)
    expect(started).toEqual([{ kind: 'index' }])
    const result = await driveJob(runJob(lcm, { kind: 'index' }, new AbortController().signal), () => undefined)
    expect(result).toMatchObject({ kind: 'index', value: { outcome: 'ready', indexedRows: 1 } })
    expect(keeper.status(lcm)).toMatchObject({ state: 'native' })
    checkIndexes(memory)
  })
})

describe('the pieces of a long text', () => {
  it('contain every three neighbouring characters exactly once, for any characters', () => {
    const texts = {
      content: 'a😀\0b\0\0cé日本語 and so on',
      tool_input: null,
      tool_output: '😀😀😀😀x',
      reasoning: 'yz',
    }
    const trigrams = (text: string): string[] => {
      const characters = [...text].filter((character) => character !== '\0')
      return characters.slice(2).map((_, index) => characters.slice(index, index + 3).join(''))
    }
    for (let longest = 1; longest < 12; longest += 1) {
      const found = new Map<string, string[]>()
      let piece = pieceAt(texts, 0, longest)
      for (let from = 0; piece !== null; piece = pieceAt(texts, from, longest)) {
        expect(piece.end).toBeGreaterThan(from)
        expect(piece.text.isWellFormed()).toBe(true)
        found.set(piece.column, [...(found.get(piece.column) ?? []), ...trigrams(piece.text)])
        from = piece.end
      }
      for (const [column, text] of Object.entries(texts)) {
        expect(found.get(column) ?? []).toEqual(trigrams(text ?? ''))
      }
    }
  })
})
