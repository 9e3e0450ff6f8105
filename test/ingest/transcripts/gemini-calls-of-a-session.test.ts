import { expect, it } from 'vitest'
import { compare } from '#test/builders/coverage.ts'
import { findings } from '#test/builders/findings.ts'
import { importOne } from '#test/builders/import.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { sentWindow } from '#test/builders/sent-window.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { told, writeLines } from '#test/builders/transcript-rows.ts'

const at = (second: number): string => new Date(Date.UTC(2026, 10, 30, 9, 0, second)).toISOString()
const record = (second: number, type: string, content: unknown, more: Record<string, unknown> = {}) => ({
  ...{ id: `record-${second}`, timestamp: at(second), type, content },
  ...more,
})
const user = (second: number, text: string) => record(second, 'user', [{ text }])
const answer = (second: number, text: string) => record(second, 'gemini', text, { tokens: { input: 1000, output: 5 } })
const response = (id: string) => ({ functionResponse: { id, name: 'shell', response: { output: `output of ${id}` } } })
const results = (second: number, ...ids: readonly string[]) => record(second, 'user', ids.map(response))
/** The record with all calls up to now, as Gemini CLI 0.61.0 writes it over the Agent Client Protocol. */
const calls = (...ids: readonly string[]) =>
  record(4, 'gemini', '', {
    toolCalls: ids.map((id) => ({
      ...{ id, name: 'shell', args: { command: id }, status: 'success', timestamp: at(Number(id.replace(/\D/g, ''))) },
      result: [response(id)],
    })),
  })

const header = { sessionId: 's', projectHash: 'p', startTime: at(0) }
const lines = [
  ...[header, user(1, 'one'), answer(2, 'first answer')],
  ...[calls('call-4'), calls('call-4', 'call-5'), results(6, 'call-4', 'call-5'), answer(7, 'second answer')],
  ...[user(8, 'two'), answer(9, 'third answer'), calls('call-4', 'call-5', 'call-10'), results(11, 'call-10')],
  ...[answer(12, 'fourth answer'), user(13, 'three'), calls('call-4', 'call-5', 'call-10', 'call-14')],
  ...[user(15, 'four'), calls('call-4', 'call-5', 'call-10', 'call-14', 'call-16'), results(17, 'call-16')],
  answer(18, 'done'),
]
const inOrder = [
  ...['one', 'first answer', 'call shell', 'call shell', 'output of call-4', 'output of call-5', 'second answer'],
  ...['two', 'third answer', 'call shell', 'output of call-10', 'fourth answer'],
  ...['three', 'call shell', 'output of call-14', 'four', 'call shell', 'output of call-16', 'done'],
]

it('stores calls that Gemini CLI writes into one record where each was made, and each result once', async () => {
  using memory = buildMemory()
  const path = writeLines(lines)
  expect(await importOne(memory.db, path)).toMatchObject({ error: null, skippedCount: 0, conflicts: 0 })
  expect(sentWindow(memory, 's').texts).toEqual(inOrder)
  expect(await findings(memory.path)).toEqual([])
  expect(await compare(memory.path, path)).toMatchObject({ ok: true, isEverything: true })
})

it('stores the same when the session is imported after each of its records', async () => {
  using memory = buildMemory()
  using whole = buildMemory()
  const folder = temporaryFolder()
  for (const count of lines.keys()) {
    if (count > 0) await importOne(memory.db, writeLines(lines.slice(0, count + 1), 'session.jsonl', folder))
  }
  await importOne(whole.db, writeLines(lines))
  expect(told(memory)).toEqual(told(whole))
  expect(sentWindow(memory, 's').texts).toEqual(inOrder)
})

it('keeps calls whose answer stays when a cancelled prompt is taken out of the history', async () => {
  using memory = buildMemory()
  const called = { functionCall: { name: 'shell', args: { command: 'call-4' } } }
  const history = [
    ...[user(1, 'one'), record(2, 'gemini', [{ text: 'first answer' }, called]), results(6, 'call-4')],
    answer(7, 'second answer'),
  ]
  const cancelled = [
    ...[header, user(1, 'one'), answer(2, 'first answer'), calls('call-4'), results(6, 'call-4')],
    ...[answer(7, 'second answer'), user(8, 'taken back'), { $set: { messages: history } }, user(9, 'two')],
  ]
  await importOne(memory.db, writeLines(cancelled))
  const texts = ['one', 'first answer', 'call shell', 'output of call-4', 'second answer', 'two']
  expect(sentWindow(memory, 's').texts).toEqual(texts)
})

it('has only what is left when the whole history is replaced', async () => {
  using memory = buildMemory()
  const begun = record(20, 'user', [{ text: '<session_context>\nA new day.\n</session_context>' }])
  await importOne(memory.db, writeLines([...lines, { $set: { messages: [begun] } }]))
  expect(sentWindow(memory, 's').texts).toEqual(['<session_context>\nA new day.\n</session_context>'])
})

it('begins a message of its own with a call that comes after a result, also when nothing was said in between', async () => {
  using memory = buildMemory()
  const told = [header, user(1, 'one'), answer(2, 'first answer'), calls('call-4'), results(5, 'call-4')]
  await importOne(memory.db, writeLines([...told, calls('call-4', 'call-6'), results(7, 'call-6')]))
  const texts = ['one', 'first answer', 'call shell', 'output of call-4', 'call shell', 'output of call-6']
  expect(sentWindow(memory, 's').texts).toEqual(texts)
})

it('has only the summary when a compression takes the place of calls that were made in several answers', async () => {
  using memory = buildMemory()
  const summary = record(20, 'user', [{ text: '<state_snapshot>All was done.</state_snapshot>' }])
  await importOne(memory.db, writeLines([...lines, { $set: { messages: [summary] } }]))
  expect(sentWindow(memory, 's').context.items).toEqual([expect.objectContaining({ kind: 'leaf', included: true })])
  expect(await findings(memory.path)).toEqual([])
})

it('stores what a record with calls of several answers says and used once, with its first calls', async () => {
  using memory = buildMemory()
  const more = { content: 'said', thoughts: [{ subject: 'thought' }], tokens: { input: 70, output: 7 } }
  const grown = lines.map((line) => ('toolCalls' in line ? { ...line, ...more } : line))
  await importOne(memory.db, writeLines(grown))
  const { texts } = sentWindow(memory, 's')
  expect(texts.filter((text) => text.includes('said'))).toHaveLength(1)
  const counted = memory.db.all(`SELECT step_tokens_in FROM message_parts WHERE step_tokens_in = 70`)
  expect(counted).toHaveLength(1)
})
