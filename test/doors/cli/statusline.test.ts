import { join } from 'node:path'
import { expect, it } from 'vitest'
import { buildMemory } from '#test/builders/memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { copyOf } from '#test/sqlite/fixtures.ts'
import { lcmHere } from './lcm.ts'

const sample = join(import.meta.dirname, '../../../resources/sample.db')

it('the status line is one line with messages, summaries, depth, size and how full the window is', async () => {
  const { code, stdout, stderr } = await lcmHere(['statusline', '--db', sample])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^LCM: 468 msgs \| 43 summaries \(depth 2\) \| 1\.6 MB · \d+ % of window\n$/)
})

it('the figures of the status line are those of the memory, also of one conversation, and of another system', async () => {
  const stats = JSON.parse((await lcmHere(['stats', '--db', sample, '--json'])).stdout)
  const all = JSON.parse((await lcmHere(['statusline', '--db', sample, '--json'])).stdout)
  expect(all).toMatchObject({ messages: stats.messages, summaries: stats.summaries, bytes: stats.bytes })
  const [row] = stats.perConversation
  const one = ['statusline', '--db', sample, '--conversation', String(row.conversationId), '--json']
  expect(JSON.parse((await lcmHere(one)).stdout)).toMatchObject({ messages: row.messages, pressure: row.pressure })
  const other = await lcmHere(['statusline', '--db', copyOf('hermes-lcm/small.db')])
  expect(other.stdout).toMatch(/^LCM: \d+ msgs \| \d+ summaries/)
})

it('the status line of an empty memory has no depth, and one of nothing says on standard error what is missing', async () => {
  const memory = buildMemory({})
  expect((await lcmHere(['statusline', '--db', memory.path])).stdout).toMatch(/^LCM: 0 msgs \| 0 summaries \| /)
  memory.close()
  const missing = await lcmHere(['statusline', '--db', join(temporaryFolder(), 'nothing.db')])
  expect([missing.code, missing.stdout, missing.stderr]).toEqual([5, '', expect.stringContaining('file_missing')])
  const unknown = await lcmHere(['statusline', '--db', sample, '--conversation', '999'])
  expect([unknown.code, unknown.stdout]).toEqual([1, ''])
})
