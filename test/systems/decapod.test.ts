import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { folderState } from '../sqlite/folder-state.ts'
import { copyWithLedger, ended, events, line, lines } from './decapod-files.ts'
import { askEveryService, withLcm } from './every-service.ts'
import { loosened } from './foreign-files.ts'

const cacheDir = join(temporaryFolder(), 'cache')

describe('a file of decapod', () => {
  describe('a damaged file', () => {
    const all = ended(lines)
    it.each([
      ['nothing in it', 'DELETE FROM originals_index; DELETE FROM summaries', all],
      ['nothing at all', 'DELETE FROM originals_index; DELETE FROM summaries', ''],
      ['summaries alone', 'DELETE FROM originals_index', ''],
      ['no meta table', 'DROP TABLE meta', all],
      [
        'broken lists of sources',
        `UPDATE summaries SET original_hashes = '["57a6' WHERE rowid = 1; UPDATE summaries SET original_hashes = '{"a": 1}' WHERE rowid = 2; UPDATE summaries SET original_hashes = '[1, null, [2], "nothing"]' WHERE rowid = 3; UPDATE summaries SET original_hashes = '7' WHERE rowid = 4`,
        all,
      ],
      [
        'other times',
        `UPDATE originals_index SET ts = '2026-03-02T09:00:39Z' WHERE rowid = 1; UPDATE originals_index SET ts = 'then' WHERE rowid = 2; UPDATE summaries SET ts = ''`,
        all,
      ],
      [
        'a list of sources as bytes, and one with a NUL and more behind its end',
        `UPDATE summaries SET original_hashes = CAST(original_hashes AS BLOB) WHERE rowid = 1; UPDATE summaries SET original_hashes = original_hashes || char(0) || 'more' WHERE rowid = 2`,
        all,
      ],
      ['a ledger without its last line feed', '', all.trimEnd()],
      [
        'a ledger with lines that are no events',
        '',
        `\n{}\n[]\nnull\n{"content_hash":"x"}\n${all}{"content":5,"content_hash":"y"}\n\u0000\n${all.slice(0, 500)}`,
      ],
      ['a ledger in which everything stands twice', '', all + all],
      [
        'a ledger of something else',
        '',
        line('elsewhere') +
          line('elsewhere too', { ts: '9', actor: 'user:ann', kind: 'artifact', metadata: { source: 'plan.md' } }),
      ],
      [
        'a text that is not the one of its hash',
        '',
        JSON.stringify({ ...events[0], content: 'another text' }) + all.slice(all.indexOf('\n')),
      ],
      [
        'anything in any column',
        loosened(
          ['originals_index', 'summaries'],
          `
        UPDATE originals_index SET content_hash = NULL WHERE rowid = 1; UPDATE originals_index SET content_hash = 7, session_id = 8, actor = NULL, kind = NULL WHERE rowid = 2; UPDATE originals_index SET ts = NULL, event_id = NULL WHERE rowid = 3;
        UPDATE originals_index SET byte_size = 'large' WHERE rowid = 4; UPDATE originals_index SET byte_size = -1, event_id = x'00' WHERE rowid = 5; UPDATE originals_index SET event_id = 'same' WHERE rowid IN (6, 7);
        UPDATE summaries SET summary_hash = NULL, summary_text = NULL WHERE rowid = 1; UPDATE summaries SET original_hashes = NULL, token_estimate = 'few', ts = 5 WHERE rowid = 2; UPDATE summaries SET original_hashes = x'5b5d' WHERE rowid = 3`,
        ),
        all,
      ],
    ])('answers every service: %s', async (_what, sql, ledger) => {
      const path = copyWithLedger(ledger, sql)
      const before = folderState(dirname(path))
      await withLcm(path, cacheDir, askEveryService)
      expect(folderState(dirname(path))).toEqual(before)
    })
  })
})
