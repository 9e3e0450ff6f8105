import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { buildMemory, type TestMemory } from '../builders/memory.ts'
import { FIXTURES } from '../db/fixtures.ts'
import { copyWithLedger, ended, line, lines } from '../dialects/decapod-files.ts'
import { changedCopy } from '../dialects/foreign-files.ts'
import { resultOf, scanFile } from '../integrity/scan-file.ts'

let memory: TestMemory
afterEach(() => memory?.close())

const countOf = async (path: string, rule: string): Promise<number> => resultOf(await scanFile(path), rule).count

it('a tool call without a result is found before the newest message', async () => {
  memory = buildMemory()
  const call = { part_type: 'tool', tool_call_id: 'call_1', tool_name: 'bash', tool_input: '{}' } as const
  const conversation = memory.conversation()
  memory.message(conversation, { role: 'assistant', content: '', parts: [call] })
  expect(await countOf(memory.path, 'tool_call_unanswered')).toBe(0)
  memory.message(conversation, { role: 'user', content: 'Never mind.' })
  expect(await countOf(memory.path, 'tool_call_unanswered')).toBe(1)
})

it('a conversation above the threshold that was never compacted is found', async () => {
  memory = buildMemory()
  const conversation = memory.conversation()
  memory.message(conversation, { content: 'long '.repeat(10), tokens: 10_000_000 })
  expect(await countOf(memory.path, 'never_compacted')).toBe(1)
})

it('a native file of an older schema that is only read is found', async () => {
  memory = buildMemory()
  memory.message(memory.conversation())
  expect(await countOf(memory.path, 'schema_version')).toBe(0)
  const version = memory.db.value<number>('PRAGMA user_version') ?? 0
  memory.db.exec(`PRAGMA user_version = ${version - 1}`)
  expect(await countOf(memory.path, 'schema_version')).toBe(1)
})

it('time ranges that are shifted by an offset from UTC are found where a system writes them like that', async () => {
  const shifted = changedCopy(join(FIXTURES, 'lossless-claude/small.sqlite'), (db) =>
    db.exec(`UPDATE summaries SET earliest_at = strftime('%Y-%m-%dT%H:%M:%SZ', earliest_at, '+2 hours'),
      latest_at = strftime('%Y-%m-%dT%H:%M:%SZ', latest_at, '+2 hours')`),
  )
  expect(await countOf(shifted, 'time_range_shifted')).toBeGreaterThan(0)
})

it('an event that stands in a ledger twice is found', async () => {
  const [first = ''] = lines
  const path = copyWithLedger(ended([...lines, first]))
  expect(await countOf(path, 'ledger_duplicate_event')).toBe(1)
})

it('a line that is older than the one before it is found in a ledger', async () => {
  const path = copyWithLedger(ended(lines) + line('Said long ago.', { ts: '1000000000Z' }))
  expect(await countOf(path, 'ledger_time_order')).toBe(1)
})
