import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { zstdDecompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { compare } from '../builders/coverage.ts'
import { runImport } from '../builders/import.ts'
import { buildMemory, type TestMemory } from '../builders/memory.ts'
import { type RawRecord, rawRecords, typeOfRecord } from '../builders/raw-records.ts'
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
  openclaw: /textSignature$|^session_nodes\.entry_json\/\.skillsSnapshot/,
  qwen: /^(?:system\/ui_telemetry|tool_result\/user\.toolCallResult|user\/notification\/user\.systemPayload)/,
}

/** The same for older samples, by the folder in which they lie. */
const OLDER: Readonly<Record<string, RegExp | null>> = {
  // The recaps and notices among them are reported by their lines.
  'entire-cli/claude-code':
    /^(?:user\/user\.toolUseResult|progress|queue-operation|summary\.|system\/(?:stop_hook_summary|(?:micro)?compact_boundary))/,
  'entire-cli/gemini-cli': /toolCalls\[\]\.(?:resultDisplay|description)/,
  'entire-graph/claude-code':
    /^(?:user\/user\.toolUseResult|attachment\/hook_success|queue-operation|last-prompt|system\/stop_hook_summary)/,
  'entire-graph/codex': /^(?:session_meta|event_msg)/,
  'entire-graph/entire-compact': null,
  'git-sync/claude-code':
    /^(?:user\/user\.toolUseResult|attachment\/hook_success|queue-operation|last-prompt|system\/stop_hook_summary)/,
  'git-sync/codex': /^(?:session_meta|event_msg|turn_context)/,
  // Texts that were half written, and what a tool showed to the person.
  'kimaki/opencode-events': /\.properties\.(?:delta|part\.(?:text|state\.(?:metadata|title)))$/,
  // The arguments of a call as they came, and the changes that a tool made.
  'pi-mono/pi': /\.(?:partialJson|message\.details\.diff)$/,
  spotter: /^(?:user\/user\.toolUseResult|progress)/,
  'dark-factory/opencode':
    /\.info\.(?:summary|path)|\.info\.(?:system|tools)|\.parts\[\]\.(?:metadata|state\.(?:metadata|title))/,
  openhands: /^\.(?:git_patch|instruction|result_explanation)|\.kernel_init_code$/,
  // The history has the same steps, some of them in other words.
  'swe-agent': /^\.(?:trajectory|replay_config|info)|^\.history\[\]\.(?:action|thought)$/,
}

type Leaf = { readonly where: string; readonly text: string; readonly line?: number }

function leavesOf(value: unknown, where: string): Leaf[] {
  if (typeof value === 'string') return [{ where, text: value }]
  if (Array.isArray(value)) return value.flatMap((item) => leavesOf(item, `${where}[]`))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, `${where}.${key}`))
}

/** Every string of a raw file, read without any code of the importers. */
function stringsOf(path: string): Leaf[] {
  if (isStore(path)) return stringsOfStore(path)
  if (!path.endsWith('.jsonl')) return rawRecords(path).flatMap((record) => leavesOf(record, ''))
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((text, index) =>
      objectsIn(text).flatMap((record) =>
        leavesOf(record, typeOfRecord(record)).map((leaf) => ({ ...leaf, line: index + 1 })),
      ),
    )
}

/** A program that was cut off may have written the next record into the same line. */
function objectsIn(line: string): RawRecord[] {
  if (line.trim() === '') return []
  for (let end = line.length; end > 0; end = line.lastIndexOf('}{', end - 1) + 1) {
    const first = jsonIn(line.slice(0, end))
    if (first !== undefined) return [first, ...objectsIn(line.slice(end))]
  }
  return []
}

const isStore = (path: string): boolean => /\.(?:db|sqlite)$/.test(path)

