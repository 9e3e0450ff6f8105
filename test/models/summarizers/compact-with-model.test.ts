import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { CompactionResult, SpendEstimate } from '#core/contract/compaction.ts'
import { openNative } from '#core/sqlite/native.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { ended, lcm, lcmHere, startLcm } from '#test/doors/cli/lcm.ts'
import { importedMemory } from '#test/doors/cli/memories.ts'
import { KEY, provider } from './ask-model.ts'
import { type Behaviour, good, json, type ModelServer, promptOf, startModelServer } from './model-server.ts'

const Failure = z.object({ error: z.object({ code: z.string(), message: z.string() }) })
const Planned = z.object({ steps: z.array(z.unknown()), estimate: SpendEstimate })
const SETS = ['leafChunkTokens=400', 'freshTailCount=4', 'leafTargetTokens=120'].flatMap((set) => ['--set', set])

let original: string
let server: ModelServer
let db: string
let settingsFile: string
beforeAll(async () => {
  original = (await importedMemory(80)).db
})
beforeEach(async () => {
  server = await startModelServer(good('What the model said.'))
  const folder = temporaryFolder()
  db = join(folder, 'lcm.db')
  copyFileSync(original, db)
  settingsFile = join(folder, 'settings.json')
  const broken = provider(server.url.replace('/v1', '/broken'), { name: 'broken' })
  writeFileSync(settingsFile, JSON.stringify({ providers: [provider(server.url), broken], chain: ['broken', 'local'] }))
})
afterEach(() => server.close())

const environment = () => ({ LCM_SETTINGS_FILE: settingsFile, TEST_KEY: KEY })
const compact = async (args: readonly string[], env: Readonly<Record<string, string>> = {}, run = lcmHere) => {
  const all = ['compact', '--db', db, '--conversation', '1', '--mode', 'leaf', ...SETS, ...args, '--json']
  const ran = await run(all, { env: { ...environment(), ...env } })
  expect(ran.stdout + ran.stderr).not.toContain(KEY)
  return ran
}
const resultOf = (stdout: string) => {
  const shape = CompactionResult.omit({ conversationId: true, loss: true }).partial().loose()
  return shape.parse(JSON.parse(stdout))
}
const stored = (): string[] => {
  using memory = openNative(db)
  return memory.all<{ content: string }>('SELECT content FROM summaries ORDER BY rowid').map(({ content }) => content)
}

