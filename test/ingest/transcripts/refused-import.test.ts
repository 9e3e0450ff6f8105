import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LcmError } from '#core/errors.ts'
import { openNative } from '#core/sqlite/native.ts'
import { withoutUnfilled } from '#core/sqlite/unfilled-memory.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'

const refused = new LcmError('transcript_unreadable', 'no')

describe('an import that is refused', () => {
  it('leaves no memory behind that it made and stored nothing in', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'new.db')
    const making = withoutUnfilled(path, async () => {
      openNative(path).close()
      throw refused
    })
    await expect(making).rejects.toBe(refused)
    expect(readdirSync(folder)).toEqual([])
    await expect(withoutUnfilled(path, () => Promise.reject(refused))).rejects.toBe(refused)
    expect(readdirSync(folder)).toEqual([])
  })

  it('leaves what was stored before it failed, and a file that was there before', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'new.db')
    const storing = withoutUnfilled(path, async () => {
      buildMemoryAt(path)
      throw refused
    })
    await expect(storing).rejects.toBe(refused)
    expect(existsSync(path)).toBe(true)

    const before = join(folder, 'before.db')
    openNative(before).close()
    await expect(withoutUnfilled(before, () => Promise.reject(refused))).rejects.toBe(refused)
    expect(existsSync(before)).toBe(true)

    const other = join(folder, 'other.txt')
    const writing = withoutUnfilled(other, async () => {
      writeFileSync(other, 'not a memory')
      throw refused
    })
    await expect(writing).rejects.toBe(refused)
    expect(existsSync(other)).toBe(true)
  })
})

function buildMemoryAt(path: string): void {
  using built = buildMemory({ conversations: [{ messages: ['a'] }] })
  built.db.run('VACUUM INTO :path', { path })
}
