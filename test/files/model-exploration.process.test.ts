import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ExplorationReport } from '#core/contract/file.ts'
import type { JobSpec } from '#core/contract/job.ts'
import { Core } from '#core/core.ts'
import { executeHere } from '#core/doors/run-job.ts'
import { clamped } from '#core/files/model-exploration.ts'
import { openLcm } from '#core/lcm.ts'
import { Machine } from '#core/machine/machine.ts'
import { estimateTokens } from '#core/models/heuristic-tokens.ts'
import { loadSettings } from '#core/settings/settings-store.ts'
import { TranscriptBuilder } from '../builders/claude-code.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { lcmHere, type Ran } from '../doors/cli/lcm.ts'
import { resourcesDir } from '../jobs/core-client.ts'
import { provider } from '../models/summarizers/ask-model.ts'
import { json, type ModelServer, openAiBody, promptOf, startModelServer } from '../models/summarizers/model-server.ts'

const DESCRIPTION = 'A report about the harbour of Aalund, its 40 cranes and their repair in 1987. '.repeat(20)
const paragraphs = (count: number): string =>
  Array.from({ length: count }, (_, at) => `Paragraph ${at} tells of crane ${at % 40} in Aalund.`).join('\n\n')

let folder: string
let server: ModelServer
let answer: string
beforeEach(async () => {
  folder = temporaryFolder()
  answer = DESCRIPTION
  server = await startModelServer((response) => json(response, 200, openAiBody(answer)))
  const providers = [provider(server.url, { name: 'cheap', keyVariable: null })]
  writeFileSync(join(folder, 'settings.json'), JSON.stringify({ providers }))
})
afterEach(() => server.close())

const lcm = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> =>
  lcmHere([...args, '--db', join(folder, 'lcm.db'), '--json'], {
    env: { LCM_SETTINGS_FILE: join(folder, 'settings.json'), LCM_LARGE_FILE_TOKEN_THRESHOLD: '2000', ...env },
  })

/** A transcript with a large text and a large table. */
function transcript(name: string, count: number): string {
  const story = new TranscriptBuilder()
  const rows = Array.from({ length: 900 }, (_, row) => `${row},item ${row}`).join('\n')
  story.user(`<file name="report.md">\n# The harbour\n\n${paragraphs(count)}\n</file>`)
  story.user(`<file name="prices.csv" mime="text/csv">\nid,name\n${rows}\n</file>`)
  return story.write(name, folder)
}

const reportOf = ({ stdout }: Ran): ExplorationReport => JSON.parse(stdout) as ExplorationReport

it('stores what a model says of a text beside the summary that was made without one, and asks it once', async () => {
  const path = transcript('one.jsonl', 1500)
  await lcm(['import', path])
  expect(server.asked).toEqual([])
  const first = reportOf(await lcm(['explore', '--summarizer', 'cheap']))
  expect(first).toMatchObject({ explored: [{}], kept: [], passedOver: 1 })
  expect(reportOf(await lcm(['explore'], { LCM_EXPLORERS: 'cheap' }))).toMatchObject({ explored: [], passedOver: 2 })
  expect(server.asked).toHaveLength(1)

  const memory = await openLcm(join(folder, 'lcm.db'))
  const id = first.explored[0]?.id ?? ''
  const { file, content } = memory.retrieval.describe(id, 10_000)
  expect(file?.byModel?.text).toBe(content)
  expect(content).toContain('harbour of Aalund')
  expect(file?.explorationSummary).toContain('Markdown')
  // The message holds the summary that was made at the import, so the same transcript is recognised.
  memory.close()
  const again = JSON.parse((await lcm(['import', path])).stdout)
  expect(again).toMatchObject({ added: 0, alreadyThere: 2 })
  expect(JSON.stringify(again)).not.toMatch(/"conflicts":[1-9]/)
})

