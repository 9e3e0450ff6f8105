import { describe, expect, it } from 'vitest'
import { ownIndexes } from '#core/search/indexes/native-text-index.ts'
import { indexPending } from '#core/sqlite/pending-index.ts'
import { NATIVE_CAPABILITIES } from '#core/systems/opening/open.ts'
import { buildMemory } from '../builders/memory.ts'

// Proves that the notes in which a file says what its index still lacks are believed for nothing: whatever they say, a
// few steps settle each of them, no message is indexed twice, and none stays to be settled again.

const NOTES: readonly (readonly [key: string, value: string])[] = [
  ['1', '0'],
  ['1', '-99999999999999999999'],
  ['1', 'constructor'],
  ['999999', '0'],
  ['-1', '3'],
  ['9e99', '0'],
  ['', ''],
  ['abc', '5'],
  ['0x1', '0'],
  ['1.5', '2'],
]

describe('a note of a pending index', () => {
  it.each(NOTES)('is settled when it names the message %j and the place %j', async (message, value) => {
    const { db } = buildMemory({ conversations: [{ messages: ['hello', 'world'] }] })
    const key = `index_pending:${message}`
    db.run('INSERT INTO lcm_meta (key, value) VALUES (:key, :value)', { key, value })
    let steps = 0
    for await (const _ of indexPending(db)) steps += 1
    expect(steps).toBeLessThan(3)
    expect(db.column(`SELECT key FROM lcm_meta WHERE key LIKE 'index_pending:%'`)).toEqual([])
    for (const table of ['messages_fts', 'messages_trigram']) {
      db.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('integrity-check', 1)`)
    }
    db.close()
  })

  it('keeps searches from the index while it is there, and no longer', () => {
    const { db } = buildMemory({ conversations: [{ messages: ['hello', 'world'] }] })
    const source = ownIndexes(db, NATIVE_CAPABILITIES)
    expect(source.current()).not.toBeNull()
    db.run(`INSERT INTO lcm_meta (key, value) VALUES ('index_pending:2', '0')`)
    expect(source.current()).toBeNull()
    db.run(`DELETE FROM lcm_meta WHERE key = 'index_pending:2'`)
    expect(source.current()).not.toBeNull()
    db.close()
  })
})
