import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { FIXTURES } from '../sqlite/fixtures.ts'
import { folderState } from '../sqlite/folder-state.ts'
import { askEveryService, withLcm } from './every-service.ts'
import { changedCopy, loosened, WITHOUT_CONSTRAINTS } from './foreign-files.ts'

const SMALL = join(FIXTURES, 'pi-lcm/small.db')
const cacheDir = join(temporaryFolder(), 'cache')

describe('a file of pi-lcm', () => {
  describe('a damaged file', () => {
    it.each([
      [
        'nothing in it',
        'DELETE FROM messages; DELETE FROM summaries; DELETE FROM summary_sources; DELETE FROM conversations; DELETE FROM _metadata; DELETE FROM _schema_version',
      ],
      ['no conversations table', 'DROP TABLE conversations'],
      ['no summaries table', 'DROP TABLE summaries'],
      [
        'none of the optional columns',
        'ALTER TABLE messages DROP COLUMN tool_name; ALTER TABLE messages DROP COLUMN is_compacted; ALTER TABLE messages DROP COLUMN entry_id; ALTER TABLE summaries DROP COLUMN metadata_json; ALTER TABLE conversations DROP COLUMN session_file',
      ],
      [
        'links that lead nowhere and in circles',
        `INSERT INTO summary_sources VALUES ('nobody', 'message', 'nothing', 0), ((SELECT id FROM summaries WHERE rowid = 1), 'message', 'gone', 50),
        ((SELECT id FROM summaries WHERE rowid = 8), 'summary', (SELECT id FROM summaries WHERE rowid = 8), 9), ((SELECT id FROM summaries WHERE rowid = 1), 'summary', (SELECT id FROM summaries WHERE rowid = 8), 9),
        ((SELECT id FROM summaries WHERE rowid = 2), 'dream', 'x', 3)`,
      ],
      [
        'broken JSON',
        `UPDATE messages SET content_json = substr(content_json, 1, 30) WHERE rowid % 3 = 0; UPDATE messages SET content_json = '"text"' WHERE rowid % 7 = 1; UPDATE messages SET content_json = '[]' WHERE rowid % 7 = 2;
        UPDATE messages SET content_json = '{"content":[{"type":"text","text":{"a":[1]}},{"type":{"b":1}},{"type":"toolCall"},{"type":"image","data":7}]}' WHERE rowid % 7 = 3; UPDATE summaries SET metadata_json = '{'`,
      ],
      [
        'JSON that is very deep',
        `UPDATE messages SET content_json = '{"role":"user","content":' || replace(printf('%1500.0c', ' '), ' ', '[') || replace(printf('%1500.0c', ' '), ' ', ']') || '}' WHERE rowid = 1`,
      ],
      [
        'huge numbers',
        `UPDATE messages SET token_estimate = 9223372036854775807 WHERE rowid = 1; UPDATE messages SET timestamp = 4102444800000000 WHERE rowid = 2; UPDATE summaries SET depth = 900000 WHERE rowid = 8`,
      ],
      [
        'anything in any column',
        loosened(
          ['messages', 'summaries', 'summary_sources', 'conversations'],
          `
        UPDATE messages SET role = NULL, content_text = NULL WHERE rowid = 1; UPDATE messages SET content_json = NULL, conversation_id = NULL WHERE rowid = 2; UPDATE messages SET content_text = x'ff00' WHERE rowid = 3;
        UPDATE messages SET seq = 'first', timestamp = 'then', token_estimate = 'much' WHERE rowid = 4; UPDATE messages SET id = NULL WHERE rowid = 5; UPDATE messages SET id = 'same' WHERE rowid IN (6, 7);
        UPDATE messages SET seq = 3 WHERE rowid IN (8, 9); UPDATE messages SET content_json = x'7b7d' WHERE rowid = 10; UPDATE summaries SET depth = 'deep' WHERE rowid = 2; UPDATE summaries SET text = NULL, id = NULL WHERE rowid = 3;
        UPDATE summaries SET conversation_id = NULL, created_at = 5 WHERE rowid = 4; UPDATE summary_sources SET source_id = NULL WHERE rowid = 5; UPDATE summary_sources SET seq = 'x', summary_id = NULL WHERE rowid = 6; INSERT INTO summary_sources SELECT * FROM summary_sources LIMIT 3;
        UPDATE conversations SET id = 4, session_id = NULL, cwd = NULL WHERE rowid = 2`,
        ),
      ],
    ])('answers every service: %s', async (_what, sql) => {
      const path = changedCopy(SMALL, (db) => db.exec(`${WITHOUT_CONSTRAINTS}; ${sql}`))
      const before = folderState(dirname(path))
      await withLcm(path, cacheDir, askEveryService)
      expect(folderState(dirname(path))).toEqual(before)
    })
  })
})
