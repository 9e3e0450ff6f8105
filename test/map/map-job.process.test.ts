import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { Job } from '#core/contract/job.ts'
import type { RequestedMap } from '#core/contract/map.ts'
import { Core } from '#core/core.ts'
import { procedureCaller } from '#core/doors/procedures.ts'
import { executeHere } from '#core/doors/run-job.ts'
import { Machine } from '#core/machine/machine.ts'
import type { Answer, Reach } from '#core/settings/confirmation.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { copyOf } from '../sqlite/fixtures.ts'

const DOUBLE = [process.execPath, '-e', 'process.stdin.on("data", (d) => console.log(JSON.parse(d).item * 2))']
const SLOW = [process.execPath, '-e', 'setTimeout(() => console.log("done"), 60000)']
const resourcesDir = join(import.meta.dirname, '../../resources')

let core: Core | null = null
afterEach(() => core?.close())

/** Opens a window on a memory whose user gives this answer. */
function window(path: string, answer: Answer = 'granted') {
  const asked: Reach[] = []
  const open = {}
  core = new Core({
    path,
    open,
    machine: new Machine({ env: { HOME: temporaryFolder() }, resourcesDir }),
    execute: executeHere(open),
    isRemembered: false,
    confirm: async (reach) => {
      asked.push(...reach)
      return answer
    },
  })
  const call = procedureCaller(core)
  const { jobs } = core
  const start = async (map: Omit<RequestedMap, 'input' | 'operator'>, input = items()): Promise<string> =>
    ((await call('jobs.start', { kind: 'map', operator: 'agentic', input, ...map })) as { jobId: string }).jobId
  return { asked, call, jobs, start, end: (jobId: string): Promise<Job> => jobs.wait(jobId) }
}

function memory(): string {
  const path = join(temporaryFolder(), 'lcm.db')
  copyFileSync(join(resourcesDir, 'sample.db'), path)
  return path
}

function items(): string {
  const path = join(temporaryFolder(), 'items.json')
  writeFileSync(path, '[1, 2, 3]')
  return path
}

describe('a map that a window starts', () => {
  it('is recorded beside the memory, answers with its figures, and is listed', async () => {
    const path = memory()
    const { start, end, call, asked } = window(path)
    const job = await end(await start({ command: DOUBLE, retain: 'the sum' }))
    expect(job).toMatchObject({ state: 'done', result: { kind: 'map', value: { items: 3, completed: 3, failed: 0 } } })
    expect(asked).toMatchObject([{ kind: 'command', command: DOUBLE }])
    expect(await call('map.runs', undefined)).toMatchObject({ runs: [{ status: 'completed', retain: 'the sum' }] })
    expect(readFileSync(join(dirname(path), 'map.events.jsonl'), 'utf8')).toContain('"actor":"lcm"')
  })

  it('runs no command that was not confirmed, and records nothing', async () => {
    const path = memory()
    for (const [answer, code] of [
      ['refused', 'cancelled'],
      ['nobody_to_ask', 'unsupported'],
    ] as const) {
      const { start, jobs } = window(path, answer)
      await expect(start({ command: DOUBLE, retain: 'the sum' })).rejects.toMatchObject({ code })
      expect(jobs.list()).toEqual([])
    }
    expect(existsSync(join(dirname(path), 'map.events.jsonl'))).toBe(false)
  })

  it('stops when it is cancelled, and is recorded as cancelled', async () => {
    const { start, end, call } = window(memory())
    const jobId = await start({ command: SLOW, retain: 'the sum' })
    const recorded = async () => ((await call('map.runs', undefined)) as { runs: readonly object[] }).runs
    while ((await recorded()).length === 0);
    await call('jobs.cancel', { jobId })
    expect(await end(jobId)).toMatchObject({ state: 'cancelled', error: { code: 'cancelled' } })
    expect(await recorded()).toMatchObject([{ status: 'cancelled', completed: 0 }])
  })

  it('says in plain words what is wrong with it', async () => {
    const { start, end } = window(memory())
    const failed = async (map: object, input?: string): Promise<string | undefined> =>
      (await end(await start({ command: [], ...map }, input))).error?.message
    expect(await failed({ operator: 'llm', prompt: 'no place', schema: '{}' })).toContain('the prompt lacks {{item}}')
    expect(await failed({ operator: 'llm', prompt: '{{item}}', schema: 'none' })).toContain('Schema')
    expect(await failed({ retain: ' ' })).toContain('scope-reduction')
    expect(await failed({ command: DOUBLE, retain: 'x' }, '/nowhere.json')).toContain('/nowhere.json')
  })

  it('writes nothing beside the memory of another system', async () => {
    const path = copyOf('decapod/small/lcm.db')
    const { start, end } = window(path)
    const job = await end(await start({ command: DOUBLE, retain: 'x' }))
    expect(job.error).toMatchObject({ code: 'read_only_dialect' })
    expect(existsSync(join(dirname(path), 'map.events.jsonl'))).toBe(false)
  })
})
