import { closeSync, openSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openLcm } from '../../core/lcm.ts'
import { readSettings } from '../../core/settings/settings.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { FIXTURES } from '../db/fixtures.ts'
import { plan } from '../repair/doctor.ts'
import type { Fault } from './lossless-claw-faults.ts'
import { marksOf } from './marks.ts'
import { damagedCopy, faultsIn, fired, resultOf, scanFile } from './scan-file.ts'

const SMALL = join(FIXTURES, 'lossless-claw/small.db')
const { leaf: LEAF, first: FIRST, leafWithFile: WITH_FILE, output: OUTPUT } = marksOf(SMALL)

/** A message behind the others that says what the last one says. */
const twin = (columns: string): string => `
  INSERT INTO messages (message_id, conversation_id, seq, role, content, token_count, identity_hash, created_at)
    SELECT 69, 1, 69, ${columns} FROM messages WHERE message_id = 68;
  INSERT INTO messages_fts (rowid, content) SELECT 69, content FROM messages WHERE message_id = 69;
  INSERT INTO context_items VALUES (1, 12, 'message', 69, NULL, datetime('now'));
  INSERT INTO message_parts (part_id, message_id, session_id, part_type, ordinal, text_content)
    SELECT 'twin', 69, 'session-small-0', 'text', 0, content FROM messages WHERE message_id = 69;`

const faults: readonly Fault[] = [
  {
    name: 'message whose hash is gone among messages that have one',
    check: 'content_hash',
    at: 'msg_30',
    damage: 'UPDATE messages SET identity_hash = NULL WHERE message_id = 30',
  },
  {
    name: 'link that is gone from the middle of a leaf',
    check: 'coverage_gap',
    at: 'msg_',
    damage: `DELETE FROM summary_messages WHERE summary_id = '${LEAF}' AND ordinal = 1`,
  },
  {
    name: 'leaf whose links are numbered with a gap',
    check: 'source_gap',
    at: LEAF,
    damage: `UPDATE summary_messages SET ordinal = ordinal + 4 WHERE summary_id = '${LEAF}' AND ordinal > 0`,
  },
  {
    name: 'condensed node whose first source is not the first',
    check: 'source_gap',
    at: FIRST,
    damage: `UPDATE summary_parents SET ordinal = ordinal + 1 WHERE summary_id = '${FIRST}'`,
  },
  {
    name: 'part of another session',
    check: 'part_session',
    at: 'msg_20',
    damage: `UPDATE message_parts SET session_id = 'elsewhere' WHERE message_id = 20`,
  },
  {
    name: 'file of which nothing tells what is in it',
    check: 'exploration_missing',
    at: OUTPUT,
    damage: `UPDATE large_files SET exploration_summary = NULL WHERE file_name = 'bash.txt'`,
  },
  {
    name: 'compaction that turn after turn passed over',
    check: 'compaction_failing',
    at: '2025-09-01T08:10:00.000Z',
    damage: `INSERT INTO conversation_compaction_maintenance (conversation_id, pending, requested_at, reason)
      VALUES (1, 1, '2025-09-01T08:10:00.000Z', 'threshold')`,
  },
  {
    name: 'message that was recorded twice',
    check: 'duplicate_message',
    at: 'msg_69',
    damage: twin('role, content, token_count, identity_hash, created_at'),
  },
  {
    name: 'entry of the transcript that two messages are from',
    check: 'duplicate_message',
    at: 'msg_4',
    damage: `DROP INDEX messages_conv_entry_unique_idx; UPDATE messages SET transcript_entry_id = 'e' WHERE message_id IN (3, 4);
      CREATE INDEX messages_conv_entry_unique_idx ON messages (conversation_id, transcript_entry_id)`,
  },
  {
    name: 'message without its parts',
    check: 'part_missing',
    at: 'msg_16',
    damage: 'DELETE FROM message_parts WHERE message_id = 16',
  },
  {
    name: 'part that is gone from the middle',
    check: 'part_order',
    damage: `UPDATE message_parts SET ordinal = 7 WHERE part_id = (SELECT part_id FROM message_parts WHERE ordinal = 1 LIMIT 1)`,
  },
  {
    name: 'part whose text was changed',
    check: 'part_text',
    at: 'msg_1',
    damage: `UPDATE message_parts SET text_content = 'forged' WHERE message_id = 1`,
  },
  {
    name: 'result that names no call',
    check: 'tool_result_uncalled',
    at: 'msg_16',
    damage: 'UPDATE message_parts SET tool_call_id = NULL WHERE message_id = 16',
  },
  {
    name: 'message from a month before its neighbours',
    check: 'time_order',
    at: 'msg_60',
    damage: `UPDATE messages SET created_at = '2025-08-01 08:09:09' WHERE message_id = 60`,
  },
  {
    name: 'summary made at no time',
    check: 'creation_time',
    at: LEAF,
    damage: `UPDATE summaries SET created_at = 'soon' WHERE summary_id = '${LEAF}'`,
  },
  {
    name: 'summary that is older than its messages',
    check: 'creation_time',
    at: LEAF,
    damage: `UPDATE summaries SET created_at = '2020-01-01 00:00:00' WHERE summary_id = '${LEAF}'`,
  },
  {
    name: 'conversation that began at no time',
    check: 'creation_time',
    damage: `UPDATE conversations SET created_at = 'x'`,
  },
  {
    name: 'conversation of no session',
    check: 'invalid_value',
    damage: `UPDATE conversations SET session_id = ' '`,
  },
  {
    name: 'file of a negative size',
    check: 'invalid_value',
    at: OUTPUT,
    damage: `UPDATE large_files SET byte_size = -1 WHERE file_name = 'bash.txt'`,
  },
  {
    name: 'file with another number of lines',
    check: 'file_lines',
    at: OUTPUT,
    damage: `UPDATE large_files SET line_count = 3 WHERE file_name = 'bash.txt'`,
  },
  {
    name: 'summaries that forgot their files',
    check: 'file_reference_lost',
    at: WITH_FILE,
    damage: `UPDATE summaries SET file_ids = '[]'`,
  },
  {
    name: 'numbers that jump in the middle of a turn',
    check: 'sequence_gap',
    at: 'msg_61',
    damage: 'UPDATE messages SET seq = seq + 10 WHERE seq > 60',
  },
]

describe('a fault in a file of lossless-claw', () => {
  it.each(faults)(
    'is found by its rule alone, except for what follows from it: $name, $check',
    async ({ check, at, damage }) => {
      const report = await scanFile(damagedCopy(SMALL, damage))
      expect(report.ok).toBe(false)
      expect(faultsIn(report)).toEqual([check])
      if (at) expect(JSON.stringify(resultOf(report, check).samples)).toContain(at)
    },
  )

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
