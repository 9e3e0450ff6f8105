import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FIXTURES } from '#test/sqlite/fixtures.ts'
import { folderState } from '#test/sqlite/folder-state.ts'
import * as documents from './documents.ts'
import { document, lcmHere } from './lcm.ts'

const files = [
  'small',
  'rich',
  ...['0.1.2', '0.5.0', '0.8.1', '0.10.0', '0.13.0', '0.15.3', '1.0.0-beta.4'].map((v) => `legacy/v${v}`),
]
const fixture = (name: string): string => join(FIXTURES, 'lossless-claw', `${name}.db`)

describe('the memory of lossless-claw', () => {
  it('is read by every command, in every release, and not one byte of its folder changes', async () => {
    const before = folderState(FIXTURES)
    for (const name of files) {
      const db = ['--db', fixture(name)]
      const stats = await document(documents.Stats, ['stats', ...db])
      for (const { conversationId } of stats.perConversation) {
        const here = [...db, '--conversation', String(conversationId)]
        const { roots } = await document(documents.Tree, ['tree', ...here])
        await document(documents.Context, ['context', ...here])
        const [root] = roots
        if (!root) continue
        await document(documents.RenderedAnthropic, ['context', ...here, '--render', 'anthropic'])
        await document(documents.Description, ['describe', root.id, ...db])
        await document(documents.Lineage, ['lineage', root.id, ...db])
        await document(documents.Expansion, ['expand', root.id, '--messages', '--depth', '9', ...db])
        await document(documents.Plan, ['compact', '--plan', ...here])
      }
      const { total } = await document(documents.Grep, ['grep', 'the', ...db])
      expect(total > 0).toBe(stats.messages > 0)
      expect(await document(documents.Integrity, ['integrity', ...db])).toMatchObject({ ok: true })
    }
    expect(folderState(FIXTURES)).toEqual(before)
  })

  it('expands every summary to its messages, byte for byte', async () => {
    const db = ['--db', fixture('small')]
    const { roots } = await document(documents.Tree, ['tree', ...db])
    const args = ['--messages', '--depth', '9', '--token-cap', '1000000', ...db]
    for (const { id } of roots) {
      const { messages, truncated } = await document(documents.Expansion, ['expand', id, ...args])
      expect(truncated).toBe(false)
      for (const message of messages.filter((_, index) => index % 7 === 0)) {
        const { content } = await document(documents.Description, ['describe', message.id, ...db])
        expect(message.content).toBe(content)
      }
    }
  })

  it('is damaged with exit code 3 when a check finds something', async () => {
    for (const name of ['dag_cycle', 'message_lost_from_context', 'depth_wrong']) {
      const path = fixture(`corrupt/${name}`)
      const ran = await lcmHere(['integrity', '--db', path, '--json'])
      expect(ran.code, name).toBe(3)
      expect(documents.Integrity.parse(JSON.parse(ran.stdout)).ok).toBe(false)
    }
  })
})
