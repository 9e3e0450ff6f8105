import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { IntegrityReport } from '#core/contract/integrity.ts'
import type { CopyReport } from '#core/contract/working-copy.ts'
import { copyMemory } from '#core/doctor/working-copy/copy-memory.ts'
import { openLcm } from '#core/lcm.ts'
import { runToEnd } from '#core/yielding.ts'
import { checkMemory } from '#test/builders/check-memory.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { losslessClawWriter } from '#test/builders/systems/lossless.ts'
import { tellStory } from '#test/builders/systems/story.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { FIXTURES } from '#test/sqlite/fixtures.ts'
import { written } from './copying.ts'

const fixtures = join(FIXTURES, 'lossless-claw')

async function copy(from: string, to: string, signal = new AbortController().signal): Promise<CopyReport> {
  using lcm = await openLcm(from, { readOnly: true })
  return await runToEnd(copyMemory({ from: lcm, to }, signal))
}

async function check(path: string): Promise<IntegrityReport> {
  using lcm = await openLcm(path)
  return await checkMemory(lcm)
}

it('a working copy names its origin whether it is opened read-only or not, and its own copy names the copy', async () => {
  using memory = buildMemory({ conversations: [{ messages: [{}] }] })
  const folder = temporaryFolder()
  await copy(memory.path, join(folder, 'one.db'))
  await copy(join(folder, 'one.db'), join(folder, 'two.db'))
  const originOf = async (path: string, readOnly: boolean) => {
    const lcm = await openLcm(path, { readOnly })
    lcm.close()
    return lcm.info.copiedFrom
  }
  expect(await originOf(memory.path, false)).toBeUndefined()
  expect(await originOf(join(folder, 'one.db'), false)).toEqual({
    system: 'native',
    systemLabel: 'LCM Inspector',
    fileName: basename(memory.path),
  })
  expect(await originOf(join(folder, 'two.db'), true)).toMatchObject({ fileName: 'one.db' })
})

it('a text that another system stores as a message and as its part is stored once, and read as before', async () => {
  const from = written(losslessClawWriter('0.15.3'), tellStory({ seed: 5, sessions: 2, turns: 6 }))
  const to = join(temporaryFolder(), 'copy.db')
  await copy(from, to)
  const ask = async (path: string) => {
    using lcm = await openLcm(path, { readOnly: true })
    const said = `FROM message_parts AS p JOIN messages AS m ON m.message_id = p.message_id
        WHERE p.part_type = 'text' AND p.tool_call_id IS NULL`
    return {
      twice: lcm.read.value<number>(`SELECT count(*) ${said} AND p.text_content = m.content`) ?? 0,
      once: lcm.read.value<number>(`SELECT count(*) ${said} AND p.is_content = 1 AND p.text_content IS NULL`) ?? 0,
      texts: lcm.read
        .column<number>('SELECT message_id FROM messages ORDER BY message_id')
        .map((id) => lcm.transcript.message(`msg_${id}`).parts.map(({ text }) => text)),
    }
  }
  const [before, after] = [await ask(from), await ask(to)]
  expect(before.twice).toBeGreaterThan(0)
  expect(after).toEqual({ twice: 0, once: before.once + before.twice, texts: before.texts })
})

it('the progress of a copy refers to the whole, and never goes back', async () => {
  using memory = buildMemory({ conversations: [{ messages: Array.from({ length: 50 }, () => ({})) }] })
  memory.leaf(1, [1, 2, 3])
  const lcm = await openLcm(memory.path, { readOnly: true })
  const shares: number[] = []
  for await (const { done, total } of copyMemory(
    { from: lcm, to: join(temporaryFolder(), 'copy.db') },
    new AbortController().signal,
  ))
    shares.push(done / total)
  lcm.close()
  expect(shares.length).toBeGreaterThan(8)
  expect(shares).toEqual(shares.toSorted((a, b) => a - b))
  expect(shares.at(-1)).toBe(1)
})

it('a file with invalid notes about its origin can be opened', async () => {
  using memory = buildMemory({ conversations: [{ messages: [{}] }] })
  memory.damage(`INSERT INTO lcm_meta VALUES ('copied_from', '{"system":"unheard of"')`)
  const lcm = await openLcm(memory.path)
  lcm.close()
  expect(lcm.info.copiedFrom).toBeUndefined()
})

describe('a working copy of a lossless-claw memory', () => {
  it('keeps ids, order, times, lineage and window, and can be written', async () => {
    const to = join(temporaryFolder(), 'copy.db')
    const report = await copy(join(fixtures, 'small.db'), to)
    expect(report).toMatchObject({
      messages: 68,
      summaries: 20,
      edges: 76,
      contextItems: 12,
      verified: true,
      adjusted: [],
    })
    using lcm = await openLcm(to)
    expect(lcm.info).toMatchObject({
      system: 'native',
      readOnly: false,
      copiedFrom: { system: 'lossless-claw', fileName: 'small.db' },
    })
    expect(lcm.stats.conversations()[0]).toMatchObject({ maxDepth: 2 })
    const found = await lcm.retrieval.grep({
      query: 'tenant',
      mode: 'full_text',
      match: 'all',
      scope: 'both',
      sort: 'newest',
      limit: 50,
      exactTotal: true,
    })
    const holds = 'SELECT count(*) FROM (SELECT content FROM messages UNION ALL SELECT content FROM summaries)'
    expect(found.total).toBe(lcm.read.value(`${holds} WHERE content LIKE '%tenant%'`))
    expect(found.total).toBeGreaterThan(5)
  })

  it('is sound when the original is sound', async () => {
    const to = join(temporaryFolder(), 'copy.db')
    await copy(join(fixtures, 'small.db'), to)
    const report = await check(to)
    expect(
      report.checks.filter((result) => result.count > 0 && result.severity !== 'info').map((result) => result.id),
    ).toEqual([])
  })

  it.each(['dag_cycle.db', 'context_dangling_summary.db', 'message_covered_twice.db', 'self_parent.db'])(
    'keeps the damage of %s',
    async (name) => {
      const to = join(temporaryFolder(), 'copy.db')
      const from = join(fixtures, 'corrupt', name)
      expect((await copy(from, to)).verified).toBe(true)
      expect((await check(to)).ok).toBe(false)
    },
  )
})

describe('the copy of a memory', () => {
  it('is refused when the target exists', async () => {
    using memory = buildMemory({ conversations: [{ messages: ['one'] }] })
    await expect(copy(memory.path, memory.path)).rejects.toMatchObject({ code: 'invalid_argument' })
  })

  it('leaves nothing behind when it is cancelled', async () => {
    using memory = buildMemory({
      conversations: [{ messages: Array.from({ length: 5000 }, (_, n) => `message ${n}`) }],
    })
    const folder = temporaryFolder()
    const abort = new AbortController()
    abort.abort()
    await expect(copy(memory.path, join(folder, 'copy.db'), abort.signal)).rejects.toMatchObject({ code: 'cancelled' })
    expect(readdirSync(folder)).toEqual([])
  })
})
