import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { CoreHost } from '#core/doors/core-host.ts'
import { generateHistory } from '../builders/history.ts'
import { buildMemory } from '../builders/memory.ts'
import { hasEnded, jobWhen, openWindow, resourcesDir, startCores } from './core-client.ts'
import { longTranscript } from './long-transcript.ts'

let cores = startCores()
afterEach(async () => {
  await cores.close()
  cores = startCores()
})

const gone = (port: { once(event: 'close', listener: () => void): unknown }): Promise<void> =>
  new Promise((done) => port.once('close', done))

describe('the core host', () => {
  it('lets windows on one file share a core and its jobs', async () => {
    using memory = buildMemory({ conversations: [{ messages: ['hello'] }] })
    const one = openWindow(cores, memory.path)
    const other = openWindow(cores, memory.path)
    const { jobId } = await one.client.jobs.start({ kind: 'integrity' })
    expect(await jobWhen(other.client, jobId, hasEnded)).toMatchObject({ state: 'done' })
    expect(await other.client.integrity.last()).toMatchObject({ ok: true })
  })

  it('says why a file cannot be opened when the window asks, although it tried to read the file before', async () => {
    using memory = buildMemory({ conversations: [{ messages: ['hello'] }] })
    const path = join(dirname(memory.path), 'nothing-here.db')
    cores.prepare(path)
    cores.prepare(memory.path)
    await expect(openWindow(cores, path).client.memory.info()).rejects.toMatchObject({ data: { code: 'file_missing' } })
    expect((await openWindow(cores, memory.path).client.memory.stats()).messages).toBe(1)
  })

  it('separates windows on different files', async () => {
    using memory = buildMemory({ conversations: [{ messages: ['hello'] }] })
    using another = buildMemory()
    const one = openWindow(cores, memory.path)
    const other = openWindow(cores, another.path)
    await jobWhen(one.client, (await one.client.jobs.start({ kind: 'integrity' })).jobId, hasEnded)
    expect(await other.client.jobs.list()).toEqual([])
    expect((await one.client.memory.stats()).messages).toBe(1)
    expect((await other.client.memory.stats()).messages).toBe(0)
  })

  it('gives a window that reloads its running job and its report again', async () => {
    using memory = buildMemory()
    const first = openWindow(cores, memory.path)
    await jobWhen(first.client, (await first.client.jobs.start({ kind: 'integrity' })).jobId, hasEnded)
    const { jobId } = await first.client.jobs.start({ kind: 'import', paths: [longTranscript()], format: 'auto' })
    first.port.close()
    await gone(first.port)
    const again = openWindow(cores, memory.path)
    const [newest, older] = await again.client.jobs.list()
    expect(newest).toMatchObject({ jobId, state: 'running' })
    expect(older).toMatchObject({ kind: 'integrity', state: 'done' })
    expect(await again.client.integrity.last()).toMatchObject({ ok: true })
    await again.client.jobs.cancel({ jobId })
    await jobWhen(again.client, jobId, hasEnded)
  })

  it('ends its threads when it is closed, and leaves neither -wal nor -shm beside a native file', async () => {
    const memory = buildMemory({
      conversations: [{ messages: generateHistory({ seed: 1, messages: 50 }).map(({ content }) => content) }],
    })
    memory.db.close()
    const { port, client } = openWindow(cores, memory.path)
    await client.memory.stats()
    await jobWhen(client, (await client.jobs.start({ kind: 'integrity' })).jobId, hasEnded)
    const portIsGone = gone(port)
    expect(await cores.close()).toBe(true)
    await portIsGone
    expect(readdirSync(dirname(memory.path))).toEqual(['lcm.db'])
  })

  it('stops an import when it closes, and leaves a valid file without a lock', async () => {
    const memory = buildMemory()
    memory.db.close()
    const { client } = openWindow(cores, memory.path)
    const { jobId } = await client.jobs.start({ kind: 'import', paths: [longTranscript()], format: 'auto' })
    await jobWhen(client, jobId, (job) => (job.progress?.done ?? 0) > 0)
    await cores.close()
    expect(readdirSync(dirname(memory.path))).toEqual(['lcm.db'])

    cores = startCores()
    const later = openWindow(cores, memory.path)
    const { messages } = await later.client.memory.stats()
    expect(messages).toBeGreaterThan(0)
    const scan = await later.client.jobs.start({ kind: 'integrity' })
    const { result } = await jobWhen(later.client, scan.jobId, hasEnded)
    expect(
      result?.kind === 'integrity' &&
        result.value.checks.filter((check) => check.count > 0 && check.severity !== 'info'),
    ).toEqual([])
  })

  it('closes the ports of a core that crashes, and gives the next window a new core', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const crashing = new CoreHost({
      workerUrl: new URL('./children/crashing-worker.ts', import.meta.url),
      resourcesDir,
    })
    const ports = [crashing.connect(null), crashing.connect(null)]
    const closed = Promise.all(ports.map(gone))
    for (const port of ports) port.start()
    ports[0]?.postMessage('hello')
    await closed
    expect(log.mock.calls.flat().join('\n')).toContain('out of its mind')
    const next = crashing.connect(null)
    next.start()
    next.postMessage('hello')
    await gone(next)
    await crashing.close()
    log.mockRestore()
  })

  it('serves a window without a file', async () => {
    const { client } = openWindow(cores, null)
    await expect(client.memory.info()).rejects.toMatchObject({ data: { code: 'no_memory_open' } })
    expect(existsSync((await client.machine.folder({})).path)).toBe(true)
  })
})
