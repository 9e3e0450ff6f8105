import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { FIXTURES } from '../sqlite/fixtures.ts'
import { folderState } from '../sqlite/folder-state.ts'
import { askEveryService, withLcm } from './every-service.ts'
import { changedCopy, loosened, WITHOUT_CONSTRAINTS } from './foreign-files.ts'

const cacheDir = join(temporaryFolder(), 'cache')

/** What no writer would write, a row each. */
const ODD = ['NULL', `'many'`, `x'ff00fe'`, '-5', '1e300', `'[1,'`, `'{"a":[null]}'`, `'[[1],"x",null,1.5]'`, `char(0)`]

const SPOILT = {
  'hermes-lcm/small.db': {
    messages: [
      'session_id',
      'source',
      'role',
      'content',
      'tool_call_id',
      'tool_calls',
      'tool_name',
      'timestamp',
      'token_estimate',
    ],
    summary_nodes: [
      'session_id',
      'depth',
      'summary',
      'token_count',
      'source_token_count',
      'source_ids',
      'source_type',
      'created_at',
      'earliest_at',
      'latest_at',
    ],
    lcm_lifecycle_state: [
      'conversation_id',
      'current_session_id',
      'last_finalized_session_id',
      'current_frontier_store_id',
    ],
  },
  'lcm-x/small.db': { messages: ['conversation_id', 'session_id'], lcm_lifecycle_state: ['conversation_id'] },
  'lossless-claude/small.sqlite': {
    conversations: ['session_id', 'title', 'created_at'],
    messages: ['conversation_id', 'seq', 'role', 'content', 'token_count', 'created_at'],
    message_parts: ['message_id', 'part_type', 'ordinal', 'metadata', 'tool_input'],
    summaries: ['kind', 'depth', 'content', 'token_count', 'earliest_at', 'created_at', 'file_ids'],
    summary_messages: ['summary_id', 'message_id', 'ordinal'],
    summary_parents: ['summary_id', 'parent_summary_id', 'ordinal'],
    context_items: ['ordinal', 'item_type', 'message_id', 'summary_id'],
    large_files: ['file_name', 'byte_size', 'storage_uri'],
  },
  'argentos/small.db': {
    messages: ['session_id', 'role', 'content', 'tool_call_id', 'content_blocks', 'created_at'],
    summaries: ['session_id', 'depth', 'content'],
    context_items: ['kind', 'ref_id', 'position'],
    large_files: ['session_id', 'file_path'],
  },
  'pi-lcm/small.db': {
    messages: ['id', 'conversation_id', 'role', 'content_text', 'content_json', 'seq', 'timestamp'],
    summaries: ['id', 'depth', 'text'],
    summary_sources: ['source_type', 'source_id'],
  },
  'decapod/small/lcm.db': {
    originals_index: ['content_hash', 'ts', 'kind', 'session_id'],
    summaries: ['summary_hash', 'original_hashes', 'summary_text'],
  },
} as const

const cases = Object.entries(SPOILT).flatMap(([fixture, tables]) =>
  Object.entries(tables).map(([table, columns]): [string, string, readonly string[]] => [fixture, table, columns]),
)

/** Every odd value in every column, in rows of their own where there are enough. */
const spoilt = (table: string, columns: readonly string[]): string =>
  columns
    .flatMap((column, shift) =>
      ODD.map(
        (value, index) =>
          `UPDATE ${table} SET ${column} = ${value} WHERE rowid % ${ODD.length * 3} = ${(index + shift * 4) % (ODD.length * 3)};`,
      ),
    )
    .join('\n')

describe('a file with any value in any column', () => {
  it.each(cases)('answers every service: %s, table %s', async (fixture, table, columns) => {
    const path = changedCopy(join(FIXTURES, fixture), (db) => {
      type Trigger = { name: string }
      for (const { name } of db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'trigger'`).all() as Trigger[]) {
        db.exec(`DROP TRIGGER ${name}`)
      }
      db.exec(`${WITHOUT_CONSTRAINTS}; ${loosened([table], spoilt(table, columns))}`)
    })
    const before = folderState(dirname(path))
    await withLcm(path, cacheDir, askEveryService)
    expect(folderState(dirname(path))).toEqual(before)
  })
})
