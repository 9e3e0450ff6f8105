import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ImportedFile } from '#core/contract/import.ts'
import { importOne } from '../builders/import.ts'
import { buildMemory, type TestMemory } from '../builders/memory.ts'
import { samplesOf } from './field-data.ts'

const samples = samplesOf(/claude-code.*\.jsonl$/)

type Block = {
  type: string
  text?: string
  thinking?: string
  id?: string
  tool_use_id?: string
  input?: unknown
  content?: unknown
}
type Entry = {
  type: string
  subtype?: string
  content?: string
  uuid?: string
  message?: { id?: string; content?: string | Block[] }
}

/** A reader of its own, as plain as can be: the whole file, no merging, no order. */
function readNaively(path: string): { entries: Entry[]; malformed: number[] } {
  const entries: Entry[] = []
  const malformed: number[] = []
  const uuids = new Set<string>()
  readFileSync(path, 'utf8')
    .split('\n')
    .forEach((line, index) => {
      if (line === '') return
      // Two records on one line stand next to each other as `}{"`.
      for (const piece of line.split(/(?<=\})(?=\{"(?:parentUuid|type)":)/)) {
        try {
          const entry = JSON.parse(piece) as Entry
          if (entry.uuid !== undefined && uuids.has(entry.uuid)) continue
          if (entry.uuid !== undefined) uuids.add(entry.uuid)
          entries.push(entry)
        } catch {
          malformed.push(index + 1)
        }
      }
    })
  return { entries, malformed }
}

const blocksOf = (entry: Entry): Block[] => (Array.isArray(entry.message?.content) ? entry.message.content : [])

const rows = <T>({ db }: TestMemory, sql: string): T[] => db.all<T>(sql)

describe.each(samples)('%s', (path) => {
  const { entries, malformed } = readNaively(path)
  const memory = buildMemory()
  let file: ImportedFile
  beforeAll(async () => {
    file = await importOne(memory.db, path)
  })
  afterAll(() => memory.close())

  it('gives the messages that a naive count finds, and loses no line', () => {
    const answers = new Set(entries.filter(({ type }) => type === 'assistant').map(({ message }) => message?.id))
    const results = entries
      .filter(({ type }) => type === 'user')
      .flatMap(blocksOf)
      .filter(({ type }) => type === 'tool_result')
    const said = entries.filter(
      (entry) =>
        (entry.type === 'user' && blocksOf(entry).every(({ type }) => type !== 'tool_result')) ||
        (entry.type === 'system' && entry.subtype === 'local_command' && Boolean(entry.content)),
    )
    const counts = rows<{ role: string; n: number }>(
      memory,
      `SELECT role, count(*) AS n FROM messages WHERE NOT EXISTS (SELECT 1 FROM message_parts AS p
       WHERE p.message_id = messages.message_id AND coalesce(metadata ->> 'attachment', metadata ->> 'queued') IS NOT NULL) GROUP BY role`,
    )
    expect(Object.fromEntries(counts.map(({ role, n }) => [role, n]))).toEqual(
      Object.fromEntries(
        Object.entries({ assistant: answers.size, tool: results.length, user: said.length }).filter(([, n]) => n > 0),
      ),
    )
    // What the agent never saw is reported and becomes no message.
    const broken = file.skipped.filter(
      ({ reason }) => !/the agent does not see it|a command that was typed/.test(reason),
    )
    expect(broken.map(({ line }) => line)).toEqual(malformed)
    expect(file).toMatchObject({ conflicts: 0, error: null, format: 'claude-code' })
    const sessions = new Set(entries.map((entry) => (entry as { sessionId?: string }).sessionId).filter(Boolean))
    expect(sessions).toContain(file.sessionId?.split('/')[0])
  })

  it('keeps every text byte for byte', () => {
    const contentOf = new Map(
      rows<{ id: string; content: string }>(memory, 'SELECT external_id AS id, content FROM messages').map((row) => [
        row.id,
        row.content,
      ]),
    )
    const outputs = rows<{ id: string; text: string }>(
      memory,
      `SELECT tool_call_id AS id, iif(is_content, content, tool_output) AS text
       FROM message_parts JOIN messages USING (message_id) WHERE role = 'tool' AND part_type = 'tool'`,
    )
    const outputOf = new Map(outputs.map(({ id, text }) => [id, text]))
    const inputs = rows<{ id: string; input: string }>(
      memory,
      "SELECT tool_call_id AS id, tool_input AS input FROM message_parts JOIN messages USING (message_id) WHERE role = 'assistant' AND part_type = 'tool'",
    )
    const inputOf = new Map(inputs.map(({ id, input }) => [id, input]))
    const reasoning = rows<{ text: string }>(
      memory,
      "SELECT text_content AS text FROM message_parts WHERE part_type = 'reasoning'",
    )
    for (const entry of entries.filter(({ type }) => type === 'user')) {
      if (typeof entry.message?.content === 'string')
        expect(contentOf.get(entry.uuid ?? '')).toBe(entry.message.content)
      for (const block of blocksOf(entry)) {
        if (block.type === 'text') expect(contentOf.get(entry.uuid ?? '')).toBe(block.text)
        const isPlain = block.type === 'tool_result' && typeof block.content === 'string'
        if (isPlain) expect(outputOf.get(block.tool_use_id ?? '')).toBe(block.content)
      }
    }
    const answered = entries.filter(({ type }) => type === 'assistant')
    const texts = Map.groupBy(answered, ({ message }) => message?.id ?? '')
    for (const [id, records] of texts) {
      const blocks = records.flatMap(blocksOf).filter(({ type }) => type === 'text')
      expect(contentOf.get(id)).toBe(blocks.map(({ text }) => text).join('\n\n'))
    }
    const blocks = answered.flatMap(blocksOf)
    for (const { type, id, input } of blocks)
      if (type === 'tool_use') expect(inputOf.get(id ?? '')).toBe(JSON.stringify(input))
    expect(reasoning.map(({ text }) => text)).toEqual(
      blocks.filter(({ type }) => type === 'thinking').map(({ thinking }) => thinking),
    )
  })

  it('adds nothing when it is imported again', async () => {
    const dump = () =>
      ['conversations', 'messages', 'message_parts', 'context_items', 'summaries', 'compaction_events'].map((table) =>
        rows(memory, `SELECT * FROM ${table} ORDER BY 1, 2`),
      )
    const before = dump()
    const second = await importOne(memory.db, path)
    expect(second).toMatchObject({ added: 0, conflicts: 0, alreadyThere: file.added + file.alreadyThere })
    expect(dump()).toEqual(before)
  })

  it('is found by its words, and its window contains all of it', () => {
    for (const table of ['messages_fts', 'messages_trigram']) {
      memory.db.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('integrity-check', 1)`)
    }
    const inWindow = 'SELECT message_id FROM context_items WHERE message_id IS NOT NULL'
    const underSummaries = 'SELECT message_id FROM summary_messages'
    expect(memory.db.value(`SELECT count(*) FROM (${inWindow} UNION ALL ${underSummaries})`)).toBe(file.added)
    expect(memory.db.value(`SELECT count(*) FROM (${inWindow} UNION ${underSummaries})`)).toBe(file.added)
    expect(
      memory.db.value('SELECT count(*) FROM messages WHERE content <> :none AND token_count = 0', { none: '' }),
    ).toBe(0)
    expect(basename(memory.db.value<string>('SELECT source_uri FROM conversations') ?? '')).toBe(basename(path))
  })
})
