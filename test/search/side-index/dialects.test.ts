import { appendFileSync, cpSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { openMemory } from '#test/builders/open-memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { FIXTURES } from '#test/sqlite/fixtures.ts'
import { folderState } from '#test/sqlite/folder-state.ts'
import { Stage } from './stage.ts'

/** Words of a file, short and long, and parts of them. */
function queriesFor(path: string): string[] {
  const memory = openMemory(path, { cacheDir: temporaryFolder() })
  const texts = memory.read.column<string>(
    'SELECT content FROM messages WHERE content IS NOT NULL UNION ALL SELECT content FROM summaries',
  )
  memory.close()
  const words = new Set(texts.flatMap((text) => text.match(/[\p{L}\p{N}_./:-]{3,30}/gu)?.slice(0, 6) ?? []))
  const some = [...words].filter((_, place) => place % Math.ceil(words.size / 15) === 0)
  return [...some, ...some.slice(0, 5).map((word) => word.slice(1, -1)), 'no such thing']
}

describe('a side index of a file of any system', () => {
  it.each([
    'lossless-claw/rich.db',
    'lossless-claude/small.sqlite',
    'hermes-lcm/damaged.db',
    'lcm-x/small.db',
    'argentos/gateway.db',
    'pi-lcm/small.db',
    'decapod/small/lcm.db',
  ])('finds in %s what reading every text finds, and does not change the file', async (fixture) => {
    const folder = temporaryFolder()
    cpSync(dirname(join(FIXTURES, fixture)), folder, { recursive: true })
    const path = join(folder, fixture.split('/').at(-1) ?? '')
    const queries = queriesFor(path)
    const before = folderState(folder)
    const window = await Stage.open(path, temporaryFolder())
    expect(await window.update()).toMatchObject({ outcome: 'ready' })
    expect(window.isCurrent).toBe(true)
    for (const query of queries) {
      for (const mode of ['full_text', 'literal'] as const) {
        const request = { query, mode, match: 'all' as const }
        expect((await window.grep(request)).ids, `${mode} ${query}`).toEqual((await window.scan(request)).ids)
      }
    }
    window.close()
    expect(folderState(folder)).toEqual(before)
  })

  it('waits until the ledger of decapod, which has its texts, can be named too', async () => {
    const folder = temporaryFolder()
    cpSync(join(FIXTURES, 'decapod/small'), folder, { recursive: true })
    const window = await Stage.open(join(folder, 'lcm.db'), temporaryFolder())
    // Files that were written this very moment cannot be named yet.
    const settled = () =>
      vi.waitFor(async () => expect(await window.update()).toMatchObject({ outcome: 'ready' }), 60_000)
    await settled()
    expect(window.isCurrent).toBe(true)
    appendFileSync(join(folder, 'lcm.events.jsonl'), '\n')
    expect(window.isCurrent).toBe(false)
    await settled()
    expect(window.isCurrent).toBe(true)
    window.close()
  })
})
