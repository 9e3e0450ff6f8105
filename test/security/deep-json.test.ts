// JSON that can be parsed, and that takes more stack than there is to write or convert.
import { describe, expect, it } from 'vitest'
import { ledgerSanitizer } from '#core/ledger/export-ledger.ts'
import { toLine } from '#core/ledger/ledger-line.ts'
import { unitsOf } from '#core/models/summarizers/units.ts'
import { findings } from '#test/builders/findings.ts'
import { buildMemory } from '#test/builders/memory.ts'

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

describe('JSON that is nested too deeply to be written again', () => {
  it('stands in an extract as the text of the call that had it', () => {
    const call = { name: 'look', input: `{"what":${nested(19_000)}}` }
    const entry = { id: 'msg_1', kind: 'message', role: 'assistant', atMs: null, text: '', answer: null } as const
    const { units } = unitsOf([{ ...entry, calls: [call] }])
    expect(units.map(({ text }) => text).join('\n')).toContain('{"what":[[[')
  })

  it('is sanitized as a text in the export of a ledger', () => {
    const content = `{"changes":${nested(100_000)},"key":"sk-ant-api03-${'a'.repeat(40)}"}`
    const event = { actor: 'user', content_hash: '', event_id: 'e', kind: 'event', metadata: {}, ts: '1Z' } as const
    const line = ledgerSanitizer((text) => text.replace(/sk-ant-[\w-]+/, 'a secret'))(toLine({ ...event, content }))
    expect(line).toContain('a secret')
    expect(line).toContain('[[[[')
  })
})

it('a list of files whose elements are no text leaves the checks at work', async () => {
  using memory = buildMemory()
  const conversationId = memory.conversation({ messages: ['one', 'two'] })
  memory.leaf(conversationId, [1, 2], { id: 'sum_1' })
  memory.db.run(`UPDATE summaries SET file_ids = '[{"toString":1,"valueOf":1},${nested(50_000)}]'`)
  await expect(findings(memory.path)).resolves.toBeInstanceOf(Array)
})
