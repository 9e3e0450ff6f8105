import { spawn } from 'node:child_process'
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ActivityDb } from '#core/activity/activity-db.ts'
import { ActivityReader } from '#core/activity/activity-reader.ts'
import { Recorder } from '#core/activity/recorder.ts'
import { ActivityInput } from '#core/contract/activity.ts'
import { logEvent, memoryKey } from '#core/log.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

const PATH = '/memory.db'
const memory = memoryKey(PATH)
const run = { memory, trigger_reason: 'threshold', token_before: 900, token_after: 300, duration_ms: 12 } as const

async function recorded(folder: string, happen: () => void): Promise<void> {
  const recorder = new Recorder({ folder, level: 'debug' })
  happen()
  await recorder.close()
}
const textOf = (folder: string): Promise<string> => new ActivityReader(folder, PATH).prometheus(null, 'this')
const historyOf = (folder: string, of: 'this' | 'all' = 'this') =>
  new ActivityReader(folder, PATH).history(ActivityInput.parse({ of }), Date.now())

describe('the counts', () => {
  it('go on over several runs of the program, and say what happened by reason, outcome and kind', async () => {
    const folder = join(temporaryFolder(), 'log')
    for (let start = 0; start < 3; start += 1) {
      await recorded(folder, () => {
        logEvent('info', 'compaction', 'run.done', { ...run, outcome: 'target_reached', compaction_id: `run_${start}` })
        logEvent('info', 'compaction', 'node.made', { memory, kind: 'leaf' })
        logEvent('info', 'search', 'search.done', { memory, duration_ms: 30 })
        logEvent('info', 'probe', 'probe.done', { memory, conversation_id: 7, questions: 60, recall: 0.5 + start / 10 })
      })
    }
    const text = await textOf(folder)
    expect(text).toContain('lcm_compaction_runs_total{outcome="target_reached",reason="threshold"} 3\n')
    expect(text).toContain('lcm_summaries_created_total{kind="leaf"} 3\n')
    expect(text).toContain('lcm_search_latency_ms_bucket{le="20"} 0\n')
    expect(text).toContain('lcm_search_latency_ms_bucket{le="50"} 3\n')
    expect(text).toContain('lcm_search_latency_ms_sum 90\n')
    const bounds = [...text.matchAll(/lcm_search_latency_ms_bucket\{le="(\d+)"\}/g)].map(([, bound]) => Number(bound))
    expect(bounds).toEqual(bounds.toSorted((a, b) => a - b))
    const { runs, search, probes } = await historyOf(folder)
    expect(probes.map(({ recall, conversationId }) => [recall, conversationId])).toEqual(
      [0.5, 0.6, 0.7].map((one) => [one, 7]),
    )
    expect(runs.map(({ runId }) => runId)).toEqual(['run_0', 'run_1', 'run_2'])
    expect(search).toMatchObject([{ count: 3, p50Ms: 35 }])
    expect(statSync(join(folder, 'activity.db')).mode & 0o777).toBe(0o600)
  })

  it('lose nothing when several processes count at once', async () => {
    const folder = join(temporaryFolder(), 'log')
    const core = join(import.meta.dirname, '../../core')
    const code = `
      import { Recorder } from '${core}/activity/recorder.ts'
      import { logEvent } from '${core}/log.ts'
      const recorder = new Recorder({ folder: ${JSON.stringify(folder)}, level: 'info' })
      for (let round = 0; round < 20; round += 1) {
        for (let n = 0; n < 5; n += 1) logEvent('info', 'expand', 'expand.done', { memory: '${memory}', duration_ms: 3 })
        await recorder.flush()
      }
      await recorder.close()`
    const ended = [1, 2, 3, 4].map(
      () =>
        new Promise((resolve) => {
          spawn(process.execPath, ['--input-type=module', '--eval', code], { stdio: 'inherit' }).on('exit', resolve)
        }),
    )
    expect(await Promise.all(ended)).toEqual([0, 0, 0, 0])
    expect(await textOf(folder)).toContain('lcm_expand_latency_ms_count 400\n')
  })

  it('are written at the end, and so are jobs, although another process has kept them from being written', async () => {
    const folder = join(temporaryFolder(), 'log')
    const count = (): void => logEvent('info', 'expand', 'expand.done', { memory, duration_ms: 1 })
    await recorded(folder, count)
    const hold = `
      import Database from '${join(import.meta.dirname, '../../node_modules/better-sqlite3/lib/index.js')}'
      const db = new Database(${JSON.stringify(join(folder, 'activity.db'))})
      db.exec('BEGIN IMMEDIATE')
      console.log('held')
      setTimeout(() => db.exec('ROLLBACK'), 1300)`
    const holder = spawn(process.execPath, ['--input-type=module', '--eval', hold], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await new Promise((resolve) => holder.stdout.once('data', resolve))
    await recorded(folder, () => {
      count()
      logEvent('info', 'job', 'job.started', { memory, job_id: 'job_1', job_kind: 'import' })
      logEvent('info', 'job', 'job.done', { memory, job_id: 'job_1', job_kind: 'import', duration_ms: 1 })
    })
    expect(await textOf(folder)).toContain('lcm_expand_latency_ms_count 2\n')
    expect((await historyOf(folder)).jobs).toMatchObject([{ jobId: 'job_1', state: 'done' }])
  })

  it('are of one memory, or of all with the memory as a label', async () => {
    const folder = join(temporaryFolder(), 'log')
    await recorded(folder, () => {
      logEvent('info', 'expand', 'expand.done', { memory, duration_ms: 1 })
      logEvent('info', 'expand', 'expand.done', { memory: 'ffffffffffff', duration_ms: 1 })
    })
    expect(await textOf(folder)).toContain('lcm_expand_latency_ms_count 1\n')
    const all = await new ActivityReader(folder, null).prometheus(null, 'all')
    expect(all).toContain(`lcm_expand_latency_ms_count{memory="${memory}"} 1\n`)
    expect(all).toContain('lcm_expand_latency_ms_count{memory="ffffffffffff"} 1\n')
  })

  it('keep in their sum what is too old to be shown by the hour', async () => {
    const folder = temporaryFolder()
    const now = Date.now()
    const sample = { metric: 'lcm_search_latency_ms', sample: 'lcm_search_latency_ms_count', labels: {}, value: 2 }
    for (const days of [100, 99, 0]) {
      const db = ActivityDb.open(folder, now - days * 86_400_000)
      db.add([sample], [], now - days * 86_400_000)
      db.close()
    }
    const db = ActivityDb.open(folder, now)
    expect(db.totals()).toMatchObject([{ value: 6 }])
    expect(db.hours('lcm_search_latency_ms', now - 86_400_000, now)).toHaveLength(1)
    db.close()
  })

  it('begin anew over a file that is none', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'activity.db'), 'this is no database, and never was one'.repeat(100))
    await recorded(folder, () => logEvent('info', 'expand', 'expand.done', { memory, duration_ms: 1 }))
    expect(await textOf(folder)).toContain('lcm_expand_latency_ms_count 1\n')
  })
})

