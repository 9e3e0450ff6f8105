import { join } from 'node:path'
import type { ImportResult } from '#core/contract/import.ts'
import { compare } from '../builders/coverage.ts'
import { runImport } from '../builders/import.ts'
import { buildMemory, type TestMemory } from '../builders/memory.ts'
import { sentWindow } from '../builders/sent-window.ts'
import type { Agent } from './agents.ts'
import type { Asked } from './model-server.ts'
import { lastSaid, SAID } from './script.ts'

const queries = {
  // A fork follows the session that it continues.
  sessions: /* sql */ `
    SELECT DISTINCT conversation_id AS id, session_id AS name
    FROM messages JOIN conversations USING (conversation_id), json_each(:words) AS word
    WHERE role = 'user' AND content LIKE '%' || word.value || '%' ORDER BY conversation_id`,
  messages: /* sql */ `
    SELECT role, content || char(10) || coalesce((
      SELECT group_concat(tool_output, char(10)) FROM message_parts AS p WHERE p.message_id = m.message_id), '') AS text
    FROM messages AS m WHERE conversation_id IN (SELECT value FROM json_each(:ids)) ORDER BY conversation_id, seq`,
  calls: /* sql */ `
    SELECT tool_call_id FROM message_parts JOIN messages USING (message_id)
    WHERE conversation_id IN (SELECT value FROM json_each(:ids)) AND part_type = 'tool' AND role = 'assistant'`,
  results: /* sql */ `
    SELECT tool_call_id FROM message_parts JOIN messages USING (message_id)
    WHERE conversation_id IN (SELECT value FROM json_each(:ids)) AND part_type = 'tool' AND role = 'tool'`,
  usage: /* sql */ `
    SELECT step_tokens_in || ' + ' || step_tokens_out FROM message_parts JOIN messages USING (message_id)
    WHERE conversation_id IN (SELECT value FROM json_each(:ids)) AND step_tokens_in IS NOT NULL
    ORDER BY conversation_id, seq`,
}

/** Imports what an agent wrote, and says in which points the memory is not what was said. */
export async function compareWithMemory(agent: Agent, home: string, asked: readonly Asked[]): Promise<string[]> {
  using memory = buildMemory()
  const result = await runImport(memory.db, [join(home, agent.sessions)])
  const words = JSON.stringify(SAID.filter(({ role }) => role === 'user').map(({ word }) => word))
  const sessions = memory.db.all<{ id: number; name: string }>(queries.sessions, { words })
  const last = sessions.at(-1)
  if (!last) return [...recognition(agent, result), 'the prompts are in no message of the user']
  const ids = JSON.stringify(sessions.map(({ id }) => id))
  return [
    ...recognition(agent, result),
    ...messages(memory, ids, agent),
    ...calls(memory, ids),
    ...(agent.noUsage === undefined ? usage(memory, ids, asked) : []),
    ...windowOf(memory, last.name, asked),
    ...(await losses(memory, result)),
  ]
}

function recognition({ format }: Agent, { files }: ImportResult): string[] {
  return files.flatMap((file) => [
    ...(file.format === format ? [] : [`a file is read as ${file.format}`]),
    ...(file.error === null ? [] : [`a file ${file.error}`]),
    ...file.skipped.map(({ line, reason }) => `line ${line}: ${reason}`),
  ])
}

/** Each text stands in one message, in the order in which it was said. */
function messages({ db }: TestMemory, ids: string, { oneTurn }: Agent): string[] {
  const rows = db.all<{ role: string; text: string }>(queries.messages, { ids })
  const found = rows.flatMap(({ role, text }) => wordsIn(text).map((word) => `${role} ${word}`))
  const said = SAID.slice(0, oneTurn === undefined ? SAID.length : 4).map(({ role, word }) => `${role} ${word}`)
  return sameList('messages', said, found)
}

function calls({ db }: TestMemory, ids: string): string[] {
  const [called, answered] = [queries.calls, queries.results].map((sql) => db.column<string | null>(sql, { ids }))
  if (called?.length === 1 && answered?.length === 1 && called[0] === answered[0] && called[0] !== null) return []
  return [`calls ${called?.join(', ')} with results ${answered?.join(', ')}`]
}

/** Of each request of the conversation, as the model said it. */
function usage({ db }: TestMemory, ids: string, asked: readonly Asked[]): string[] {
  const told = asked.filter((one) => lastSaid(one) !== null)
  const right = told.map(({ inputTokens, outputTokens }) => `${inputTokens} + ${outputTokens}`)
  return sameList('usage', right, db.column<string>(queries.usage, { ids }))
}

/** What was sent last and what was answered to it, text by text. */
function windowOf(memory: TestMemory, session: string, asked: readonly Asked[]): string[] {
  const last = asked.findLast((one) => lastSaid(one) !== null)
  const sent = [...(last?.messages ?? []).map(({ text }) => text), last?.answer.text ?? '']
  const { texts } = sentWindow(memory, session)
  return sameList('window', sent.flatMap(wordsIn), texts.flatMap(wordsIn))
}

const wordsIn = (text: string): string[] => SAID.flatMap(({ word }) => (text.includes(word) ? [word] : []))

function sameList(what: string, right: readonly string[], found: readonly string[]): string[] {
  return right.join('\n') === found.join('\n') ? [] : [`${what}: ${found.join(', ')} and not ${right.join(', ')}`]
}

/** Texts of the files that the memory does not have. */
async function losses(memory: TestMemory, { files }: ImportResult): Promise<string[]> {
  const lost: string[] = []
  for (const { path, conversations } of files) {
    for (const { conversationId, sessionId } of conversations) {
      const report = await compare(memory.path, path, { conversationId })
      if (report.sessionId !== sessionId) continue
      lost.push(...report.lostTexts.map(({ line, field }) => `the text of line ${line} in ${field} is lost`))
    }
  }
  return lost
}
