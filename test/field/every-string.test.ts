import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compare } from '../builders/coverage.ts'
import { runImport } from '../builders/import.ts'
import { buildMemory, type TestMemory } from '../builders/memory.ts'
import { rawRecords, typeOfRecord } from '../builders/raw-records.ts'
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

function leavesOf(value: unknown, where: string): Leaf[] {
  if (typeof value === 'string') return [{ where, text: value }]
  if (Array.isArray(value)) return value.flatMap((item) => leavesOf(item, `${where}[]`))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, `${where}.${key}`))
}

/** Every string of a raw file, read without any code of the importers. */
const stringsOf = (path: string): Leaf[] =>
  rawRecords(path).flatMap((record) => leavesOf(record, path.endsWith('.json') ? '' : typeOfRecord(record)))

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
