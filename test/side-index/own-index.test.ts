import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { detectDialect } from '../../core/db/dialects/registry.ts'
import { inspectFile } from '../../core/db/memory-file.ts'
import { connectReadOnly } from '../../core/db/read-only-connection.ts'
import { probeSchema } from '../../core/db/schema-probe.ts'
import { type OwnIndexState, ownIndexState } from '../../core/side-index/own-index.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { copyOf, hasFixtures } from '../db/fixtures.ts'

function statesOf(path: string): Record<string, OwnIndexState> {
  const { db, close } = connectReadOnly(inspectFile(path), temporaryFolder())
  try {
    const system = detectDialect(probeSchema(db))?.system ?? 'native'
    return Object.fromEntries(ownIndexState(db, { system }).map((state) => [state.table, state]))
  } finally {
    close()
  }
}

function edited(fixture: string, sql: string): string {
  const path = copyOf(fixture)
  const db = new Database(path).unsafeMode(true)
  db.exec(sql)
  db.close()
  return path
}

describe.runIf(hasFixtures)('the full-text tables of another system’s file', () => {
  it('are sound in files as their systems leave them', () => {
    const files = [
      'lossless-claw/small.db',
      'lossless-claw/rich.db',
      'lossless-claude/small.sqlite',
      'hermes-lcm/small.db',
      'lcm-x/small.db',
      'argentos/small.db',
      'argentos/gateway.db',
      'pi-lcm/small.db',
    ]
    for (const file of files) {
      const states = Object.values(statesOf(copyOf(file)))
      expect(states.length, file).toBeGreaterThan(0)
      expect(
        states.filter(({ state }) => state !== 'sound'),
        file,
      ).toEqual([])
    }
  })

  it('miss rows that have a text, though the counts of an external table would agree', () => {
    expect(statesOf(copyOf('lossless-claw/corrupt/fts_missing_rows.db')).messages_fts).toMatchObject({
      state: 'drifted',
      rowsMissing: 30,
      rowsStale: 0,
    })
    const damaged = statesOf(copyOf('hermes-lcm/damaged.db')).messages_fts
    expect(damaged).toMatchObject({ state: 'drifted', missingTriggers: ['INSERT'] })
    expect(damaged?.examples).toContain(82)
  })

  it('are missing where they ought to be', () => {
    expect(statesOf(copyOf('lossless-claw/corrupt/fts_table_dropped.db'))).toMatchObject({
      messages_fts: { state: 'sound' },
      summaries_fts: { state: 'missing' },
      summaries_fts_cjk: { state: 'sound' },
    })
  })

  it('are stale when a text was changed or removed without them', () => {
    const path = edited(
      'lossless-claw/small.db',
      `UPDATE messages SET content = 'repaired' WHERE message_id = 3;
       UPDATE summaries SET content = 'repaired' WHERE depth = 2;
       PRAGMA foreign_keys = OFF; DELETE FROM messages WHERE message_id = 5`,
    )
    expect(statesOf(path)).toMatchObject({
      messages_fts: { state: 'drifted', rowsMissing: 0, rowsStale: 2, examples: [5, 3] },
      summaries_fts: { state: 'drifted', rowsMissing: 0, rowsStale: 1 },
    })
  })

  it('are damaged when what they are made of is gone', () => {
    const path = edited(
      'lossless-claw/small.db',
      "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'messages_fts_docsize'",
    )
    expect(statesOf(path).messages_fts?.state).toBe('damaged')
  })
})
