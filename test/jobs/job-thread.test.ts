import { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, it } from 'vitest'
import type { JobProgress, JobSpec } from '#core/contract/job.ts'
import type { CoreThreadData } from '#core/doors/core-host.ts'
import { executeInThread } from '#core/doors/job-thread.ts'
import { workerUrl } from '../builders/built-program.ts'
import { buildMemory } from '../builders/memory.ts'
import { resourcesDir } from './core-client.ts'
import { longTranscript } from './long-transcript.ts'

const threads: Worker[] = []
function startThread(): Worker {
  const workerData: CoreThreadData = {
    role: 'jobs',
    path: null,
    resourcesDir,
    owner: 'test',
    allowNewer: false,
    autoCompact: false,
    keys: null,
  }
  const thread = new Worker(workerUrl, { workerData })
  threads.push(thread)
  return thread
}
afterEach(() => Promise.all(threads.splice(0).map((thread) => thread.terminate())))

const never = new AbortController().signal
const ignore = (): void => undefined

describe('the job thread', () => {
  it('runs a job on a connection of its own and returns result and progress', async () => {
    using memory = buildMemory({ conversations: [{ messages: ['hello', 'world'] }] })
    const jobs = executeInThread(startThread)
    const seen: JobProgress[] = []
    const spec = { kind: 'integrity' } as const
    const result = await jobs.execute({ path: memory.path, create: false, spec }, never, (p) => seen.push(p))
    expect(result).toMatchObject({ kind: 'integrity', value: { ok: true, messages: 2 } })
    expect(seen.length).toBeGreaterThan(0)
    await jobs.close()
  })

  it('starts with the first job and is kept', async () => {
    using memory = buildMemory({ conversations: [{ messages: ['hello'] }] })
    const jobs = executeInThread(startThread)
    expect(threads).toHaveLength(0)
    const request = { path: memory.path, create: false, spec: { kind: 'integrity' } } as const
    await Promise.all([jobs.execute(request, never, ignore), jobs.execute(request, never, ignore)])
    await jobs.execute(request, never, ignore)
    expect(threads).toHaveLength(1)
    await jobs.close()
  })

  it('ends when it was idle for a while, and starts again for the next job', async () => {
    using memory = buildMemory({ conversations: [{ messages: ['hello'] }] })
    const jobs = executeInThread(startThread, { idleMs: 20 })
    const request = { path: memory.path, create: false, spec: { kind: 'integrity' } } as const
    await jobs.execute(request, never, ignore)
    await new Promise((ended) => threads[0]?.once('exit', ended))
    expect(await jobs.execute(request, never, ignore)).toMatchObject({ kind: 'integrity' })
    expect(threads).toHaveLength(2)
    await jobs.close()
  })

  it('returns typed errors unchanged', async () => {
    const jobs = executeInThread(startThread)
    const request = { path: '/nowhere/lcm.db', create: false, spec: { kind: 'integrity' } } as const
    await expect(jobs.execute(request, never, ignore)).rejects.toMatchObject({
      name: 'LcmError',
      code: 'file_missing',
      details: { path: '/nowhere/lcm.db' },
    })
    await jobs.close()
  })

  it('stops a job that is cancelled, and what was committed stays', async () => {
    using memory = buildMemory()
    const paths = [longTranscript()]
    const jobs = executeInThread(startThread)
    const abort = new AbortController()
    const spec: JobSpec = { kind: 'import', paths, format: 'auto' }
    const run = jobs.execute({ path: memory.path, create: false, spec }, abort.signal, ({ done }) => {
      if (done > 0) abort.abort()
    })
    await expect(run).rejects.toMatchObject({ code: 'cancelled' })
    const stored = memory.db.value<number>('SELECT count(*) FROM messages') ?? 0
    expect(stored).toBeGreaterThan(0)
    expect(stored).toBeLessThan(20_000)
    await jobs.close()
  })

  it('does not begin a job that was cancelled before', async () => {
    using memory = buildMemory()
    const jobs = executeInThread(startThread)
    const spec: JobSpec = { kind: 'import', paths: [longTranscript(2000)], format: 'auto' }
    const run = jobs.execute({ path: memory.path, create: false, spec }, AbortSignal.abort(), ignore)
    await expect(run).rejects.toMatchObject({ code: 'cancelled' })
    expect(memory.db.value('SELECT count(*) FROM messages')).toBe(0)
    await jobs.close()
  })

  it('fails only its own jobs when it dies, and the next job gets a new thread', async () => {
    using memory = buildMemory()
    const jobs = executeInThread(startThread)
    const spec: JobSpec = { kind: 'import', paths: [longTranscript()], format: 'auto' }
    const run = jobs.execute({ path: memory.path, create: false, spec }, never, ({ done }) => {
      if (done > 0) void threads[0]?.terminate()
    })
    await expect(run).rejects.toMatchObject({ code: 'internal', message: expect.stringContaining('job thread') })
    const check = { path: memory.path, create: false, spec: { kind: 'integrity' } } as const
    expect(await jobs.execute(check, never, ignore)).toMatchObject({ value: { ok: true } })
    expect(threads).toHaveLength(2)
    await jobs.close()
  })
})
