import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { MapReport } from '#core/contract/map.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { lcmHere, type Ran } from '../doors/cli/lcm.ts'
import {
  type Asked,
  anthropicBody,
  json,
  type ModelServer,
  openAiBody,
  promptOf,
  startModelServer,
} from '../models/summarizers/model-server.ts'

const KEY = 'sk-test-0123456789abcdefSECRET'

let folder: string
let server: ModelServer
beforeEach(async () => {
  folder = temporaryFolder()
  server = await startModelServer((response, asked) => json(response, 200, openAiBody(rated(asked))))
  write('items.json', JSON.stringify([{ text: 'good' }, { text: 'bad' }, { text: 'so-so' }]))
  write('prompt.md', 'Rate this: {{item}}')
  write(
    'schema.json',
    JSON.stringify({ type: 'object', required: ['rated'], properties: { rated: { type: 'string' } } }),
  )
})
afterEach(() => server.close())

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)
/** The answer that belongs to the item in the prompt. */
const rated = (asked: Asked): string =>
  JSON.stringify({ rated: /"text":"(.*?)"/.exec(promptOf(asked).prompt)?.[1] ?? 'nothing' })

const provider = (name: string, spec: object = {}) => ({
  name,
  kind: 'openai-compatible',
  baseUrl: server.url,
  model: 'tiny-1',
  keyVariable: 'MAP_TEST_KEY',
  timeoutMs: 120_000,
  maxOutputTokens: 800,
  inputPrice: null,
  outputPrice: null,
  ...spec,
})

const ARGS = ['--input', 'items.json', '--prompt', 'prompt.md', '--schema', 'schema.json']

/** Runs `lcm map llm` on the three items with these providers. */
function map(settings: object, ...more: string[]): Promise<Ran> {
  write('settings.json', JSON.stringify(settings))
  const args = ARGS.map((word) => (word.includes('.') ? join(folder, word) : word))
  return lcmHere(['map', 'llm', ...args, '--record', folder, '--json', ...more], {
    env: { LCM_SETTINGS_FILE: join(folder, 'settings.json'), MAP_TEST_KEY: KEY },
  })
}

const reportOf = ({ stdout }: Ran): MapReport => JSON.parse(stdout) as MapReport
const everythingKept = (): string =>
  [
    'map.events.jsonl',
    `map-runs/${JSON.parse(readFileSync(join(folder, 'map.events.jsonl'), 'utf8').trim().split('\n').at(-1) ?? '').run_id}.jsonl`,
  ]
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('')

describe('map llm with a model', () => {
  it.each([
    ['openai-compatible', (asked: Asked) => openAiBody(rated(asked))],
    ['anthropic', (asked: Asked) => anthropicBody(rated(asked))],
  ])('asks an %s server once for each item, and keeps no key', async (kind, body) => {
    server.behave((response, asked) => json(response, 200, body(asked)))
    const ran = await map({ providers: [provider('local', { kind })] })
    expect([ran.code, ran.stderr]).toEqual([0, ''])
    const report = reportOf(ran)
    expect(report.results.map(({ output }) => output)).toEqual(
      ['good', 'bad', 'so-so'].map((text) => ({ rated: text })),
    )
    expect(server.asked.length).toBe(3)
    const { system, prompt } = promptOf(server.asked[0] as Asked)
    expect(prompt).toMatch(/^Rate this: \{"text":"\w+"\}$/)
    expect(system).toContain(readFileSync(join(folder, 'schema.json'), 'utf8'))
    expect(everythingKept()).not.toContain(KEY)
  })

  it('asks again and says why when an answer does not match the schema, and records the retry', async () => {
    server.behave((response, asked, n) => json(response, 200, openAiBody(n === 0 ? '{"rated":1}' : rated(asked))))
    const ran = await map({ providers: [provider('local')] }, '--concurrency', '1')
    expect(reportOf(ran)).toMatchObject({ completed: 3, failed: 0, retries: 1 })
    expect(promptOf(server.asked[1] as Asked).prompt).toContain('/rated must be string.')
    expect(reportOf(ran).results[0]).toMatchObject({ attempts: 2, output: { rated: 'good' } })
  })

  it('records an item as failed after its tries, ends with exit code 1, and tries it again the next time', async () => {
    server.behave((response, asked) =>
      json(response, 200, openAiBody(promptOf(asked).prompt.includes('"bad"') ? 'I cannot say.' : rated(asked))),
    )
    const ran = await map({ providers: [provider('local')] }, '--retries', '1')
    expect([ran.code, reportOf(ran).results[1]]).toMatchObject([
      1,
      { index: 1, status: 'failed', attempts: 2, problem: 'It is not one JSON document.' },
    ])
    server.behave((response, asked) => json(response, 200, openAiBody(rated(asked))))
    const again = await map({ providers: [provider('local')] }, '--retries', '1')
    expect([again.code, reportOf(again).completed, reportOf(again).resumed]).toEqual([0, 3, 2])
  })

  it('goes to the next provider of the chain when the first one refuses its key', async () => {
    server.behave((response, asked) =>
      asked.body.model === 'closed' ? json(response, 401, {}) : json(response, 200, openAiBody(rated(asked))),
    )
    const providers = [provider('first', { model: 'closed' }), provider('second')]
    const ran = await map({ providers, chain: ['first', 'second'] })
    expect(reportOf(ran)).toMatchObject({ completed: 3, failed: 0 })
  })

  it('stops when no provider accepts its key, says what to do, and goes on when one does', async () => {
    server.behave((response) => json(response, 401, {}))
    const ran = await map({ providers: [provider('local')] })
    expect(ran.code).toBe(1)
    expect(ran.stderr).toMatch(
      /^lcm: model_failed: The run stopped: local: .*401.*Check MAP_TEST_KEY\. .*Start the same/,
    )
    expect(server.asked.length).toBeLessThanOrEqual(4)
    server.behave((response, asked) => json(response, 200, openAiBody(rated(asked))))
    expect(reportOf(await map({ providers: [provider('local')] }))).toMatchObject({ completed: 3 })
  })

  it('stops at the cap of a run, and what was answered before stays', async () => {
    const settings = { providers: [provider('local')], spendCapTokens: 1_100 }
    const ran = await map(settings, '--concurrency', '1')
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringMatching(/model_failed: .*more than the cap of 1,100/)])
    expect(server.asked.length).toBeGreaterThan(0)
    const asked = server.asked.length
    await map({ providers: [provider('local')] })
    expect(server.asked.length).toBe(3)
    expect(asked).toBeLessThan(3)
  })
})

describe('the choice of a model', () => {
  it('is refused when none is configured, or several are and none is named', async () => {
    expect((await map({})).stderr).toMatch(/^lcm: invalid_argument: No model is configured .*docs\/models\.md/)
    const two = { providers: [provider('one'), provider('two')] }
    const ran = await map(two)
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringMatching(/give --summarizer with one of one, two/)])
    expect((await map(two, '--summarizer', 'two')).code).toBe(0)
    expect((await map(two, '--summarizer', 'three')).stderr).toMatch(/There is no such summariser: "three"/)
    expect((await map(two, '--summarizer', 'deterministic')).code).toBe(2)
  })
})