it('shows the model a bounded part of a long text, marked as data, and its name', async () => {
  await lcm(['import', transcript('long.jsonl', 30_000)], { LCM_EXPLORERS: 'cheap' })
  expect(server.asked).toHaveLength(1)
  const [prompt = ''] = server.asked.map((request) => promptOf(request).prompt)
  expect(prompt).toContain('Name: report.md')
  expect(prompt).toContain('Paragraph 0 tells')
  expect(prompt).toContain('Paragraph 29999 tells')
  expect(prompt.match(/a part is left out/g)).toHaveLength(5)
  expect(prompt.length).toBeLessThan(50_000)
})

it('keeps the summary that was made without a model when the model fails, and the import succeeds', async () => {
  await server.close()
  const imported = await lcm(['import', transcript('down.jsonl', 1500)], { LCM_EXPLORERS: 'cheap' })
  expect(imported.code).toBe(0)
  expect(imported.stderr).toMatch(/is not described by a model/)
  const report = reportOf(await lcm(['explore', '--summarizer', 'cheap']))
  expect(report).toMatchObject({ explored: [], kept: [{ reason: expect.any(String) }] })
})

it('says what to do when no model is named, or one that is not configured', async () => {
  await lcm(['import', transcript('none.jsonl', 1500)])
  expect((await lcm(['explore'])).stderr).toMatch(/LCM_EXPLORERS/)
  expect((await lcm(['explore'], { LCM_EXPLORERS: 'other' })).stderr).toMatch(/LCM_EXPLORERS names "other"/)
  expect((await lcm(['explore', 'file_0000000000000000', '--summarizer', 'cheap'])).stderr).toMatch(/is no large file/)
})

it('keeps between 200 and 500 tokens, whatever the model answers', () => {
  const deterministic = `Markdown report.md\n\n${paragraphs(60)}`
  for (const text of ['Short.', DESCRIPTION, DESCRIPTION.repeat(20), 'x'.repeat(50_000), '漢字'.repeat(5000)]) {
    const tokens = estimateTokens(clamped(text, deterministic))
    expect(tokens).toBeGreaterThanOrEqual(200)
    expect(tokens).toBeLessThanOrEqual(500)
  }
})

it('lets the models describe what a window imports in a job of its own, for which the import does not wait', async () => {
  const held: (() => void)[] = []
  const slow = await startModelServer((response) => void held.push(() => json(response, 200, openAiBody(DESCRIPTION))))
  const providers = [provider(slow.url, { name: 'cheap', keyVariable: null })]
  writeFileSync(join(folder, 'slow.json'), JSON.stringify({ providers }))
  const settings = loadSettings({
    ...{ LCM_SETTINGS_FILE: join(folder, 'slow.json'), LCM_LARGE_FILE_TOKEN_THRESHOLD: '2000', LCM_EXPLORERS: 'cheap' },
  })
  const path = join(folder, 'window.db')
  const machine = new Machine({ env: { ...process.env, LCM_CACHE_DIR: folder, LCM_DATA_DIR: folder }, resourcesDir })
  const core = new Core({ path, open: { settings }, machine, execute: executeHere({ settings }) })
  const spec: JobSpec = { kind: 'import', paths: [transcript('window.jsonl', 1500)], format: 'auto' }
  const imported = await core.jobs.wait(core.jobs.start({ path, create: true, spec }))
  expect(imported).toMatchObject({
    state: 'done',
    result: { value: { largeFiles: [expect.any(String), expect.any(String)] } },
  })
  const exploration = () => core.jobs.list().find(({ kind }) => kind === 'explore')
  await expect.poll(() => held.length).toBe(1)
  expect(exploration()?.state).toBe('running')
  held[0]?.()
  await expect.poll(() => exploration()?.state).toBe('done')
  expect(exploration()?.result?.value).toMatchObject({ explored: [{}], kept: [], passedOver: 1 })
  const { retrieval } = await core.lcm()
  const described = retrieval.files(1).map(({ id }) => retrieval.describe(id, 10_000).file?.byModel?.text)
  expect(described.filter((text) => text?.includes('harbour of Aalund'))).toHaveLength(1)
  await core.close()
  await slow.close()
})
