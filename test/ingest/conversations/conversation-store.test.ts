import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ConversationStore } from '#core/ingest/conversation-store.ts'
import type { NewMessage } from '#core/ingest/new-message.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { generateHistory } from '#test/builders/history.ts'
import { buildMemory, STORY_BEGINS_MS, type TestMemory } from '#test/builders/memory.ts'
import { runs } from '#test/builders/property-runs.ts'

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex')

const open = (memory: TestMemory) => {
  const store = new ConversationStore(memory.db, createTokenEstimator(), () => STORY_BEGINS_MS)
  const conversation = store.ensureConversation({ importer: 'test', sessionId: 's1' })
  return { store, conversation, db: memory.db }
}

const says = (content: string, more: Partial<NewMessage> = {}): NewMessage => ({
  externalId: null,
  role: 'user',
  content,
  createdAtMs: STORY_BEGINS_MS,
  parts: [{ type: 'text', text: content }],
  ...more,
})

const isIndexed = (memory: TestMemory): void => {
  for (const table of ['messages_fts', 'messages_trigram']) {
    memory.db.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('integrity-check', 1)`)
  }
}

describe('the conversation store', () => {
  it('leaves the schema alone when an import brings a few messages, and both indexes contain them', () => {
    using memory = buildMemory()
    const { store, conversation, db } = open(memory)
    const history = generateHistory({ seed: 8, messages: 24 })
    const version = db.value<number>('PRAGMA schema_version')
    for (let from = 0; from < history.length; from += 3) {
      store.ingestBulk([{ conversationId: conversation, messages: history.slice(from, from + 3) }])
    }
    expect(db.value('PRAGMA schema_version')).toBe(version)
    isIndexed(memory)
  })

  it('keeps both indexes right when a few messages complete one that came just before', () => {
    using memory = buildMemory()
    const { store, conversation } = open(memory)
    const begun = says('', { externalId: 'x', parts: [] })
    const whole = says('all of the answer', { externalId: 'x' })
    const [counts] = store.ingestBulk([{ conversationId: conversation, messages: [begun, whole] }], () => [whole])
    expect(counts).toMatchObject({ added: 1, completed: 1 })
    isIndexed(memory)
  })

  it('gives each message the next position in the history and in the window', () => {
    using memory = buildMemory()
    const { store, conversation, db } = open(memory)
    store.append(conversation, [says('a'), says('b')])
    store.append(conversation, [says('c')])
    expect(db.column('SELECT seq FROM messages ORDER BY message_id')).toEqual([0, 1, 2])
    expect(memory.windowItems(conversation)).toEqual([1, 2, 3])
  })

  it('appends after the last window item when a compaction left gaps', () => {
    using memory = buildMemory()
    const { store, conversation, db } = open(memory)
    store.append(conversation, [says('a'), says('b'), says('c')])
    memory.leaf(conversation, [1, 2])
    store.append(conversation, [says('d')])
    expect(db.column('SELECT ordinal FROM context_items ORDER BY ordinal')).toEqual([0, 2, 3])
  })

  it('adds nothing when the same messages come again', () => {
    using memory = buildMemory()
    const { store, conversation } = open(memory)
    const history = generateHistory({ seed: 7, messages: 60 })
    expect(store.append(conversation, history)).toMatchObject({
      added: 60,
      alreadyThere: 0,
      completed: 0,
      conflicts: [],
    })
    expect(store.append(conversation, history)).toEqual({
      added: 0,
      addedTokens: 0,
      alreadyThere: 60,
      completed: 0,
      conflicts: [],
    })
    expect(store.ingestBulk([{ conversationId: conversation, messages: history }])).toEqual([
      { added: 0, addedTokens: 0, alreadyThere: 60, completed: 0, conflicts: [] },
    ])
  })

  it('reports other content or another role under a known id, and keeps what is stored', () => {
    using memory = buildMemory()
    const { store, conversation, db } = open(memory)
    store.append(conversation, [says('first', { externalId: 'x' }), says('same', { externalId: 'y' })])
    const again = [says('second', { externalId: 'x' }), says('same', { externalId: 'y', role: 'assistant' })]
    expect(store.append(conversation, again).conflicts).toEqual([
      { externalId: 'x', messageId: 1 },
      { externalId: 'y', messageId: 2 },
    ])
    expect(db.column('SELECT content FROM messages')).toEqual(['first', 'same'])
  })

  it('reports other parts under a known id, but not what a reader or the session filled in later', () => {
    using memory = buildMemory()
    const { store, conversation } = open(memory)
    const answer = (parts: NewMessage['parts']): NewMessage =>
      says('I look.', { externalId: 'x', role: 'assistant', parts })
    const said = { type: 'text', text: 'I look.' } as const
    const thought = { type: 'reasoning', text: 'Where is it?' } as const
    const call = { type: 'tool', toolCallId: 'c', toolName: 'ls', toolInput: '{"path":"a","all":true}' } as const
    const result = { type: 'tool', toolName: 'ls', toolOutput: 'a.ts', toolStatus: 'completed' } as const
    store.append(conversation, [answer([thought, said, call, result])])
    const conflictsOf = (...parts: NewMessage['parts']): number =>
      store.append(conversation, [answer(parts)]).conflicts.length
    const same = [
      [thought, said, call, result],
      [thought, said, { ...call, toolInput: '{ "all": true, "path": "a" }', toolStatus: 'completed' }, result],
      [{ ...thought, metadata: '{"model":"m"}' }, said, call, { ...result, toolName: 'list', toolCallId: 'other' }],
      [thought, said, call, result, { type: 'step_finish', stepTokensOut: 7 }, { type: 'file', fileName: 'a.png' }],
    ] as const
    for (const parts of same) expect(conflictsOf(...parts), JSON.stringify(parts)).toBe(0)
    const others = [
      [{ ...thought, text: 'There!' }, said, call, result],
      [thought, said, { ...call, toolInput: '{"path":"b","all":true}' }, result],
      [thought, said, { ...call, toolName: 'rm' }, result],
      [thought, said, call, { ...result, toolOutput: '' }],
      [said, thought, call, result],
      [thought, said, result, call],
      [thought, said, call],
      [said],
      [thought, said, call, result, call],
    ] as const
    for (const parts of others) expect(conflictsOf(...parts), JSON.stringify(parts)).toBe(1)
    expect(memory.db.value('SELECT count(*) FROM message_parts')).toBe(4)
  })

  it('recognises an external id only in its own conversation', () => {
    using memory = buildMemory()
    const { store, conversation } = open(memory)
    const other = store.ensureConversation({ importer: 'test', sessionId: 's2' })
    store.append(conversation, [says('a', { externalId: 'x' })])
    expect(store.append(other, [says('b', { externalId: 'x' })]).added).toBe(1)
  })

  it('writes all messages of a call or none', () => {
    using memory = buildMemory()
    const { store, conversation, db } = open(memory)
    const broken = says('b', { role: 'nobody' as NewMessage['role'] })
    expect(() => store.append(conversation, [says('a'), broken])).toThrow('CHECK')
    expect(() => store.ingestBulk([{ conversationId: conversation, messages: [says('a'), broken] }])).toThrow('CHECK')
    expect(db.value('SELECT count(*) FROM messages')).toBe(0)
    expect(db.value("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'message%index_insert'")).toBe(2)
    isIndexed(memory)
  })

  it('stores parts in their order, whichever fields they fill', () => {
    using memory = buildMemory()
    const { store, conversation, db } = open(memory)
    const parts = Array.from({ length: 21 }, (_, at): NewMessage['parts'][number] => {
      if (at % 5 === 3) return { type: 'file', fileName: `${at}` }
      return at % 2 === 0 ? { type: 'text', text: `${at}` } : { type: 'tool', toolInput: `${at}`, toolError: 'gone' }
    })
    store.append(conversation, [says('a', { parts }), says('b')])
    const rows = 'SELECT coalesce(file_name, text_content, tool_input) FROM message_parts ORDER BY rowid'
    expect(db.column(rows)).toEqual([...parts.map((_, at) => `${at}`), null])
    expect(db.column('SELECT ordinal FROM message_parts ORDER BY rowid')).toEqual([...parts.keys(), 0])
    isIndexed(memory)
  })

  it('recognises a message that was added in the same call', () => {
    using memory = buildMemory()
    const { store, conversation } = open(memory)
    const call = { type: 'tool', toolName: 'ls', toolInput: '{}' } as const
    const messages = ['x', 'y', 'x'].map((externalId) => says('same', { externalId, parts: [call] }))
    const counts = { added: 2, addedTokens: 8, alreadyThere: 1, completed: 0, conflicts: [] }
    expect(store.ingestBulk([{ conversationId: conversation, messages }])).toEqual([counts])
  })

  it('keeps the indexes right over more batches than are merged at a time', () => {
    using memory = buildMemory()
    const { store, conversation, db } = open(memory)
    for (let batch = 0; batch < 70; batch += 1) {
      const messages = [says(`batch ${batch}`, { parts: [{ type: 'reasoning', text: 'a thought' }] })]
      store.ingestBulk([{ conversationId: conversation, messages }])
    }
    isIndexed(memory)
    expect(db.value("SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'batch AND thought'")).toBe(70)
  })

  it('refuses an unknown conversation', () => {
    using memory = buildMemory()
    const { store } = open(memory)
    expect(() => store.append(99, [says('a')])).toThrow('There is no conversation 99')
  })

  it('stores a text once when a part equals the content', () => {
    using memory = buildMemory()
    const { store, conversation, db } = open(memory)
    store.append(conversation, [
      says('hello', {
        parts: [
          { type: 'text', text: 'hello' },
          { type: 'reasoning', text: 'hello' },
        ],
      }),
      says('out', { role: 'tool', parts: [{ type: 'tool', toolCallId: 'c', toolOutput: 'out' }] }),
      says('a\n\nb', {
        parts: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      }),
    ])
    expect(db.all('SELECT is_content AS own, text_content AS text, tool_output AS output FROM message_parts')).toEqual([
      { own: 1, text: null, output: null },
      { own: 0, text: 'hello', output: null },
      { own: 1, text: null, output: null },
      { own: 0, text: 'a', output: null },
      { own: 0, text: 'b', output: null },
    ])
  })

  it('gives parts of a known message the same ids in every file', () => {
    const ids = [1, 2].map(() => {
      using memory = buildMemory()
      const { store, conversation, db } = open(memory)
      store.append(conversation, generateHistory({ seed: 3, messages: 9 }))
      return db.column('SELECT part_id FROM message_parts ORDER BY message_id, ordinal')
    })
    expect(ids[0]).toEqual(ids[1])
    expect(new Set(ids[0]).size).toBe(ids[0]?.length)
  })

  it('recognises a session and only fills in what was unknown', () => {
    using memory = buildMemory()
    const { store, conversation, db } = open(memory)
    const again = { importer: 'test', sessionId: 's1' }
    expect(store.ensureConversation({ ...again, title: 'One', logicalKey: '/work' })).toBe(conversation)
    expect(store.ensureConversation({ ...again, title: 'Two' })).toBe(conversation)
    expect(db.get('SELECT title, logical_key FROM conversations')).toEqual({ title: 'One', logical_key: '/work' })
  })

  it('dates a conversation by its newest message', () => {
    using memory = buildMemory()
    const { store, conversation, db } = open(memory)
    store.append(conversation, [says('late', { createdAtMs: STORY_BEGINS_MS + 5000.4 }), says('early')])
    expect(db.value('SELECT updated_at FROM conversations')).toBe(STORY_BEGINS_MS + 5000)
  })

  it('records the estimator of the stored token counts', () => {
    using memory = buildMemory()
    const { db } = open(memory)
    expect(db.value("SELECT value FROM lcm_meta WHERE key = 'token_estimator'")).toBe('heuristic-2')
  })
})

describe('a stored message', () => {
  const hostile = [
    '',
    '\0',
    'a\0b',
    '\ufeffmark first',
    'lone \ud800 surrogate \udfff here',
    '\u2028\u2029\u0085',
    '‮RTL‬ עברית 日本語 🏳️‍🌈 \u0301',
    "'; DROP TABLE messages; --",
    'x'.repeat(3_000_000),
  ]

  it.each(hostile)('has the hash of its text for hostile text %#', (text) => {
    using memory = buildMemory()
    const { store, conversation, db } = open(memory)
    store.append(conversation, [says(text, { externalId: text.slice(0, 50) })])
    const row = db.get<{ content: string; hash: string }>('SELECT content, content_hash AS hash FROM messages')
    expect(row?.content).toBe(text.toWellFormed())
    expect(row?.hash).toBe(sha256(row?.content ?? ''))
    isIndexed(memory)
  })

  // Invariant: for every message, content_hash = SHA-256 of the UTF-8 bytes that SQLite returns; both ways in agree.
  it('has the hash of its text for any text, through both methods of the store', () => {
    const text = fc.string({ unit: 'binary', maxLength: 200 })
    const message = fc.record({
      externalId: fc.option(fc.uuid()),
      role: fc.constantFrom('user', 'assistant', 'tool', 'system'),
      content: text,
      createdAtMs: fc.integer({ min: 0, max: 4e12 }),
      parts: fc.array(
        fc.record({
          type: fc.constantFrom('text', 'reasoning', 'tool', 'file', 'compaction'),
          text: fc.option(text),
          toolInput: fc.option(text),
          toolOutput: fc.option(text),
          isSynthetic: fc.boolean(),
        }),
        { maxLength: 4 },
      ),
    }) as fc.Arbitrary<NewMessage>
    fc.assert(
      fc.property(fc.array(message, { maxLength: 12 }), (messages) => {
        using plain = buildMemory()
        using bulk = buildMemory()
        const first = open(plain)
        const second = open(bulk)
        first.store.append(first.conversation, messages)
        second.store.ingestBulk([{ conversationId: second.conversation, messages }])
        const sql = 'SELECT message_id, seq, role, content, content_hash, token_count FROM messages ORDER BY seq'
        const rows = first.db.all<{ content: string; content_hash: string }>(sql)
        for (const row of rows) expect(row.content_hash).toBe(sha256(row.content))
        expect(second.db.all(sql)).toEqual(rows)
        const textSql = 'SELECT * FROM message_text ORDER BY message_id'
        expect(second.db.all(textSql)).toEqual(first.db.all(textSql))
        isIndexed(plain)
        isIndexed(bulk)
      }),
      { numRuns: runs(20) },
    )
  })
})
