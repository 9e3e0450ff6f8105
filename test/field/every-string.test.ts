import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { zstdDecompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { compare } from '../builders/coverage.ts'
import { runImport } from '../builders/import.ts'
import { buildMemory, type TestMemory } from '../builders/memory.ts'
import { FIELD_DATA } from './field-data.ts'

const FOLDER = join(FIELD_DATA, 'data', 'agents-2026-11')

/**
 * Records and fields, by the types of a record and the path in it, that an agent writes for itself or for the person,
 * or that repeat what messages say: requests and measurements, what a tool shows, pictures, and the window that a
 * compaction wrote again.
 */
const KEPT_FOR_ITSELF: Readonly<Record<string, RegExp>> = {
  claude:
    /^(?:api-request|attachment\/\w+\.attachment\.|queue-operation|system\/compact_boundary|user\/user\.toolUseResult)/,
  cline: /^\.metadata\./,
  codex:
    /^(?:session_meta|world_state|event_msg|compacted\.payload\.retained_context|response_item\/message\..*image_url)/,
  copilot: /^(?:model\.|tool\.execution_complete\.data\.(?:toolTelemetry|result\.detailed)|.*\.intentionSummary)/,
  gemini: /toolCalls\[\]\.(?:resultDisplay|description)|^\.\$set\.messages\[\]\.content/,
  openclaw: /textSignature$/,
  qwen: /^(?:system\/ui_telemetry|tool_result\/user\.toolCallResult|user\/notification\/user\.systemPayload)/,
}

type Leaf = { readonly where: string; readonly text: string }
type Json = Readonly<Record<string, unknown>>

function leavesOf(value: unknown, where: string): Leaf[] {
  if (typeof value === 'string') return [{ where, text: value }]
  if (Array.isArray(value)) return value.flatMap((item) => leavesOf(item, `${where}[]`))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, `${where}.${key}`))
}

/** The types of a record and of what is in it: `event_msg/item_completed`. */
function typeOf(record: Json): string {
  const { type, subtype, payload, attachment, message } = record as Record<string, Json | undefined>
  const types = [type, subtype, payload?.type, attachment?.type, message?.role]
  return types.filter((name) => typeof name === 'string').join('/')
}

/** Every string of a raw file, read without any code of the importers. */
function stringsOf(path: string): Leaf[] {
  if (path.endsWith('.jsonl')) {
    const lines = readFileSync(path, 'utf8').split('\n')
    return lines.flatMap((line) => (line === '' ? [] : leavesOf(JSON.parse(line), typeOf(JSON.parse(line)))))
  }
  if (path.endsWith('.json')) return leavesOf(JSON.parse(readFileSync(path, 'utf8')), '')
  if (!/\.(?:db|sqlite)$/.test(path)) return []
  const db = new DatabaseSync(path, { readOnly: true })
  const sql = path.endsWith('.db')
    ? 'SELECT data AS json, NULL AS packed FROM message UNION ALL SELECT data, NULL FROM part'
    : 'SELECT event_json AS json, event_zstd AS packed FROM transcript_events'
  const rows = db.prepare(sql).all() as { readonly json: string | null; readonly packed: Uint8Array | null }[]
  db.close()
  return rows.flatMap(({ json, packed }) => {
    const record = JSON.parse(json ?? zstdDecompressSync(packed ?? new Uint8Array()).toString())
    return leavesOf(record, typeOf(record))
  })
}

const storedIn = ({ db }: TestMemory): string =>
  db
    .column<string>(
      `SELECT content FROM messages
       UNION ALL
       SELECT coalesce(text_content, '') || char(10) || coalesce(tool_input, '') || char(10) || coalesce(tool_output, '')
         || char(10) || coalesce(tool_title, '') || char(10) || coalesce(metadata, '') FROM message_parts
       UNION ALL
       SELECT coalesce(title, '') || char(10) || session_id || char(10) || coalesce(logical_key, '') FROM conversations`,
    )
    .join('\n')

/** Words, and not an id, a time, a path or a picture. */
const isText = (text: string): boolean => text.length > 20 && !/^[\w.:+/=#-]+$/.test(text)

describe.each(readdirSync(FOLDER))('real sessions of %s', (agent) => {
  it('are in the memory with every text, and a comparison finds nothing lost', async () => {
    using memory = buildMemory()
    const folder = join(FOLDER, agent)
    const { files } = await runImport(memory.db, [folder])
    const stored = storedIn(memory)
    const isStored = (text: string): boolean =>
      stored.includes(text) || stored.includes(JSON.stringify(text).slice(1, -1))
    const raw = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (name) => !name.endsWith('truth.json'),
    )
    const lost = raw
      .flatMap((name) => stringsOf(join(folder, name)))
      .filter(({ where, text }) => isText(text) && !KEPT_FOR_ITSELF[agent]?.test(where) && !isStored(text))
    expect(lost.map(({ where, text }) => `${where}: ${text.slice(0, 60)}`)).toEqual([])
    for (const { path, conversations } of files) {
      for (const { conversationId, sessionId } of conversations) {
        const report = await compare(memory.path, path, { conversationId })
        if (report.sessionId === sessionId) expect(report).toMatchObject({ ok: true, lostTexts: [] })
      }
    }
  })
})
