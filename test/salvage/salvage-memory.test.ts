import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SalvageReport } from '../../core/contract/salvage.ts'
import { openLcm } from '../../core/lcm.ts'
import { salvageMemory } from '../../core/salvage/salvage-memory.ts'
import { runs } from '../builders/property-runs.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

const fixtures = join(import.meta.dirname, '../../../shared/fixtures')
const small = join(fixtures, 'lossless-claw/small.db')
const PAGE = 4096

async function salvage(from: string, to: string, signal = new AbortController().signal): Promise<SalvageReport> {
  const job = salvageMemory({ from, to }, signal)
  for (;;) {
    const step = await job.next()
    if (step.done) return step.value
  }
}

/** A copy of the fixture with pages overwritten. Page 1, the header, stays. */
function damaged(pages: readonly number[], fill = 0x55): string {
  const path = join(temporaryFolder(), 'damaged.db')
  const bytes = Buffer.from(readFileSync(small))
  const count = bytes.length / PAGE
  for (const page of pages) {
    const at = (1 + (page % (count - 1))) * PAGE
    bytes.fill(fill, at, at + PAGE)
  }
  writeFileSync(path, bytes)
  return path
}

const rows = (report: SalvageReport): Record<string, number> =>
  Object.fromEntries(report.tables.map(({ table, read }) => [table, read]))

function contents(path: string): Map<string, string> {
  const lcm = openLcm(path, { readOnly: true })
  const read = lcm.read.all<{ id: number; content: string }>('SELECT message_id AS id, content FROM messages')
  lcm.close()
  return new Map(read.map(({ id, content }) => [`msg_${id}`, content]))
}

describe.skipIf(!existsSync(small))('salvaging a damaged file (needs ../shared)', () => {
  it('saves everything of a sound file', async () => {
    const to = join(temporaryFolder(), 'saved.db')
    const report = await salvage(small, to)
    expect(report).toMatchObject({ isWhole: true, isSound: true, missingBytes: 0, system: 'lossless-claw' })
    expect(rows(report)).toEqual({
      conversations: 1,
      messages: 68,
      message_parts: 87,
      summaries: 20,
      summary_messages: 58,
      summary_sources: 18,
      context_items: 12,
      large_files: 2,
    })
    expect(contents(to)).toEqual(contents(small))
  })

  it('saves what stands before the cut of a truncated file, and says how much is missing', async () => {
    const path = damaged([])
    truncateSync(path, Math.floor(statSync(path).size * 0.6) + 7)
    const report = await salvage(path, join(temporaryFolder(), 'saved.db'))
    expect(report.missingBytes).toBe(statSync(small).size - statSync(path).size)
    expect(rows(report).messages).toBeGreaterThan(30)
    expect(report.isWhole).toBe(false)
    expect(report.isSound).toBe(true)
  })

  it('whatever pages are damaged: what is saved is true, what is not is named, the original stays', async () => {
    const original = contents(small)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(10_000), { minLength: 1, maxLength: 6 }),
        fc.constantFrom(0x00, 0x55, 0xff),
        async (pages, fill) => {
          const path = damaged(pages, fill)
          const before = readFileSync(path)
          const folder = temporaryFolder()
          const to = join(folder, 'saved.db')
          const report = await salvage(path, to).catch((error: { code?: string }) => {
            expect(['file_corrupt', 'not_a_memory']).toContain(error.code)
            return null
          })
          expect(readFileSync(path).equals(before)).toBe(true)
          if (!report) {
            expect(readdirSync(folder)).toEqual([])
            return
          }
          expect(report.isSound).toBe(true)
          expect(readdirSync(folder)).toEqual(['saved.db'])
          const saved = contents(to)
          for (const [id, content] of saved) expect(content).toBe(original.get(id))
          if (saved.size < original.size) expect(report.isWhole).toBe(false)
        },
      ),
      { numRuns: runs(10) },
    )
  }, 60_000)

  it('refuses to write where something is', async () => {
    const to = join(temporaryFolder(), 'there.db')
    copyFileSync(small, to)
    await expect(salvage(small, to)).rejects.toMatchObject({ code: 'invalid_argument' })
  })

  it('says so when there is nothing to go by', async () => {
    const path = join(temporaryFolder(), 'noise.db')
    writeFileSync(path, Buffer.alloc(10_000, 7))
    await expect(salvage(path, `${path}.saved`)).rejects.toMatchObject({ code: 'not_a_database' })
    expect(existsSync(`${path}.saved`)).toBe(false)
  })

  it('leaves nothing behind when it is cancelled', async () => {
    const folder = temporaryFolder()
    const to = join(folder, 'saved.db')
    await expect(salvage(small, to, AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' })
    expect(readdirSync(folder)).toEqual([])
  })
})
