import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { openLcm } from '#core/lcm.ts'
import { readSettings } from '#core/settings/settings.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { checkIntegrity } from '#test/systems/every-service.ts'

// A connection remembers the structure of a full-text index, and would compare the index with what it was.
it('full-text indexes that another process changed since they were last read cause no finding', async () => {
  const memory = buildMemory({ conversations: [{ messages: ['hello', 'world'] }] })
  memory.db.close()
  const cacheDir = join(temporaryFolder(), 'cache')
  const writer = new Database(memory.path)
  const lcm = await openLcm(memory.path, { cacheDir, settings: readSettings({}) })
  const alarms: string[] = []
  for (let round = 0; round < 12; round += 1) {
    writer
      .prepare(
        `INSERT INTO summaries (summary_id, conversation_id, kind, depth, token_count, source_token_count, descendant_count,
            created_at, level, summary_hash, content)
          VALUES (:id, 1, 'leaf', 0, 1, 1, 0, 0, 'normal', :hash, :content)`,
      )
      .run({ id: `sum_${round}`, hash: '0'.repeat(64), content: `words of lcm, round ${round}` })
    if (round % 4 === 2) writer.exec(`INSERT INTO summaries_fts (summaries_fts) VALUES ('optimize')`)
    const { checks } = await checkIntegrity(lcm)
    const found = checks.filter(({ id, count }) => id === 'sqlite_integrity' && count > 0)
    alarms.push(...found.flatMap(({ samples }) => samples.map(({ detail }) => detail)))
  }
  lcm.close()
  writer.close()
  expect(alarms).toEqual([])
})
