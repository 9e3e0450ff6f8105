import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import type { SqlValue } from '#core/sqlite/read-db.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { windowEntries } from '#core/systems/records/window-entries.ts'
import { readWindow } from '#core/window/read-window.ts'
import { columnsOf, type Window } from '#core/window/window.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { runs } from '#test/builders/property-runs.ts'

// A window is what the rows of the file say, entry by entry, whatever those rows are.

type Entry = {
  readonly ordinal: SqlValue
  readonly type: 'message' | 'summary' | null
  readonly message: number | null
  readonly summary: string | null
}

/** Two conversations with a summary each. Entries take the place of their windows, past every check of the schema. */
function memoryWith(entries: readonly Entry[]): TestMemory {
  const messages = ['user', 'assistant', 'tool', 'system', 'user'] as const
  const memory = buildMemory({
    conversations: [{ messages: messages.map((role) => ({ role })) }, { messages: [{ tokens: 70 }, { tokens: 0 }] }],
  })
  memory.leaf(1, [1, 2], { id: 'sum_own', tokens: 5 })
  memory.leaf(2, [6], { id: 'sum_other', tokens: 6 })
  listEntries(memory, entries)
  return memory
}

function listEntries(memory: TestMemory, entries: readonly Entry[]): void {
  memory.db.exec(`
    CREATE TEMP TABLE listed (conversation_id, ordinal, item_type, message_id, summary_id, created_at);
    CREATE INDEX temp.listed_order ON listed (conversation_id, ordinal);
    CREATE TEMP VIEW context_items AS SELECT * FROM listed`)
  memory.db.transaction(() => {
    for (const entry of entries) {
      memory.db.run('INSERT INTO listed VALUES (1, :ordinal, :type, :message, :summary, 0)', entry)
    }
  })
}

/** One after the other, as their rows say. */
function naiveItems(memory: TestMemory) {
  return windowEntries(memory.db, 1).map(({ ordinal, messageId, summaryId }) => {
    const message = memory.db.get<{ role: string; seq: number; tokens: number; createdAtMs: number }>(
      `SELECT role, seq, coalesce(nullif(token_count, 0), length(content) / 4) AS tokens, created_at AS createdAtMs
       FROM messages WHERE message_id = :messageId`,
      { messageId },
    )
    if (message) {
      return { id: `msg_${messageId}`, kind: 'message', messageId, summaryId: null, depth: null, ...message, ordinal }
    }
    const nothing = { messageId: null, role: null, seq: null }
    const summary = memory.db.get<{ depth: number; tokens: number; createdAtMs: number }>(
      `SELECT depth, token_count AS tokens, latest_at AS createdAtMs FROM summaries WHERE summary_id = :summaryId`,
      { summaryId },
    )
    if (summary) return { id: summaryId, kind: 'leaf', summaryId, ...summary, ...nothing, ordinal }
    const id = messageId === null ? (summaryId ?? `item_${ordinal}`) : `msg_${messageId}`
    return { id, kind: 'missing', summaryId: null, depth: null, tokens: 0, createdAtMs: null, ...nothing, ordinal }
  })
}

const estimator = { ...createTokenEstimator(), count: (text: string) => Math.floor(text.length / 4) }
const windowOf = (memory: TestMemory): Window => readWindow(memory.db, new MemoryReader(memory.db).memory(1), estimator)

function expectSaid(memory: TestMemory): void {
  const window = windowOf(memory)
  expect(window.items).toEqual(naiveItems(memory))
  expect(window.columns).toEqual(columnsOf(window.items))
  const indexes = [...window.items.keys()]
  expect(indexes.map((index) => [window.idAt(index), window.seqAt(index), window.summaryAt(index)])).toEqual(
    window.items.map(({ id, seq, summaryId }) => [id, seq, summaryId]),
  )
  expect(window.tokens).toBe(window.items.reduce((sum, { tokens }) => sum + tokens, 0))
}

const entry: fc.Arbitrary<Entry> = fc.record({
  ordinal: fc.oneof({ weight: 9, arbitrary: fc.nat(12) }, fc.constantFrom<SqlValue>(null, 'late', 2.5)),
  type: fc.constantFrom('message', 'summary', null),
  message: fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, fc.nat(9)),
  summary: fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, fc.constantFrom('sum_own', 'sum_other', 'sum_gone')),
})

it('a window says of every entry what its rows say, whatever the entries name', () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 12 }), (entries) => {
      using memory = memoryWith(entries)
      expectSaid(memory)
    }),
    { numRuns: runs(150) },
  )
})

