import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { FIXTURES } from '#test/sqlite/fixtures.ts'
import { withLcm } from '#test/systems/every-service.ts'
import { changedCopy } from '#test/systems/foreign-files.ts'
import { resultOf, scanFile } from '../integrity/scan-file.ts'
import { blockAgain } from '../rules/faults/duplicates.ts'
import { copied } from '../working-copy/copying.ts'
import { apply, fired, plan, scan } from './doctor.ts'

const SMALL = join(FIXTURES, 'lossless-claw/small.db')
const cacheDir = join(temporaryFolder(), 'cache')
/** The messages 59 to 68 once more, as 69 to 78. */
const REPEATED = Array.from({ length: 10 }, (_, index) => `msg_${69 + index}`)

function windowIn(path: string): unknown[] {
  const db = new Database(path, { readonly: true })
  const rows = db.prepare('SELECT message_id, summary_id FROM context_items ORDER BY ordinal').all()
  db.close()
  return rows
}

function textsIn(path: string): unknown[] {
  const db = new Database(path, { readonly: true })
  const rows = db.prepare('SELECT message_id, seq, role, content FROM messages ORDER BY message_id').all()
  db.close()
  return rows
}

describe('messages that were stored twice', () => {
  it('are planned to leave the window of a file of another system, with what they cost there', async () => {
    const path = changedCopy(SMALL, (db) => db.exec(blockAgain))
    const { steps, onlyExport } = await plan(path)
    expect(onlyExport).toMatch(/belongs to lossless-claw and stays as it is/)
    expect(steps.map(({ id, risk }) => [id, risk])).toEqual([['duplicate_message:1', 'safe']])
    const tokens = stored(path)
    expect(steps[0]?.title).toBe(`Take 10 repeated messages of ${tokens.toLocaleString('en')} tokens out of the window`)
    expect(steps[0]?.nodes).toEqual(REPEATED)
    const [sample] = resultOf(await scanFile(path), 'duplicate_message').samples
    expect(sample?.detail).toBe(
      `is msg_59 stored again (came again in the same order at once), one of 10 in a row; ${tokens.toLocaleString('en')} tokens in the window are spent twice`,
    )
  })

  it('leave the window of a working copy and stay in its file, and nothing misses them afterwards', async () => {
    const before = await copied(SMALL)
    const { path } = await copied(changedCopy(SMALL, (db) => db.exec(blockAgain)))
    const texts = textsIn(path)
    expect(fired(await scan(path))).toEqual(['tool_call_repeated', 'duplicate_message'])
    const result = await apply(path, ['duplicate_message:1'])
    expect(result).toMatchObject({ rolledBack: null, skipped: [], left: [] })
    expect(windowIn(path)).toEqual(windowIn(before.path))
    expect(textsIn(path)).toEqual(texts)
    expect(fired(await scan(path))).toEqual([])
    await withLcm(path, cacheDir, (lcm) => {
      expect(lcm.strata.get({ conversationId: 1, axis: 'messages' }).marks).toEqual([])
    })
    // A working copy of the repaired file knows it, too.
    expect(fired(await scan((await copied(path)).path))).toEqual([])
  })

  it('are missed when something else took them out of the window', async () => {
    const { path } = await copied(changedCopy(SMALL, (db) => db.exec(blockAgain)))
    const db = new Database(path)
    db.exec('DELETE FROM context_items WHERE message_id = 75')
    db.close()
    expect(fired(await scan(path))).toContain('coverage_gap')
  })
})

function stored(path: string): number {
  const db = new Database(path, { readonly: true })
  const tokens = db.prepare('SELECT sum(token_count) FROM messages WHERE message_id > 68').pluck().get()
  db.close()
  return Number(tokens)
}
