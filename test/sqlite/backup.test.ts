import { readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { backUp } from '#core/sqlite/backup.ts'
import { openNative } from '#core/sqlite/native.ts'
import { runToEnd } from '#core/yielding.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

it('a backup removes what a killed process left of an earlier one, and nothing else', async () => {
  const path = join(temporaryFolder(), 'lcm.db')
  openNative(path).close()
  const name = 'lcm.db.backup-20260302T090000000Z.db'
  const left = [`${name}.partial-999999999-abc123`, `${name}.partial-999999999-abc123-journal`]
  const others = [name, `${name}.partial-${process.pid}-abc123`, 'other.db.backup-1.db.partial-999999999-abc123']
  for (const one of [...left, ...others]) writeFileSync(join(dirname(path), one), '')
  const request = { path, nowMs: Date.UTC(2026, 2, 3), verify: async () => null }
  await runToEnd(backUp(request, new AbortController().signal))
  const made = 'lcm.db.backup-20260303T000000000Z.db'
  expect(readdirSync(dirname(path)).sort()).toEqual(['lcm.db', made, ...others].sort())
})
