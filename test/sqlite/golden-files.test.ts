import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { GrepInput } from '#core/contract/retrieval.ts'
import { openLcm } from '#core/lcm.ts'
import { NATIVE_VERSION } from '#core/sqlite/native.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { fired, scanFile } from '../doctor/integrity/scan-file.ts'
import { folderState } from './folder-state.ts'

const VERSIONS = Array.from({ length: NATIVE_VERSION }, (_, index) => index + 1)

/** A file that the program of that version could have written. They never change (golden/make.ts makes new ones). */
function fileOf(version: number): { folder: string; path: string } {
  const folder = temporaryFolder()
  const path = join(folder, 'lcm.db')
  writeFileSync(path, gunzipSync(readFileSync(join(import.meta.dirname, `golden/native-${version}.db.gz`))))
  return { folder, path }
}

/** What the golden files hold, whatever their version. */
async function heldBy(path: string, readOnly: boolean) {
  using lcm = await openLcm(path, { readOnly })
  const { hits } = await lcm.retrieval.grep(GrepInput.parse({ query: 'the', limit: 50 }))
  return {
    version: Number(lcm.info.systemVersion),
    messages: lcm.read.all('SELECT message_id, conversation_id, seq, role, content FROM messages ORDER BY message_id'),
    summaries: lcm.read.all('SELECT summary_id, depth, content FROM summaries ORDER BY summary_rowid'),
    window: lcm.read.all('SELECT * FROM context_items ORDER BY conversation_id, ordinal'),
    hits: hits.map(({ id }) => id),
  }
}

describe.each(VERSIONS)('a native file of version %i', (version) => {
  it('is read without a change to the file, and holds what the newest holds', async () => {
    const { folder, path } = fileOf(version)
    const before = folderState(folder)
    const { version: told, ...held } = await heldBy(path, true)
    expect(folderState(folder)).toEqual(before)
    expect(told).toBe(version)
    const { version: _, ...newest } = await heldBy(fileOf(NATIVE_VERSION).path, true)
    expect(held).toEqual(newest)
    expect(held.messages).toHaveLength(24)
    expect(held.summaries.length).toBeGreaterThan(2)
    expect(held.hits.length).toBeGreaterThan(2)
  })

  it('is taken to the newest version when it is opened for writing, without a loss and without a finding', async () => {
    const { path } = fileOf(version)
    const { version: _, ...before } = await heldBy(path, true)
    const { version: told, ...after } = await heldBy(path, false)
    expect(told).toBe(NATIVE_VERSION)
    expect(after).toEqual(before)
    expect(fired(await scanFile(path))).toEqual([])
  })
})
