import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { findings } from '../builders/findings.ts'
import { importOne } from '../builders/import.ts'
import { buildMemory } from '../builders/memory.ts'
import { dump } from '../builders/transcript-rows.ts'

const folder = fileURLToPath(new URL('../../../shared/data', import.meta.url))
const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort() : []
if (names.length === 0) console.warn(`No transcripts in ${folder}: the tests over real samples are skipped.`)

/** Whatever a record may have: samples follow no schema. */
type Json = {
  readonly type: string
  readonly role: string
  readonly id: string
  readonly text: string
  readonly payload: Json
  readonly content: Json[]
  readonly summary: Json[]
  readonly replacement_history: Json[]
  readonly message: Json | undefined
  readonly toolCalls: Json[] | undefined
  readonly result: unknown
  readonly parts: Json[]
  readonly info: Json
  readonly state: { readonly status: string }
  readonly event: Json
  readonly properties: Readonly<Record<string, Json>>
}
type Counts = { user?: number; assistant?: number; tool?: number; system?: number; compactions: number }

const lines = (path: string): Json[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Json)
const count = <T>(list: readonly T[], is: (item: T) => boolean): number => list.filter(is).length

/** As plain a count of each format as can be: no code of the importers. */
const formats: Record<string, { readonly matches: RegExp; readonly count: (path: string) => Counts }> = {
  codex: {
    matches: /codex\/.*\.jsonl$/,
    count: (path) => {
      const all = lines(path)
      const items = all.filter(({ type }) => type === 'response_item').map(({ payload }) => payload)
      const said = (role: string): number => count(items, (item) => item.type === 'message' && item.role === role)
      const isReadable = (item: Json): boolean =>
        item.type === 'reasoning' && [...(item.summary ?? []), ...(item.content ?? [])].some(({ text }) => text !== '')
      const is = (item: Json, ...types: string[]): boolean => types.includes(item.type)
      const calls = count(items, (item) =>
        is(item, 'function_call', 'custom_tool_call', 'web_search_call', 'local_shell_call'),
      )
      const compactions = all.filter(({ type }) => type === 'compacted')
      // Context that a compaction brought anew, beside what it kept of the history.
      const texts = new Set(items.map((item) => JSON.stringify([item.role, item.content])))
      const fresh = compactions
        .flatMap(({ payload }) => payload.replacement_history)
        .filter(
          (item) =>
            item.type === 'message' &&
            !texts.has(JSON.stringify([item.role, item.content.map(({ type, text }) => ({ type, text }))])),
        )
      const freshOf = (role: string): number => count(fresh, (item) => item.role === role)
      return {
        user:
          said('user') + count(items, (item) => item.type === 'agent_message') + compactions.length + freshOf('user'),
        assistant: said('assistant') + calls + count(items, isReadable) + freshOf('assistant'),
        tool: count(items, (item) => is(item, 'function_call_output', 'custom_tool_call_output')),
        system: said('developer') + freshOf('developer'),
        compactions: compactions.length,
      }
    },
  },
  pi: {
    matches: /pi-mono\/.*\.jsonl$/,
    count: (path) => {
      const all = lines(path)
      const said = (role: string): number => count(all, ({ message }) => message?.role === role)
      const compactions = count(all, ({ type }) => type === 'compaction')
      return {
        user: said('user') + said('bashExecution') + compactions,
        assistant: said('assistant'),
        tool: said('toolResult'),
        compactions,
      }
    },
  },
  'gemini-cli': {
    matches: /gemini-cli\/session.*\.json$/,
    count: (path) => {
      const { messages } = JSON.parse(readFileSync(path, 'utf8')) as { messages: Json[] }
      const calls = messages.flatMap(({ toolCalls }) => toolCalls ?? [])
      return {
        user: count(messages, ({ type }) => type !== 'gemini'),
        assistant: count(messages, ({ type }) => type === 'gemini'),
        tool: count(calls, ({ result }) => result !== null && result !== undefined),
        compactions: 0,
      }
    },
  },
  opencode: {
    matches: /opencode\/session.*\.json$/,
    count: (path) => {
      const { messages } = JSON.parse(readFileSync(path, 'utf8')) as { messages: Json[] }
      const parts = messages.flatMap((message) => message.parts)
      return {
        user: count(messages, ({ info }) => info.role === 'user'),
        assistant: count(messages, ({ info }) => info.role === 'assistant'),
        tool: count(parts, ({ type, state }) => type === 'tool' && /completed|error/.test(state.status)),
        compactions: count(messages, ({ info }) => (info.summary as unknown) === true),
      }
    },
  },
  'opencode-events': {
    matches: /opencode-events\/.*\.jsonl$/,
    count: (path) => {
      const events = lines(path).map(({ event }) => event)
      const last = (type: string, field: string): Json[] => {
        const found = events.filter((event) => event.type === type).flatMap(({ properties }) => properties[field] ?? [])
        return [...new Map(found.map((item) => [item.id, item])).values()]
      }
      const messages = last('message.updated', 'info')
      return {
        user: count(messages, ({ role }) => role === 'user'),
        assistant: count(messages, ({ role }) => role === 'assistant'),
        tool: count(
          last('message.part.updated', 'part'),
          ({ type, state }) => type === 'tool' && /completed|error/.test(state.status),
        ),
        compactions: 0,
      }
    },
  },
  entire: {
    matches: /entire-compact\/.*\.jsonl$/,
    count: (path) => {
      const all = lines(path)
      const blocks = all.flatMap(({ content }) => content)
      return {
        user: count(all, ({ type }) => type === 'user'),
        assistant: count(all, ({ type }) => type === 'assistant'),
        tool: count(blocks, ({ result }) => result !== undefined),
        compactions: 0,
      }
    },
  },
}

