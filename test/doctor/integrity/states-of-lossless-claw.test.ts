import { closeSync, openSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openLcm } from '#core/lcm.ts'
import { readSettings } from '#core/settings/settings.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { plan } from '../repair/doctor.ts'
import { OUTPUT, SMALL, twin } from '../rules/faults/lossless.ts'
import { damagedCopy, faultsIn, fired, resultOf, scanFile } from './scan-file.ts'

describe('a fault in a stored file of lossless-claw', () => {
  it('is found in a stored file of the right size by its number of lines', async () => {
    const path = damagedCopy(SMALL, '')
    const file = join(dirname(path), `lcm-files/1/${OUTPUT}.txt`)
    writeFileSync(file, 'x'.repeat(statSync(file).size))
    expect(faultsIn(await scanFile(path))).toEqual(['file_lines'])
  })
})

describe('a harmless state of a file of lossless-claw', () => {
  it.each([
    ['messages of a release before the hash', 'UPDATE messages SET identity_hash = NULL WHERE message_id < 9'],
    ['a session that followed another', `UPDATE message_parts SET session_id = 'earlier' WHERE message_id < 40`],
    ['a session of many turns between', `UPDATE message_parts SET session_id = 'b' WHERE message_id BETWEEN 20 AND 40`],
    [
      'a compaction that was asked for when nobody has spoken since',
      `INSERT INTO conversation_compaction_maintenance (conversation_id, pending, requested_at, reason)
        VALUES (1, 1, '2025-12-01T08:10:00.000Z', 'threshold')`,
    ],
  ])('has no finding: %s', async (_what, sql) => {
    expect(fired(await scanFile(damagedCopy(SMALL, sql)))).toEqual([])
  })

  it('has no finding when a message repeats an earlier one at a later time', async () => {
    const later = twin(`role, content, token_count, identity_hash, datetime(created_at, '+1 minute')`)
    expect(fired(await scanFile(damagedCopy(SMALL, later)))).toEqual([])
  })

  it('has no finding when another writer stored a message at the end without parts', async () => {
    const plain = `INSERT INTO messages (message_id, conversation_id, seq, role, content, token_count, created_at)
        VALUES (69, 1, 69, 'user', 'And now?', 2, '2025-09-01 12:00:00');
      INSERT INTO messages_fts (rowid, content) VALUES (69, 'And now?');
      INSERT INTO context_items VALUES (1, 12, 'message', 69, NULL, datetime('now'))`
    expect(fired(await scanFile(damagedCopy(SMALL, plain)))).toEqual([])
  })

  it('has no error when its own system removed a whole turn', async () => {
    const from = "(SELECT max(seq) FROM messages WHERE role = 'user' AND seq < 1000)"
    const pruned = `UPDATE messages SET seq = seq + 1000 WHERE seq >= ${from}; UPDATE messages SET seq = seq - 996 WHERE seq > 1000`
    const report = await scanFile(damagedCopy(SMALL, pruned))
    expect(fired(report)).toEqual(['pruned_expected'])
    expect(report.ok).toBe(true)
  })
})

describe('a file of lossless-claw that lost a table or a page', () => {
  it.each(['summary_parents', 'summary_messages', 'context_items'])('is read without the table %s', async (table) => {
    const path = damagedCopy(SMALL, `DROP TABLE ${table}`)
    const lcm = await openLcm(path, { readOnly: true, cacheDir: temporaryFolder(), settings: readSettings({}) })
    expect(lcm.info.lacks?.join(' ')).toContain(`the table ${table} is gone`)
    expect(lcm.read.value('SELECT count(*) FROM messages')).toBe(68)
    lcm.close()
    const report = await scanFile(path)
    expect(faultsIn(report)).toEqual(['table_lost'])
    expect(resultOf(report, 'table_lost').samples[0]?.detail).toContain(table)
    expect((await plan(path)).steps.filter(({ risk }) => risk !== 'manual')).toEqual([])
  })

  it.each(['messages', 'summaries'])('is refused with the name of the lost table: %s', async (table) => {
    const path = damagedCopy(SMALL, `DROP TABLE ${table}`)
    const open = () => openLcm(path, { readOnly: true, cacheDir: temporaryFolder(), settings: readSettings({}) })
    await expect(open()).rejects.toThrow(`it has lost the table ${table}`)
  })

  it('is read when a page of messages is blank, and the page is named', async () => {
    const path = damagedCopy(SMALL, '')
    const file = openSync(path, 'r+')
    writeSync(file, Buffer.alloc(4096), 0, 4096, 4096 * 30)
    closeSync(file)
    expect(fired(await scanFile(path))).toContain('sqlite_integrity')
  })
})
