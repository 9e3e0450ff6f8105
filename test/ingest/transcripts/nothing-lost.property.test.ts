import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GrepInput } from '#core/contract/retrieval.ts'
import { recogniseTranscript } from '#core/ingest/transcripts/formats.ts'
import { openLcm } from '#core/lcm.ts'
import { importOne, runImport } from '#test/builders/import.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { runs } from '#test/builders/property-runs.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { writeLines } from '#test/builders/transcript-rows.ts'

type Json = Readonly<Record<string, unknown>>

const FOLDER = join(import.meta.dirname, 'samples')
/** Short transcripts of every format that has records, one a line or in a list of a document. */
const samples = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(?:jsonl|json|traj)$/.test(name))
  .map((name) => [basename(name, extname(name)), join(FOLDER, name)] as const)

type Records = { readonly records: readonly Json[]; readonly write: (records: readonly Json[]) => string }

/** The records of a sample, and how a file with other records is written. */
function recordsOf(path: string): Records {
  const text = readFileSync(path, 'utf8')
  if (path.endsWith('.jsonl')) {
    const lines = text.split('\n').filter((line) => line !== '')
    const write = (records: readonly Json[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('')
    return { records: lines.map((line) => JSON.parse(line)), write }
  }
  const document = JSON.parse(text)
  const field = ['messages', 'history', 'trajectory'].find((name) => Array.isArray(document[name])) ?? ''
  const write = (records: readonly Json[]): string => JSON.stringify({ ...document, [field]: records }, null, 1)
  return { records: document[field], write }
}

const storedIn = ({ db }: TestMemory): string =>
  db.column<string>('SELECT content FROM messages').join('\n') +
  db
    .column<string>(
      `SELECT coalesce(text_content, '') || coalesce(tool_input, '') || coalesce(tool_output, '') FROM message_parts`,
    )
    .join('\n')

/** Says which of some texts are neither stored nor on a line that is reported. */
async function lost(path: string, text: string, planted: readonly string[]): Promise<string[]> {
  using memory = buildMemory()
  const target = join(temporaryFolder(), basename(path))
  writeFileSync(target, text)
  const format = recogniseTranscript(path)?.format.id ?? 'auto'
  const [file] = (await runImport(memory.db, [target], { format })).files
  const lines = text.split('\n')
  const reported = (file?.skipped ?? []).map(({ line }) => lines[line - 1] ?? '').join('\n')
  const stored = storedIn(memory)
  // The line of a record in a document is the one on which it ends.
  const isReported = (file?.skippedCount ?? 0) > 0 && !path.endsWith('.jsonl')
  const isIn = (all: string, one: string): boolean =>
    all.includes(one) || all.includes(JSON.stringify(one).slice(1, -1))
  return planted.filter((one) => !isIn(stored, one) && !isIn(reported, one) && !isReported)
}

const word = fc.stringMatching(/^[a-z]{3,8}$/)
const texts = fc.array(word, { minLength: 5, maxLength: 8 }).map((words) => `${words.join(' ')} zebra`)

/** A record of a type that no agent writes, with words at any depth. */
const unknownRecord = fc
  .record({
    type: word.map((name) => `x-${name}`),
    where: fc.constantFrom('message', 'payload', 'data', 'item'),
    text: texts,
  })
  .chain(({ type, where, text }) =>
    fc
      .constantFrom(
        {
          type,
          id: 'n-1',
          timestamp: '2026-03-02T09:00:00Z',
          [where]: { role: 'assistant', blobs: [{ words: text }] },
        },
        { type, role: 'user', id: 'n-1', utterance: { said: [text] } },
        { type, [where]: { deep: [{ deeper: { words: text } }] } },
      )
      .map((record) => ({ record: record as Json, text })),
  )

const CONTENT: ReadonlySet<string> = new Set(
  'content parts text arguments input toolRequests toolCalls tool_calls thoughts reasoningText summary'.split(' '),
)

/** Gives every field that holds text another name, so that only the envelope is as the format has it. */
function renamed(value: unknown, planted: string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, planted))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]): [string, unknown] => {
      if (typeof inner === 'string' && /\s/.test(inner) && inner.length > 20) {
        planted.push(inner)
        return [`${name}Of2027`, inner]
      }
      if (CONTENT.has(name)) return [`${name}Of2027`, renamed(inner, planted)]
      return [name, renamed(inner, planted)]
    }),
  )
}