/** Every string of a transcript that says something, by the fields that hold such. */
function texts(value: unknown, out: string[] = []): string[] {
  if (Array.isArray(value)) for (const item of value) texts(item, out)
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      if (key === 'text' && typeof item === 'string') out.push(item)
      else texts(item, out)
    }
  }
  return out
}

const samples = Object.entries(formats).flatMap(([id, { matches }]) =>
  names.filter((name) => matches.test(name)).map((name) => [id, name] as const),
)

describe.skipIf(samples.length === 0).each(samples)('%s: %s', (id, name) => {
  const path = join(folder, name)

  it('gives the messages that a naive count finds, is sound, and adds nothing when it comes again', async () => {
    using memory = buildMemory()
    const file = await importOne(memory.db, path)
    const { compactions, ...roles } = formats[id]?.count(path) ?? { compactions: -1 }
    const rows = memory.db.all<{ role: string; n: number }>('SELECT role, count(*) AS n FROM messages GROUP BY role')
    expect(Object.fromEntries(rows.map(({ role, n }) => [role, n]))).toEqual(
      Object.fromEntries(Object.entries(roles).filter(([, n]) => n > 0)),
    )
    expect(file).toMatchObject({
      format: id.replace('-events', ''),
      conflicts: 0,
      skippedCount: 0,
      error: null,
      compactions,
    })
    expect(file.added).toBe(rows.reduce((sum, { n }) => sum + n, 0))
    expect(
      memory.db.value("SELECT count(*) FROM summaries WHERE level <> 'deterministic' OR kind = 'leaf'"),
    ).toBeGreaterThanOrEqual(compactions)
    const before = dump(memory)
    expect(await importOne(memory.db, path)).toMatchObject({ added: 0, conflicts: 0, alreadyThere: file.added })
    expect(dump(memory)).toEqual(before)
    expect(await findings(memory.path)).toEqual([])
  })

  it('keeps every text of the conversation', async () => {
    using memory = buildMemory()
    await importOne(memory.db, path)
    const said =
      id === 'codex'
        ? lines(path)
            .filter(({ type }) => type === 'response_item')
            .map(({ payload }) => payload)
        : id === 'pi'
          ? lines(path).map(({ message }) => message?.content)
          : id === 'opencode'
            ? (JSON.parse(readFileSync(path, 'utf8')) as { messages: Json[] }).messages.map(({ parts }) => parts)
            : id === 'entire'
              ? lines(path)
              : id === 'opencode-events'
                ? [] /* their texts come again and again, half written */
                : (JSON.parse(readFileSync(path, 'utf8')) as { messages: Json[] }).messages.map(({ content }) => ({
                    text: content,
                  }))
    const stored = memory.db
      .column<string>(`SELECT content FROM messages UNION ALL
        SELECT coalesce(text_content, '') || coalesce(tool_output, '') FROM message_parts`)
      .join('\n')
    for (const text of texts(said)) expect(stored.includes(text)).toBe(true)
  })
})
