import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { LcmError } from '#core/errors.ts'
import { openNative } from '#core/sqlite/native.ts'
import type { WriteDb } from '#core/sqlite/read-db.ts'
import { runImport } from '#test/builders/import.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'

it('stores no conversation without messages when an import fails before its first messages are stored', async () => {
  const folder = temporaryFolder()
  using memory = openNative(join(folder, 'lcm.db'))
  const transcript = join(folder, 'session.jsonl')
  writeFileSync(transcript, `${JSON.stringify({ id: 'm-1', role: 'user', content: 'Look.' })}\n`)
  const failing: WriteDb = {
    ...memory,
    runRaw: (sql, values) => {
      if (sql.includes('INSERT INTO messages')) throw new LcmError('disk_full', 'There is no room.')
      return memory.runRaw(sql, values)
    },
  }
  await expect(runImport(failing, [transcript])).rejects.toMatchObject({ code: 'disk_full' })
  expect(memory.value('SELECT count(*) FROM conversations')).toBe(0)
  expect(await runImport(memory, [transcript])).toMatchObject({ added: 1 })
  expect(memory.value('SELECT count(*) FROM conversations')).toBe(1)
})
