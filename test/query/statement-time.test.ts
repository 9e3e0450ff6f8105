import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { runStatement, type StatementReply, type StatementTask } from '#core/query/run-statement.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const TASK: StatementTask = {
  path: '/memory.db',
  allowNewer: false,
  cacheDir: undefined,
  asked: { kind: 'sql', sql: 'SELECT 1', limit: 1 },
}
const TIME_MS = 10_000

function begin() {
  let listener: (reply: StatementReply | null) => void = () => undefined
  const kill = vi.fn()
  const onReply = (one: typeof listener) => {
    listener = one
  }
  const start = () => ({ send: () => undefined, onReply, kill })
  const ended = runStatement(start, TASK, TIME_MS, undefined).then(
    ({ kind }) => kind,
    (error: Error) => error.message,
  )
  return { say: (reply: StatementReply | null) => listener(reply), ended, kill }
}

it('counts the time of a statement from when the memory is open, however long its process takes to start', async () => {
  const { say, ended, kill } = begin()
  await vi.advanceTimersByTimeAsync(3 * TIME_MS)
  say({ kind: 'begins' })
  await vi.advanceTimersByTimeAsync(TIME_MS - 1)
  expect(kill).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(await ended).toMatch(/^The statement was stopped after 10 s/)
  expect(kill).toHaveBeenCalled()
})

it('gives a process up that never opens the memory, and one that ends without an answer', async () => {
  const silent = begin()
  await vi.advanceTimersByTimeAsync(200_000)
  expect(await silent.ended).toMatch(/^The memory was not opened within 120 s, and the statement did not run/)
  const gone = begin()
  gone.say({ kind: 'begins' })
  gone.say(null)
  expect(await gone.ended).toMatch(/^The process of the statement ended by itself/)
})