const PLANTED = 'The word is PERIWINKLE today.'
/** Where an envelope has the kind of what is in it. */
const ENVELOPES: ReadonlySet<string> = new Set(['payload', 'item', 'event', 'attachment'])

/** The record with one of its kinds changed to one that no agent writes, and a text beside it. */
function withUnknownKinds(record: Json): Json[] {
  return Object.entries(record).flatMap(([name, inner]): Json[] => {
    if (['type', 'subtype'].includes(name) && typeof inner === 'string')
      return unknownKinds(inner).map((kind) => ({ ...record, [name]: kind, said: PLANTED }))
    if (!ENVELOPES.has(name) || typeof inner !== 'object' || inner === null) return []
    return withUnknownKinds(inner as Json).map((other) => ({ ...record, [name]: other }))
  })
}

/** A new kind, and one of a family that is known: `session.x_new`. */
const unknownKinds = (kind: string): string[] => [
  'x_new',
  ...(/[./]/.test(kind) ? [kind.replace(/[^./]+$/, 'x_new')] : []),
]

/** The texts of a record, without those that only name something. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return /\s/.test(value) && value.length > 20 && !/^\s*[{[]/.test(value) ? [value] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}

describe.each(samples)('a transcript of %s', (_id, path) => {
  const { records, write } = recordsOf(path)

  it('loses no record of an unknown type in silence', async () => {
    await fc.assert(
      fc.asyncProperty(unknownRecord, fc.nat(), async ({ record, text }, at) => {
        const place = 1 + (at % records.length)
        expect(await lost(path, write(records.toSpliced(place, 0, record)), [text])).toEqual([])
      }),
      { numRuns: runs(10) },
    )
  })

  it('loses no text in silence of a record whose kind is unknown, also when its family is known', async () => {
    for (const [at, record] of records.entries()) {
      for (const other of withUnknownKinds(record)) {
        const found = await lost(path, write(records.with(at, other)), textsOf(other))
        expect(found, JSON.stringify(other)).toEqual([])
      }
    }
  })

  it('loses no message in silence whose content has another shape', async () => {
    for (const [at, record] of records.entries()) {
      // The title of a session is no message.
      if (record.type === 'summary' || record.type === 'session_start') continue
      const planted: string[] = []
      const other = renamed(record, planted) as Json
      expect(await lost(path, write(records.with(at, other)), planted), JSON.stringify(other)).toEqual([])
    }
  })
})

/** A block of a type that no agent writes, and the texts that stand anywhere in it. */
const field = fc.stringMatching(/^[a-z]{4,8}Of2027$/)
const inBlock: fc.Memo<unknown> = fc.memo((depth) =>
  depth > 1
    ? fc.oneof(
        texts,
        fc.array(inBlock(depth - 1), { maxLength: 3 }),
        fc.dictionary(fc.oneof(fc.constantFrom('text', 'content', 'summary', 'title'), field), inBlock(depth - 1), {
          maxKeys: 3,
        }),
      )
    : texts,
)

const withBlocks = (bodies: readonly Json[]): string => {
  const blocks = bodies.map((one, at) => ({ ...one, type: `x-${at}` }))
  const message = { role: 'assistant', id: 'm-1', content: [{ type: 'text', text: 'Hello.' }, ...blocks] }
  const envelope = { uuid: 'u-1', parentUuid: null, sessionId: 's-1', timestamp: '2026-03-02T09:00:00Z' }
  return writeLines([{ ...envelope, type: 'assistant', message }])
}

it('every text of a block of an unknown type is text of its message, which a search looks at', async () => {
  const body = fc.dictionary(fc.oneof(fc.constantFrom('text', 'note'), field), inBlock(3), { minKeys: 1, maxKeys: 3 })
  await fc.assert(
    fc.asyncProperty(fc.array(body, { minLength: 1, maxLength: 3 }), async (bodies) => {
      using memory = buildMemory()
      await importOne(memory.db, withBlocks(bodies))
      const content = memory.db.column<string>('SELECT content FROM messages').join('\n\n')
      expect(textsOf(bodies).filter((text) => !content.includes(text))).toEqual([])
    }),
    { numRuns: runs(10) },
  )
  using memory = buildMemory()
  await importOne(memory.db, withBlocks([{ title: 'A PERIWINKLE', cells: [{ text: 'known' }, ['buy ULTRAMARINE']] }]))
  using lcm = await openLcm(memory.path)
  for (const query of ['PERIWINKLE', 'known', 'ULTRAMARINE'])
    expect((await lcm.retrieval.grep(GrepInput.parse({ query }))).hits).toHaveLength(1)
})