describe('lcm compact --summarizer', () => {
  it('writes summaries with the named provider, and records its model and prompt', async () => {
    const { stdout, stderr, code } = await compact(['--summarizer', 'local'], {}, lcm)
    expect([code, stderr]).toEqual([0, ''])
    const result = resultOf(stdout)
    expect(result.created?.length).toBeGreaterThan(3)
    expect(result.created?.every(({ level }) => level === 'normal')).toBe(true)
    expect(new Set(stored())).toEqual(new Set(['What the model said.']))
    expect(server.asked.length).toBe(result.created?.length)
    expect(server.asked[0]?.headers.authorization).toBe(`Bearer ${KEY}`)
    const memory = openNative(db)
    const row = memory.get<{ model: string; version: string }>('SELECT model, prompt_version AS version FROM summaries')
    memory.close()
    expect(row?.model).toBe('tiny-1')
    expect(row?.version).toMatch(/^leaf-v1@[0-9a-f]{12}$/)
    expect(readFileSync(db).includes(KEY)).toBe(false)
  })

  it('goes on to the next provider of a chain when one fails, and stops asking the failing one', async () => {
    server.behave((response, asked, n) =>
      asked.path.startsWith('/broken') ? json(response, 401, '') : good('From the second.')(response, asked, n),
    )
    const { stdout } = await compact(['--summarizer', 'chain', '--set', 'leafConcurrency=1'])
    expect(resultOf(stdout).created?.every(({ level }) => level === 'normal')).toBe(true)
    expect(new Set(stored())).toEqual(new Set(['From the second.']))
    expect(server.asked.filter(({ path }) => path.startsWith('/broken')).length).toBeLessThanOrEqual(4)
  })

  it.each<[string, Behaviour]>([
    ['fails', (response) => json(response, 401, '')],
    ['answers nothing', (response, asked, n) => good(' ')(response, asked, n)],
    ['answers more than it was given', (response, asked, n) => good('word '.repeat(5_000))(response, asked, n)],
  ])('falls back on the deterministic summariser when the model %s', async (_what, behaviour) => {
    server.behave(behaviour)
    const { stdout, code } = await compact(['--summarizer', 'local'])
    expect(code).toBe(0)
    const { created } = resultOf(stdout)
    expect(created?.length).toBeGreaterThan(3)
    expect(created?.every(({ level }) => level === 'deterministic')).toBe(true)
  })

  it('stops asking the model once the cap of the run is reached', async () => {
    const { stdout } = await compact(['--summarizer', 'local', '--set', 'leafConcurrency=1'], {
      LCM_SPEND_CAP_TOKENS: '2500',
    })
    const levels = resultOf(stdout).created?.map(({ level }) => level) ?? []
    expect(levels).toContain('normal')
    expect(levels.at(-1)).toBe('deterministic')
    expect(server.asked.length).toBe(levels.filter((level) => level !== 'deterministic').length)
  })

  it('refuses a name that no provider has, for a plan too', async () => {
    for (const more of [[], ['--plan']]) {
      const { stdout, code } = await compact(['--summarizer', 'gpt', ...more])
      expect(code).toBe(2)
      expect(Failure.parse(JSON.parse(stdout)).error.message).toContain('deterministic, local, broken, chain')
    }
    expect(server.asked).toHaveLength(0)
  })

  it('shows in a plan what a run would send, and what it would cost', async () => {
    const priced = provider(server.url, { inputPrice: 3, outputPrice: 15 })
    writeFileSync(settingsFile, JSON.stringify({ providers: [priced], spendCapTokens: 90_000 }))
    const planned = await compact(['--summarizer', 'local', '--plan'])
    const { estimate, steps } = Planned.parse(JSON.parse(planned.stdout))
    expect(estimate).toMatchObject({ provider: 'local', calls: steps.length, capTokens: 90_000 })
    expect(estimate.cost).toBeCloseTo((estimate.inputTokens * 3 + estimate.outputTokens * 15) / 1e6, 9)
    expect(server.asked).toHaveLength(0)
    const sent = ({ system, prompt }: ReturnType<typeof promptOf>): number => (system.length + prompt.length) / 4
    await compact(['--summarizer', 'local'])
    const really = server.asked.reduce((sum, asked) => sum + sent(promptOf(asked)), 0)
    expect(estimate.inputTokens / really).toBeGreaterThan(0.8)
    expect(estimate.inputTokens / really).toBeLessThan(1.4)
    const free = Planned.parse(JSON.parse((await compact(['--plan'])).stdout))
    expect(free.estimate).toMatchObject({ provider: null, calls: 0, inputTokens: 0, cost: 0 })
  })

  it('asks no model unless it is told to, even when a chain is configured', async () => {
    const { stdout } = await compact([])
    expect(resultOf(stdout).created?.every(({ level }) => level === 'deterministic')).toBe(true)
    expect(server.asked).toHaveLength(0)
  })

  it('refuses a prompt of the user that cannot be used before anything is written', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'leaf.md'), 'Summarise: {{sources}}')
    const { stdout, code } = await compact(['--summarizer', 'local'], { LCM_PROMPTS_DIR: folder })
    expect(code).toBe(2)
    expect(Failure.parse(JSON.parse(stdout)).error.message).toContain(join(folder, 'leaf.md'))
    expect(stored()).toEqual([])
  })

  it('sends the prompt of the user when there is one', async () => {
    const folder = temporaryFolder()
    const template = 'MINE {{style}} {{target_tokens}} {{previous_summary}} {{sources}}'
    writeFileSync(join(folder, 'leaf.md'), template)
    await compact(['--summarizer', 'local'], { LCM_PROMPTS_DIR: folder })
    expect(server.asked.length).toBeGreaterThan(0)
    expect(server.asked.every((asked) => promptOf(asked).prompt.startsWith('MINE '))).toBe(true)
  })

  it('ends on Ctrl-C without waiting for a silent model, and closes its connections', async () => {
    server.behave(() => {})
    const args = ['compact', '--db', db, '--conversation', '1', ...SETS, '--summarizer', 'local', '--json']
    // The model never answers, and its time limit is longer than the limit of this test.
    writeFileSync(settingsFile, JSON.stringify({ providers: [provider(server.url, { timeoutMs: 600_000 })] }))
    const child = startLcm(args, { env: environment() })
    const done = ended(child)
    await expect.poll(() => server.asked.length).toBeGreaterThan(0)
    child.kill('SIGINT')
    expect((await done).code).toBe(130)
    await expect.poll(() => server.asked.every(({ closedAtMs }) => closedAtMs !== null)).toBe(true)
    expect(stored()).toEqual([])
  })
})