describe('the list of jobs', () => {
  it('survives the program, and says of a job without an end that it was cut off', async () => {
    const folder = join(temporaryFolder(), 'log')
    const job = (id: string) => ({ memory, job_id: id, job_kind: 'import' }) as const
    await recorded(folder, () => {
      logEvent('info', 'job', 'job.started', job('job_1'))
      logEvent('info', 'job', 'job.failed', { ...job('job_1'), outcome: 'failed', error_code: 'disk_full' })
      logEvent('info', 'job', 'job.started', job('job_2'))
    })
    const child = spawn(process.execPath, ['--eval', ''])
    await new Promise((resolve) => child.on('exit', resolve))
    const db = ActivityDb.open(folder, Date.now())
    const started = { atMs: Date.now(), level: 'info', source: 'job', event: 'job.started' } as const
    db.add([], [{ ...started, fields: job('job_3') }], Date.now(), child.pid)
    db.close()
    const { jobs } = await historyOf(folder)
    expect(jobs.map(({ jobId, state, errorCode }) => [jobId, state, errorCode])).toEqual([
      ['job_1', 'failed', 'disk_full'],
      ['job_2', 'running', null],
      ['job_3', 'cut_off', null],
    ])
  })
})

describe('a folder that cannot be written', () => {
  it('fails no call, and is named where the log is shown', async () => {
    const parent = temporaryFolder()
    mkdirSync(parent, { recursive: true })
    const folder = join(parent, 'log')
    writeFileSync(folder, 'a file in the place of the folder')
    await recorded(folder, () => logEvent('error', 'expand', 'expand.done', { memory, duration_ms: 1 }))
    const { problem, runs } = await historyOf(folder)
    expect(runs).toEqual([])
    expect(problem).toContain(folder)
    expect(await textOf(folder)).toContain('# TYPE lcm_expand_latency_ms histogram')
  })
})
