import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { rawRows } from '#core/browse/raw-rows.ts'
import { openLcm } from '#core/lcm.ts'
import { buildMemory } from '../builders/memory.ts'
import { WRITERS } from '../builders/systems/every-writer.ts'
import { tellStory } from '../builders/systems/story.ts'
import { writeStory } from '../builders/systems/system.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

async function opened(path: string) {
  const lcm = await openLcm(path, { readOnly: true, cacheDir: temporaryFolder() })
  onTestFinished(() => lcm.close())
  return lcm
}

describe('the rows behind a node', () => {
  it('are those of a native file, with bytes as hexadecimal, long texts cut, and the parts of a message', async () => {
    const built = buildMemory()
    const conversation = built.conversation()
    const message = built.message(conversation, {
      content: 'a'.repeat(30_000),
      parts: [{ part_type: 'reasoning', text_content: 'thought' }],
    })
    built.db.close()
    const lcm = await opened(built.path)
    const { rows, cutValues } = rawRows(lcm.read, `msg_${message}`)
    expect(rows.map(({ table, isStored }) => [table, isStored])).toEqual([
      ['messages', true],
      ['message_parts', true],
    ])
    const columns = new Map(rows[0]?.columns.map(({ name, value }) => [name, value]))
    expect(columns.get('content')).toBe('a'.repeat(20_000))
    expect([columns.get('message_id'), cutValues]).toEqual([message, 1])
    expect(() => rawRows(lcm.read, 'msg_99')).toThrow(/msg_99/)
  })

  it.each(WRITERS)('are found in the tables of $name itself', async (writer) => {
    const path = join(temporaryFolder(), 'memory.db')
    writeStory(writer, path, writer.tell(tellStory({ seed: 5, turns: 3 })))
    const file = new Database(path, { readonly: true })
    const tables = file.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).pluck().all()
    file.close()
    const lcm = await opened(path)
    const { conversationId } = lcm.stats.conversations()[0] ?? { conversationId: 0 }
    const [message] = lcm.transcript.page({ conversationId, offset: 0, limit: 1, contentChars: 10 }).messages
    const summaries = lcm.strata.get({ conversationId, axis: 'messages' }).summaries.id
    for (const id of [message?.id ?? '', ...summaries.slice(0, 1)]) {
      const { rows } = rawRows(lcm.read, id)
      expect([id, rows.length > 0]).toEqual([id, true])
      for (const row of rows.filter(({ isStored }) => isStored)) expect(tables).toContain(row.table)
      for (const { columns } of rows) expect(columns.length).toBeGreaterThan(2)
    }
  })
})
