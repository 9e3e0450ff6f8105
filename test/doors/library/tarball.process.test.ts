import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openLcm } from '#core/lcm.ts'
import { typeCompiler } from '#scripts/type-compiler.mjs'
import { installFolder } from '#test/builders/built-program.ts'
import { scanFile, wrong } from '#test/doctor/integrity/scan-file.ts'
import { json, type ModelServer, openAiBody, startModelServer } from '#test/models/summarizers/model-server.ts'
import { environment } from '../cli/lcm.ts'

const root = join(import.meta.dirname, '../../..')
const page = readFileSync(join(root, 'docs/library.md'), 'utf8')
const NAMES = ['createMessage', 'getContextItems', 'getSummary', 'getSummaryChildren', 'getSummaryMessages']

let model: ModelServer

beforeAll(async () => {
  model = await startModelServer((response, _asked, n) => json(response, 200, openAiBody(`Answer number ${n}.`)))
})
afterAll(() => model.close())

const run = (file: string, code: string): string => {
  writeFileSync(join(installFolder, file), code)
  return execFileSync(process.execPath, [file], { cwd: installFolder, env: environment(), encoding: 'utf8' })
}

/** What the compiler reports. */
const compile = (args: readonly string[]): string =>
  spawnSync(process.execPath, [...typeCompiler, '--pretty', 'false', ...args], { cwd: installFolder, encoding: 'utf8' })
    .stdout

const said = async (child: ChildProcess, input: string): Promise<string> => {
  let text = ''
  child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
    text += piece
  })
  child.stdin?.end(input)
  const code = await new Promise((done) => child.on('close', done))
  expect(code).toBe(0)
  return text
}

