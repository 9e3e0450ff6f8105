import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runImport } from '../builders/import.ts'
import { buildMemory, type TestMemory } from '../builders/memory.ts'
import { sentWindow } from '../builders/sent-window.ts'
import { FIELD_DATA } from './field-data.ts'

const FOLDER = join(FIELD_DATA, 'data', 'agents-2026-11')

/** Naive counts of a session. */
type Truth = {
  readonly messagesByRole: Readonly<Record<string, number>>
  readonly toolResults: number
  readonly compactions: number
  readonly usageSum?: { readonly inputWithCached: number; readonly cached: number; readonly output: number }
}
type Counts = Readonly<Record<string, number | null>>

/** Sessions whose files hold copies of another one. Their copies are counted there. */
const FORKS: ReadonlySet<string> = new Set([
  'c9399f21-b830-425c-b6b7-b62981f9fda6',
  '01a2206e-ec9f-7561-95ab-373a1365db22',
])

const queries = {
  sessions: /* sql */ `
    SELECT conversation_id AS id, session_id AS name FROM conversations
    WHERE EXISTS (SELECT 1 FROM messages AS m WHERE m.conversation_id = conversations.conversation_id)`,
  counts: /* sql */ `
    SELECT
      (SELECT count(*) FROM messages AS m WHERE m.conversation_id = :id AND role = 'assistant'
        AND (:isOfItems = 0 OR content <> '')
        AND NOT EXISTS (SELECT 1 FROM message_parts AS p WHERE p.message_id = m.message_id AND p.metadata ->> 'harness')
      ) AS assistant,
      (SELECT count(*) FROM message_parts JOIN messages USING (message_id)
        WHERE conversation_id = :id AND role = 'tool' AND part_type = 'tool') AS toolResults,
      (SELECT count(*) FROM compaction_runs WHERE conversation_id = :id AND mode = 'full') AS compactions`,
  usage: /* sql */ `
    SELECT sum(step_tokens_in) AS inputWithCached, sum(p.metadata ->> 'cacheReadTokens') AS cached,
      sum(step_tokens_out) AS output
    FROM message_parts AS p JOIN messages USING (message_id) WHERE conversation_id = :id`,
  lastAnswer: /* sql */ `
    SELECT 'msg_' || message_id AS id, step_tokens_in AS input FROM message_parts JOIN messages USING (message_id)
    WHERE conversation_id = :id AND step_tokens_in BETWEEN 1200 AND 2000 ORDER BY seq DESC LIMIT 1`,
  isReasoning: /* sql */ `
    SELECT count(*) = sum(part_type IN ('reasoning', 'step_finish')) FROM message_parts WHERE message_id = :id`,
}

/** A scripted model told 1,200 tokens and 10 for each message that it was sent, without the system prompt. */
const toldMessages = (input: number): number => (input - 1200) / 10

/** How many messages of the window an agent sent before its last answer, by what it joins and what it divides. */
function sentBefore(memory: TestMemory, agent: string, session: string, answer: string): number {
  const { items } = sentWindow(memory, session).context
  const at = items.findIndex(({ id }) => id === answer)
  // A turn that was taken back afterwards was sent then.
  const before = items.slice(0, at).filter(({ included }) => included || !items[at]?.included)
  const isOwn = (from: number): boolean => before.slice(from).every(({ role }) => role === 'assistant')
  const sent = before.filter(({ id, role }, index) => {
    const isReasoning = memory.db.value(queries.isReasoning, { id: Number(id.replace('msg_', '')) }) === 1
    // Text and call of one answer are two records in files of Codex and Qwen Code.
    const isJoined = agent === 'qwen' && role === 'assistant' && before[index - 1]?.role === 'assistant'
    return role !== 'system' && !isReasoning && !isJoined && !(agent === 'codex' && isOwn(index))
  })
  const summaries = before.filter(({ kind }) => kind !== 'message').length
  // opencode sends a question before its summary, and OpenClaw a message of its own that it does not store.
  return sent.length + (agent === 'opencode' ? summaries : 0) + (agent === 'openclaw' ? 1 : 0)
}

/** Claude Code joins what it sends of itself into fewer messages; the file of Gemini CLI lacks its longest lines. */
const WINDOW_NOT_TOLD: ReadonlySet<string> = new Set(['claude', 'gemini'])

describe.each(readdirSync(FOLDER))('the sessions of %s', (agent) => {
  const truths: Readonly<Record<string, Truth>> = JSON.parse(
    readFileSync(join(FOLDER, agent, 'truth.json'), 'utf8'),
  ).sessions
  const truthOf = (session: string): Truth | undefined => {
    const names = Object.keys(truths)
    const own = session.split(/\/|__/).at(-1) ?? ''
    const found = names.find((name) => name.includes(own)) ?? (names.length === 1 ? names[0] : undefined)
    return found === undefined ? undefined : truths[found]
  }

  it('have the messages, the results, the compactions, the usage and the window that were counted', async () => {
    using memory = buildMemory()
    await runImport(memory.db, [join(FOLDER, agent)])
    const sessions = memory.db.all<{ id: number; name: string }>(queries.sessions)
    const rows = sessions.map(({ id, name }) => {
      const counts = memory.db.get<Counts>(queries.counts, { id, isOfItems: agent === 'codex' ? 1 : 0 })
      const answer = memory.db.get<{ id: string; input: number }>(queries.lastAnswer, { id })
      const window = answer && !WINDOW_NOT_TOLD.has(agent) ? sentBefore(memory, agent, name, answer.id) : null
      return { name, counts, usage: memory.db.get<Counts>(queries.usage, { id }), window, answer }
    })
    const compared = rows.filter(({ name }) => truthOf(name) && !FORKS.has(name))
    const right = compared.map(({ name, answer }) => {
      const { messagesByRole, usageSum, ...truth } = truthOf(name) as Truth
      const counts = {
        assistant: messagesByRole.assistant ?? messagesByRole.gemini,
        // The line with the call of one result was left out of the file, because it was long.
        toolResults: truth.toolResults + (agent === 'gemini' ? 1 : 0),
        // A branch of Pi that was left is summarised like what a compaction replaced.
        compactions: truth.compactions + (messagesByRole.branch_summary ?? 0),
      }
      const window = answer && !WINDOW_NOT_TOLD.has(agent) ? toldMessages(answer.input) : null
      return { name, counts, ...(usageSum ? { usage: usageSum } : {}), window }
    })
    expect(compared).toMatchObject(right)
    expect(compared.length).toBeGreaterThan(0)
    // Also of the sessions that nobody counted: the window is what the model told.
    for (const { name, window, answer } of rows) {
      if (answer && window !== null) expect([name, window]).toEqual([name, toldMessages(answer.input)])
    }
  })
})