it('a record that looks like a message is found by a search, and its line and kind are reported', async () => {
  using memory = buildMemory()
  const at = '2026-03-02T09:00:00Z'
  const envelope = { uuid: 'u-1', parentUuid: null, sessionId: 's-1', timestamp: at }
  const path = writeLines([
    { ...envelope, type: 'user', message: { role: 'user', content: 'Hello.' } },
    {
      ...envelope,
      uuid: 'u-2',
      type: 'user',
      message: { role: 'user', segments: [{ words: 'The word is PERIWINKLE today.' }] },
    },
    {
      ...envelope,
      uuid: 'u-3',
      type: 'chat-turn',
      turn: { speaker: 'assistant', words: 'The answer of a later version.' },
    },
    { ...envelope, uuid: 'u-4', type: 'ledger', entries: [{ note: 'bookkeeping of the program itself' }] },
  ])
  const file = await importOne(memory.db, path)
  expect(file.skipped).toEqual([
    { line: 2, reason: 'a record of type user without content of a known shape: it is kept as it stands' },
    { line: 3, reason: 'unknown type of record: chat-turn: it is kept as it stands' },
    { line: 4, reason: 'unknown type of record: ledger' },
  ])
  expect(memory.db.column("SELECT role || ': ' || content FROM messages ORDER BY seq")).toEqual([
    'user: Hello.',
    'user: The word is PERIWINKLE today.',
    'assistant: The answer of a later version.',
  ])
  expect(await importOne(memory.db, path)).toMatchObject({ added: 0, alreadyThere: 3, conflicts: 0 })
})

it('a line that a loss of power ended in zeros is cut off, and the others are read', async () => {
  using memory = buildMemory()
  const record = (n: number) =>
    JSON.stringify({ uuid: `u-${n}`, sessionId: 's-1', type: 'user', message: { role: 'user', content: `words ${n}` } })
  const path = writeLines([
    record(1),
    `${record(2).slice(0, 60)}${'\0'.repeat(40)}`,
    '\0'.repeat(9),
    record(3),
    `\0${record(4)}`,
  ])
  expect(await importOne(memory.db, path)).toMatchObject({
    added: 3,
    skipped: [
      { line: 2, reason: 'not valid JSON: the line is cut off' },
      { line: 3, reason: 'not valid JSON: the line is cut off' },
    ],
  })
})

it('an unknown event of a family that is known is reported by its line and kind', async () => {
  const timestamp = '2026-03-02T09:00:00Z'
  const said = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hello' }] }
  const codex = writeLines([
    { timestamp, type: 'session_meta', payload: { id: 's', cwd: '/' } },
    { timestamp, type: 'response_item', payload: said },
    { timestamp, type: 'event_msg', payload: { type: 'task_started', turn_id: 't' } },
    { timestamp, type: 'event_msg', payload: { type: 'dream_ended', words: 'of electric sheep and nothing else' } },
    { timestamp, type: 'event_msg', payload: { type: 'item_completed', item: { type: 'Dream', id: 'i' } } },
  ])
  const copilot = writeLines([
    { type: 'session.start', id: 'a', timestamp, data: { sessionId: 's' } },
    { type: 'user.message', id: 'b', timestamp, data: { content: 'hello' } },
    { type: 'session.dreamed', id: 'c', timestamp, data: { words: 'of electric sheep and nothing else' } },
    { type: 'assistant.murmur', id: 'd', timestamp, data: { role: 'assistant', content: 'Words of a later version.' } },
  ])
  using memory = buildMemory()
  expect((await importOne(memory.db, codex)).skipped).toEqual([
    { line: 4, reason: 'unknown type of event: dream_ended' },
    { line: 5, reason: 'unknown type of item in an event: Dream' },
  ])
  expect((await importOne(memory.db, copilot)).skipped).toEqual([
    { line: 3, reason: 'unknown type of event: session.dreamed' },
    { line: 4, reason: 'unknown type of event: assistant.murmur: it is kept as it stands' },
  ])
  expect(storedIn(memory)).toContain('Words of a later version.')
})