describe('the packed package in an empty folder', () => {
  it('runs the agent of docs/library.md, which goes on where it was, with prompts within their budget', async () => {
    const [, code = ''] = /```js agent\n([\s\S]*?)```/.exec(page) ?? []
    expect(
      code
        .trim()
        .split('\n')
        .filter((line) => line !== '').length,
    ).toBeLessThanOrEqual(30)
    writeFileSync(join(installFolder, 'agent.mjs'), code)
    const env = { ...environment(), MODEL_URL: model.url }
    const start = (): ChildProcess =>
      spawn(process.execPath, ['agent.mjs'], { cwd: installFolder, env, stdio: ['pipe', 'pipe', 'inherit'] })
    const questions = Array.from(
      { length: 30 },
      (_, n) => `Question ${n}: ${`what about part ${n} of the plan? `.repeat(12)}`,
    )
    const first = await said(start(), `${questions.slice(0, 20).join('\n')}\n`)
    const second = await said(start(), `${questions.slice(20).join('\n')}\n`)
    expect(`${first}${second}`.trim().split('\n')).toEqual(questions.map((_, n) => `Answer number ${n}.`))
    const lcm = await openLcm(join(installFolder, 'agent.db'), { readOnly: true })
    const lengths = model.asked.map(({ body }) => lcm.estimator.count(JSON.stringify(body.messages)))
    expect(Math.max(...lengths)).toBeLessThan(3_000)
    expect(lcm.stats.conversations()).toMatchObject([{ sessionId: 'first', messages: 60 }])
    expect(lcm.stats.conversations()[0]?.summaries).toBeGreaterThan(0)
    lcm.close()
    expect(wrong(await scanFile(join(installFolder, 'agent.db')))).toEqual([])
  })

  it('offers every call, fills in defaults by itself and throws its own error', () => {
    const told = run(
      'calls.mjs',
      `import { LcmError, openLcm } from 'lcm-inspector'
      const lcm = await openLcm('calls.db', { create: true, compaction: { budgetTokens: 1500, minMessagesToCompact: 2 } })
      const text = 'The harbour master counts the boats. '.repeat(12)
      const messages = Array.from({ length: 40 }, (_, n) => ({ id: 'm' + n, role: n % 2 ? 'assistant' : 'user', content: n + ': ' + text }))
      const { conversationId } = await lcm.ingest({ sessionId: 's', messages })
      const seen = []
      const stop = lcm.subscribe((event) => seen.push(event.kind))
      const { created } = await lcm.compactIfNeeded({ sessionId: 's' })
      stop()
      const summary = created.at(-1).id
      const refused = await lcm.ingest({ sessionId: 's', messages: [{ id: 'm1', role: 'user', content: 'other' }] }).catch((error) => error)
      const children = await lcm.store.getSummaryChildren(summary)
      const own = await lcm.store.getSummaryMessages(created[0].id)
      console.log(JSON.stringify({
        conversationId,
        again: await lcm.ingest({ sessionId: 's', messages }),
        needed: await lcm.compactIfNeeded({ sessionId: 's' }),
        grep: (await lcm.grep({ query: 'harbour' })).total,
        describe: (await lcm.describe(summary)).id === summary,
        expand: (await lcm.expand({ summaryId: summary, includeMessages: true })).tokens > 0,
        expandQuery: (await lcm.expandQuery({ prompt: 'Who counts the boats?' })).citations.length > 0,
        recall: (await lcm.recall({ sessionId: 's', query: 'harbour master' })).passages.length > 0,
        integrity: (await lcm.integrity()).ok,
        status: (await lcm.status({ sessionId: 's' })).messages,
        call: (await lcm.call('lineage.of', { id: summary })).id === summary,
        error: [refused instanceof LcmError, refused.code, refused.retryable],
        seen: seen.includes('job'),
        names: ${JSON.stringify(NAMES)}.filter((name) => typeof lcm.store[name] !== 'function'),
        children: children.length + own.length > 0,
        missing: await lcm.store.getSummary('sum_0000000000000000'),
        found: (await lcm.store.searchMessages({ query: 'harbour' })).total,
        items: (await lcm.store.getContextItems(conversationId)).length > 0,
        made: (await lcm.store.createMessage({ sessionId: 's', message: { id: 'last', role: 'user', content: 'The end.' } })).added,
        job: (await lcm.job({ kind: 'undo_compaction', conversationId })).summaries.length > 0,
        refusedJob: await lcm.job({ kind: 'undo_compaction', conversationId: 9 }).catch(({ code }) => code),
      }))
      await lcm.close()`,
    )
    expect(JSON.parse(told)).toEqual({
      conversationId: 1,
      again: { conversationId: 1, added: 0, alreadyThere: 40, compactionJobId: null },
      needed: null,
      grep: expect.any(Number),
      describe: true,
      expand: true,
      expandQuery: true,
      recall: true,
      integrity: true,
      job: true,
      refusedJob: 'not_found',
      status: 40,
      call: true,
      error: [true, 'message_conflict', false],
      seen: true,
      names: [],
      children: true,
      missing: null,
      found: 40,
      items: true,
      made: 1,
    })
  })

  it('has types that a strict program accepts, without skipping those of the package', () => {
    writeFileSync(
      join(installFolder, 'typed.mts'),
      `import { type GrepResult, type Lcm, LcmError, openLcm, type Procedures } from 'lcm-inspector'
      const lcm: Lcm = await openLcm('typed.db', { create: true, agent: 'typed' })
      await lcm.ingest({ sessionId: 's', messages: [{ id: '1', role: 'user', content: 'hello', extra: { of: 'mine' } }] })
      const found: GrepResult = await lcm.grep({ query: 'hello' })
      const input: Procedures['lineage.of']['input'] = { id: found.hits[0]?.id ?? '' }
      const kinds: readonly string[] = (await lcm.call('lineage.of', input)).sources.map(({ id }) => id)
      for await (const event of await lcm.call('events', undefined)) if (event.kind === 'job') console.log(event.job.jobId, kinds)
      // @ts-expect-error A query is needed.
      await lcm.grep({})
      // @ts-expect-error There is no such procedure.
      await lcm.call('lineage.off', input)
      lcm.compactIfNeeded({ sessionId: 's' }).catch((error: unknown) => error instanceof LcmError && error.retryable)`,
    )
    const options = ['--strict', '--skipLibCheck', 'false', '--noEmit', '--module', 'nodenext', '--target', 'es2024']
    expect(compile([...options, '--types', '', '--lib', 'es2024,dom', 'typed.mts'])).toBe('')
  })

  it('declares of every procedure exactly what the contract says', () => {
    writeFileSync(
      join(installFolder, 'agree.mts'),
      `import type { Procedures } from '${root}/core/doors/library/types.ts'
      import type { Procedures as Published } from 'lcm-inspector'
      type Names = keyof Procedures | keyof Published
      type Differing<Side extends 'input' | 'output'> = {
        [Name in Names]: Name extends keyof Procedures & keyof Published
          ? [Procedures[Name][Side]] extends [Published[Name][Side]]
            ? [Published[Name][Side]] extends [Procedures[Name][Side] | AsyncIterable<unknown>] ? never : Name
            : Name
          : Name
      }[Names]
      export const given: readonly never[] = [] as readonly Differing<'input'>[]
      export const answered: readonly never[] = [] as readonly Differing<'output'>[]`,
    )
    const options = ['--strict', '--skipLibCheck', '--noEmit', '--module', 'nodenext', '--target', 'es2024']
    const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types'), '--allowImportingTsExtensions']
    expect(compile([...options, ...types, '--lib', 'esnext,dom', 'agree.mts'])).toBe('')
  })

  it('runs its commands, the engine and the tools for agents', () => {
    const lcm = (args: readonly string[], input = ''): string =>
      execFileSync(process.execPath, ['node_modules/lcm-inspector/bin/lcm.mjs', ...args, '--db', 'calls.db'], {
        cwd: installFolder,
        env: environment(),
        encoding: 'utf8',
        input,
      })
    expect(JSON.parse(lcm(['stats', '--json']))).toMatchObject({ conversations: 1, messages: 41 })
    const request = { jsonrpc: '2.0', id: 1, method: 'status', params: { sessionId: 's' } }
    expect(JSON.parse(lcm(['engine', '--stdio'], JSON.stringify(request)))).toMatchObject({ result: { messages: 41 } })
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '0' } }
    const hello = { jsonrpc: '2.0', id: 1, method: 'initialize', params }
    expect(JSON.parse(lcm(['mcp'], `${JSON.stringify(hello)}\n`))).toMatchObject({
      result: { serverInfo: { name: 'lcm' } },
    })
  })
})