it.each([
  ['messages alone', 0],
  ['a summary in every page', 4000],
  ['ordinals that repeat', -1],
  ['ordinals that are no numbers', -2],
])('a window longer than several pages is read whole: %s', (_, kind) => {
  using memory = buildMemory({ conversations: [{}] })
  memory.messages(1, 3)
  memory.leaf(1, [1], { id: 'sum_own', tokens: 5 })
  listEntries(
    memory,
    Array.from({ length: 10_000 }, (__, place): Entry => {
      const ordinal = kind === -1 ? Math.floor(place / 3) : kind === -2 && place > 9990 ? `at ${place}` : place
      return kind > 0 && place % kind === kind - 1
        ? { ordinal, type: 'summary', message: null, summary: 'sum_own' }
        : { ordinal, type: 'message', message: 1 + (place % 4), summary: null }
    }),
  )
  const window = windowOf(memory)
  const rows = windowEntries(memory.db, 1)
  expect(window.length).toBe(10_000)
  expect(window.items.map(({ id }) => id)).toEqual(
    rows.map(({ messageId, summaryId }) => summaryId ?? `msg_${messageId}`),
  )
})

it('entries of a long window are asked for behind the last ordinal, so that none is passed over twice', () => {
  using memory = buildMemory({ conversations: [{}] })
  memory.messages(1, 1)
  listEntries(
    memory,
    Array.from(
      { length: 9_000 },
      (_, place): Entry => ({ ordinal: 2 * place, type: 'message', message: 1, summary: null }),
    ),
  )
  const asked: unknown[] = []
  const db = {
    ...memory.db,
    rows: <T extends readonly SqlValue[]>(sql: string, params?: Record<string, SqlValue>) => {
      if (sql.startsWith('SELECT conversation_id') && sql.includes('LIMIT')) asked.push(params?.ordinal)
      return memory.db.rows<T>(sql, params)
    },
  }
  expect(new MemoryReader(db).memory(1).window.length).toBe(9_000)
  // A page has 2,048 entries. Its last one is read again, because more entries may have the same ordinal.
  const readBefore = [1, 2, 3, 4].map((pages) => pages * 2_047)
  expect(asked).toEqual([Number.NEGATIVE_INFINITY, ...readBefore.map((entries) => 2 * (entries - 1))])
})

/** Items that stand and fall together, found one after the other. */
function naivePairs(memory: TestMemory, { items }: Window) {
  const linked = items.map((_, index) => new Set([index]))
  const calls = new Map<string, number>()
  const [answers, orphans] = [new Set<number>(), new Set<number>()]
  items.forEach(({ messageId, role }, index) => {
    const sql = 'SELECT tool_call_id FROM message_parts WHERE message_id = :messageId AND tool_call_id IS NOT NULL'
    for (const callId of memory.db.column<string>(sql, { messageId })) {
      const call = calls.get(callId)
      if (role === 'assistant') calls.set(callId, index)
      else if (call === undefined) orphans.add(index)
      else {
        answers.add(index)
        const all = new Set([...(linked[call] ?? []), ...(linked[index] ?? [])])
        for (const member of all) linked[member] = all
      }
    }
  })
  const groups = [...new Set(linked)].filter(({ size }) => size > 1)
  return {
    groups: groups.map((group) => [...group].sort((a, b) => a - b)).sort(([a = 0], [b = 0]) => a - b),
    orphans: [...orphans].filter((index) => !answers.has(index)),
  }
}

it('calls and results are paired alike from the index of calls and from the parts of messages', () => {
  const role = fc.constantFrom('assistant' as const, 'tool' as const, 'user' as const)
  const callIds = fc.uniqueArray(fc.nat(90), { maxLength: 2 })
  fc.assert(
    fc.property(fc.array(fc.tuple(role, callIds), { minLength: 210, maxLength: 260 }), (specs) => {
      using memory = buildMemory({ conversations: [{}] })
      memory.messages(
        1,
        specs.map(([of, calls]) => ({
          role: of,
          parts: calls.map((call) => ({ part_type: 'tool', tool_call_id: `call_${call}` })),
        })),
      )
      const window = windowOf(memory)
      const expected = naivePairs(memory, window)
      memory.db.exec('DROP INDEX message_parts_call')
      for (const { pairs } of [window, windowOf(memory)]) {
        expect({ groups: pairs.groups, orphans: [...pairs.orphans].sort((a, b) => a - b) }).toEqual(expected)
        pairs.groups.forEach((group, number) => {
          for (const index of group) expect(pairs.groupOf[index]).toBe(number)
        })
      }
    }),
    { numRuns: runs(20) },
  )
})
