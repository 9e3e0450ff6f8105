import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { identifyMemory } from '../../core/db/identify-memory.ts'
import { openMemory } from '../../core/db/open-memory.ts'
import { type Lcm, openLcm } from '../../core/lcm.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { copyOf } from '../db/fixtures.ts'

const SMALL = 'lossless-claude/small.sqlite'
const cacheDir = join(temporaryFolder(), 'cache')

async function withLcm<T>(path: string, body: (lcm: Lcm) => T | Promise<T>): Promise<T> {
  const lcm = openLcm(path, { cacheDir })
  try {
    return await body(lcm)
  } finally {
    lcm.close()
  }
}

function changed(sql: string): string {
  const path = copyOf(SMALL)
  const db = new Database(path)
  db.pragma('foreign_keys = OFF')
  db.exec(sql)
  db.close()
  return path
}

describe('lossless-claude', () => {
  it('recomputes time ranges that were written shifted, and keeps what the file says', async () => {
    const shifted = changed(
      `UPDATE summaries SET earliest_at = strftime('%Y-%m-%dT%H:%M:%fZ', earliest_at, '+5 hours'),
        latest_at = strftime('%Y-%m-%dT%H:%M:%fZ', latest_at, '+5 hours')`,
    )
    const ranges = (view: string) => (lcm: Lcm) =>
      lcm.read.all<{ from: number }>(`SELECT summary_id, earliest_at AS "from" FROM ${view} ORDER BY summary_id`)
    const sound = await withLcm(copyOf(SMALL), ranges('summaries'))
    expect(await withLcm(shifted, ranges('summaries'))).toEqual(sound)
    const stored = await withLcm(shifted, ranges('stored_ranges'))
    expect(stored.map(({ from }, index) => from - (sound[index]?.from ?? 0))).toEqual(sound.map(() => 5 * 3_600_000))
  })

  it('names the project that the folder is a hash of', () => {
    const copy = copyOf(SMALL, 'db.sqlite')
    const meta = join(dirname(copy), 'meta.json')
    const project = () => [identifyMemory(copy, { cacheDir }).project, opened(copy)]
    const opened = (file: string) => {
      const memory = openMemory(file, { cacheDir })
      memory.close()
      return memory.info.project
    }
    expect(project()).toEqual([null, null])
    for (const text of ['{"cwd":', '[]', '{"cwd":7}', '""']) {
      writeFileSync(meta, text)
      expect(project()).toEqual([null, null])
    }
    writeFileSync(meta, '{"cwd":"/home/me/shop","lastIngest":1}')
    expect(project()).toEqual(['/home/me/shop', '/home/me/shop'])
  })
})
