// A driver gives the next number that it can hold for an integer beyond 2⁵³. These commands neither fail at it nor show it.
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { buildMemory } from '../builders/memory.ts'
import { lcmHere } from '../doors/cli/lcm.ts'

const BEYOND = '9007199254740993'

it.each([['messages'], ['stats'], ['grep', 'walrus'], ['context'], ['export', '--format', 'json']])(
  'answers %s of a native memory in which a message without parts has an id beyond 2⁵³',
  async (...args) => {
    using memory = buildMemory()
    const conversation = memory.conversation()
    memory.message(conversation, 'one walrus')
    memory.message(conversation, { content: 'two walrus', parts: [] })
    const db = new Database(memory.path)
    db.pragma('foreign_keys = OFF')
    for (const name of db
      .prepare(`SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name NOT LIKE '%fts%'`)
      .pluck()
      .all())
      db.exec(`DROP TRIGGER "${name}"`)
    const changed = db.prepare(`UPDATE messages SET message_id = ${BEYOND} WHERE content = 'two walrus'`).run()
    db.prepare(`UPDATE context_items SET message_id = ${BEYOND} WHERE message_id = 2`).run()
    db.close()
    expect(changed.changes).toBe(1)
    const ran = await lcmHere([...args, '--db', memory.path, '--json'])
    expect([ran.code, ran.stderr]).toEqual([0, ''])
    expect(ran.stdout).not.toContain('9007199254740992')
  },
)