/** Every text in every table of a database, with the strings of the JSON among them. Search indexes repeat others. */
function stringsOfStore(path: string): Leaf[] {
  const db = new DatabaseSync(path, { readOnly: true })
  const tables = db.prepare(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%\\_fts%' ESCAPE '\\'",
  )
  const names = (tables.all() as { name: string }[]).map(({ name }) => name)
  const leaves = names.flatMap((table) =>
    (db.prepare(`SELECT * FROM "${table}"`).all() as Record<string, unknown>[]).flatMap((row) =>
      Object.entries(row).flatMap(([column, value]) => {
        const text =
          value instanceof Uint8Array && column.endsWith('_zstd') ? zstdDecompressSync(value).toString() : value
        const inner = typeof text === 'string' ? jsonIn(text) : undefined
        const where = inner === undefined ? `${table}.${column}` : `${table}.${column}/${typeOfRecord(inner)}`
        return leavesOf(inner ?? text, where)
      }),
    ),
  )
  db.close()
  return leaves
}

/** Undefined for a text that is no object or list as JSON. */
function jsonIn(text: string): RawRecord | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as RawRecord) : undefined
  } catch {
    return undefined
  }
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

/** Cline puts marks around the words of a person that it does not send. */
const MARKS_OF_CLINE = /^<user_input mode="\w+">(.*)<\/user_input>$/s

type Given = { readonly folder: string; readonly kept: RegExp | null; readonly names: readonly string[] }

/** What an import neither stored nor reported of the strings in some files, and how each comparison with a file ends. */
async function notStored({ folder, kept, names }: Given) {
  using memory = buildMemory()
  const { files } = await runImport(memory.db, [folder])
  const stored = storedIn(memory)
  const isStored = (string: string): boolean => {
    const text = string.replace(MARKS_OF_CLINE, '$1')
    return stored.includes(text.toWellFormed()) || stored.includes(JSON.stringify(text).slice(1, -1))
  }
  const lost = names.flatMap((name) => {
    const path = join(folder, name)
    const reported = new Set(files.find((file) => file.path === path)?.skipped.map(({ line }) => line))
    return stringsOf(path).filter(
      ({ where, text, line }) =>
        isText(text) && !kept?.test(where) && !(line !== undefined && reported.has(line)) && !isStored(text),
    )
  })
  const compared: { readonly ok: boolean; readonly lostTexts: readonly { readonly field: string }[] }[] = []
  for (const { path, conversations } of files) {
    for (const { conversationId, sessionId } of conversations) {
      const report = await compare(memory.path, path, { conversationId })
      if (report.sessionId === sessionId) compared.push(report)
    }
  }
  return { lost: lost.map(({ where, line, text }) => `${where} (line ${line}): ${text.slice(0, 60)}`), compared }
}

const namesIn = (folder: string, pattern: RegExp): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => pattern.test(name))

describe.each(readdirSync(FOLDER))('real sessions of %s', (agent) => {
  it('are in the memory with every text, and a comparison finds nothing lost', async () => {
    const folder = join(FOLDER, agent)
    const names = namesIn(folder, /^(?!truth\.json$).*\.(?:jsonl?|db|sqlite)$/)
    const { lost, compared } = await notStored({ folder, kept: KEPT_FOR_ITSELF[agent] ?? null, names })
    expect(lost).toEqual([])
    for (const report of compared) expect(report).toMatchObject({ ok: true, lostTexts: [] })
  })
})

describe.each(Object.entries(OLDER))('older sessions in %s', (name, kept) => {
  it('are in the memory with every text, or reported by line', async () => {
    const folder = join(FIELD_DATA, 'data', name)
    const { lost, compared } = await notStored({ folder, kept, names: namesIn(folder, /\.(?:jsonl?|traj)$/) })
    expect(lost).toEqual([])
    const fields = compared.flatMap(({ lostTexts }) => lostTexts.map(({ field }) => field))
    // Some steps of SWE-agent write again in other words what the history has.
    expect(fields.filter((field) => name !== 'swe-agent' || !/^(?:response|action|thought)$/.test(field))).toEqual([])
  })
})
