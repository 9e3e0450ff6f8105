import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { buildMemory } from '#test/builders/memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { ended, lcmHere, startLcm } from './lcm.ts'

const memory = buildMemory({ conversations: [{ messages: ['one is short', 'two'] }, { messages: ['three'] }] })
memory.db.close()
const sample = join(temporaryFolder(), 'sample.db')
copyFileSync(join(import.meta.dirname, '../../../resources/sample.db'), sample)

async function call(...args: string[]): Promise<unknown> {
  const { code, stdout, stderr } = await lcmHere(['call', ...args, '--json'])
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout)
}

describe('lcm call', () => {
  it('answers any reading procedure with the document of the contract, with ISO times', async () => {
    const page = await call(
      'transcript.page',
      '--conversation',
      '1',
      '--offset',
      '1',
      '--limit',
      '5',
      '--db',
      memory.path,
    )
    expect(page).toMatchObject({
      total: 2,
      offset: 1,
      messages: [{ id: 'msg_2', createdAt: expect.stringMatching(/Z$/) }],
    })
    expect(await call('conversations.list', '--limit', '1', '--db', memory.path)).toMatchObject({
      conversations: [{ conversationId: 1 }],
      found: 2,
      nextCursor: expect.any(String),
    })
    expect(await call('strata.get', '--conversation', '1', '--axis', 'tokens', '--db', sample)).toMatchObject({
      conversationId: 1,
    })
    const runs = await call('compaction.runs', '--conversation', '1', '--db', sample)
    expect(runs).toMatchObject({ 0: { runId: expect.stringMatching(/^run_/), startedAt: expect.stringMatching(/Z$/) } })
  })

  it('answers as the command that has the same procedure behind it', async () => {
    const [called, named] = [
      await call('lineage.of', '--id', 'msg_1', '--db', sample),
      await lcmHere(['lineage', 'msg_1', '--db', sample, '--json']),
    ]
    expect(called).toEqual(JSON.parse(named.stdout))
  })

  it('prints YAML for people', async () => {
    const { stdout } = await lcmHere(['call', 'conversations.overview', '--conversation', '1', '--db', memory.path])
    expect(parse(stdout)).toMatchObject({ conversation: { conversationId: 1 } })
  })

  it('accepts moments, times and JSON', async () => {
    const at = await call('context.at', '--conversation', '1', '--moment', 'msg_1', '--db', memory.path)
    expect(at).toMatchObject({ items: [{ id: 'msg_1' }] })
    const row = await call('transcript.positionAt', '--conversation', '1', '--at', '1999-01-01', '--db', memory.path)
    expect(row).toEqual({ position: 0 })
    const settings = '{"freshTailCount":0,"minMessagesToCompact":1}'
    const plan = await call('compaction.plan', '--conversation', '1', '--settings', settings, '--db', sample)
    expect(plan).toMatchObject({ conversationId: 1 })
    expect(await call('lineage.treeLevel', '--conversation', '1', '--of', 'null', '--db', sample)).toMatchObject({
      nodes: expect.anything(),
    })
  })

  it('waits for the job that a procedure starts, and answers with its result', async () => {
    const done = await call('jobs.start', '--kind', 'integrity', '--conversation', '1', '--db', sample)
    expect(done).toMatchObject({ job: { state: 'done', result: { kind: 'integrity', value: { ok: true } } } })
    const copied = (await call('memory.copy', '--db', sample)) as { path: string }
    expect(existsSync(copied.path)).toBe(true)
  })

  it('fails with the error of the procedure, and with that of its job', async () => {
    expect((await lcmHere(['call', 'retrieval.describe', '--id', 'msg_99', '--db', memory.path])).stderr).toMatch(
      /^lcm: not_found: /,
    )
    const failed = await lcmHere(['call', 'jobs.start', '--kind', 'undo', '--backup', 'none.db', '--db', memory.path])
    expect([failed.code === 0, failed.stdout]).toEqual([false, ''])
  })

  it('prints a stream as one JSON document', async () => {
    const steps = await call('retrieval.grepStream', '--query', 'short', '--mode', 'literal', '--db', memory.path)
    expect(steps).toMatchObject([{ hits: [{ id: 'msg_1' }] }])
  })

  it('ends a stream that has no end with Ctrl-C, and what was printed is one JSON document', async () => {
    const child = startLcm(['call', 'events', '--db', memory.path, '--json'])
    const ran = ended(child)
    child.stdout?.once('data', () => child.kill('SIGINT'))
    expect(JSON.parse((await ran).stdout)).toEqual([])
  })
})

describe('a command with a name that decapod gives it', () => {
  it.each([
    ['ingest', 'import'],
    ['list', 'messages'],
    ['summarize', 'compact'],
    ['summary', 'describe'],
  ])('lcm %s has the same help as lcm %s', async (alias, name) => {
    const usage = async (word: string): Promise<string> => {
      const spy = await lcmHere([word, '--help'])
      return spy.stdout
    }
    expect(await usage(alias)).toBe(await usage(name))
    expect(await usage(alias)).toContain(`Usage: lcm ${name}`)
  })

  it('prints the same document', async () => {
    const [list, messages] = [
      await lcmHere(['list', '--db', memory.path, '--conversation', '1', '--json']),
      await lcmHere(['messages', '--db', memory.path, '--conversation', '1', '--json']),
    ]
    expect(list.stdout).toBe(messages.stdout)
    expect(JSON.parse(list.stdout)).toMatchObject({ total: 2, messages: [{ id: 'msg_1' }, { id: 'msg_2' }] })
    const text = await lcmHere(['list', '--db', memory.path, '--conversation', '1', '--limit', '1'])
    expect(text.stdout).toMatch(/msg_1 .*one is short\n1 of 2 messages; go on with --offset 1\n$/s)
  })
})
