import { existsSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { JobProgress } from '#core/contract/job.ts'
import { parseAddress } from '#core/database-address.ts'
import { connectPostgres } from '#core/remote/postgres/connect.ts'
import { makePulledRows } from '#core/remote/pulled-file.ts'
import { withSilences } from '#core/remote/reported-steps.ts'
import { Servers } from '#core/remote/servers.ts'
import { storePulledFrom } from '#core/systems/opening/pulled-from.ts'
import { TestMemory } from '../builders/memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { ended, startLcm } from '../doors/cli/lcm.ts'

/** https://www.postgresql.org/docs/15/protocol-message-formats.html: AuthenticationOk, and ReadyForQuery. */
const WELCOME = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49])

const open: (() => void)[] = []
afterEach(() => {
  for (const close of open.splice(0)) close()
})

/** A server that lets everybody in and answers no statement, or nothing at all, as one whose network was cut. */
async function silentServer({ welcomes = true } = {}) {
  const asked = Promise.withResolvers<void>()
  const left = Promise.withResolvers<void>()
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => left.resolve())
    socket.once('data', () => {
      if (!welcomes) return asked.resolve()
      socket.write(WELCOME)
      socket.once('data', () => asked.resolve())
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  open.push(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return { shown: `postgres://ada@127.0.0.1:${port}/lcm`, asked: asked.promise, left: left.promise }
}

/** The databases of a user who has connected to one, and a file that was pulled from it. */
async function databases(shown: string) {
  const folder = temporaryFolder()
  const servers = new Servers({ folders: { data: folder, cache: folder }, env: {}, keys: null })
  await servers.remember(shown)
  const { db, path } = new TestMemory()
  makePulledRows(db)
  storePulledFrom(db, { address: shown, tenant: 'acme', conversationId: 1, parentId: null, appends: 0, changes: 0 })
  db.close()
  return { servers, path, to: join(folder, 'to.db') }
}

const LONG_JOBS: Readonly<Record<string, LongJob>> = {
  pull: ({ servers, to }, address, signal) => servers.pull({ address, tenant: 'acme', conversationId: 1 }, to, signal),
  push: ({ servers, path }, _, signal) => servers.push(path, signal),
}
type LongJob = (
  given: Awaited<ReturnType<typeof databases>>,
  shown: string,
  signal: AbortSignal,
) => AsyncGenerator<JobProgress>

describe('a server that does not answer', () => {
  it.each(
    Object.entries(LONG_JOBS).flatMap(([name, job]) => [true, false].map((welcomes) => ({ name, job, welcomes }))),
  )('holds no $name of the window that is cancelled (lets in: $welcomes)', async ({ job, welcomes }) => {
    const { shown, asked, left } = await silentServer({ welcomes })
    const given = await databases(shown)
    const abort = new AbortController()
    const notes: string[] = []
    const running = (async () => {
      for await (const { note } of job(given, shown, abort.signal)) notes.push(note)
    })()
    await asked
    abort.abort()
    await expect(running).rejects.toMatchObject({ code: 'cancelled' })
    await left
    expect(notes.slice(0, 2)).toEqual([`connecting to ${shown}`, ...(welcomes ? [`waiting for ${shown}`] : [])])
    expect(existsSync(given.to)).toBe(false)
  })

  it('is named with the time for which it has not answered', async () => {
    const db = { shown: 'postgres://ada@db/lcm', waitsMs: () => 12_300 }
    const steps = withSilences(
      db,
      (async function* () {
        yield { done: 7, total: 0, unit: 'messages', note: '' } as const
        await new Promise(() => undefined)
      })(),
    )
    await steps.next()
    expect((await steps.next()).value).toMatchObject({ done: 7, note: `${db.shown} has not answered for 12 s` })
  })

  it('is waited for no longer than a statement may take, and is asked nothing more then', async () => {
    const { shown } = await silentServer()
    const db = await connectPostgres(parseAddress(shown, 'argument').address, null, { silentMs: 50 })
    const never = db.read('acme', async (query) => query('SELECT 1'))
    await expect(never).rejects.toMatchObject({ code: 'server_unavailable' })
    await db.close()
  })

  it.each([
    // One command listens to the signal itself, and the other does not.
    [
      'pull',
      (shown: string) => [
        'pull',
        shown,
        '--tenant',
        'a',
        '--conversation',
        '1',
        '--db',
        join(temporaryFolder(), 'a.db'),
      ],
    ],
    ['pg', (shown: string) => ['pg', 'status', shown]],
  ])('does not keep lcm %s from ending on Ctrl-C', async (_, words) => {
    const { shown, asked } = await silentServer()
    const child = startLcm(words(shown))
    const ran = ended(child)
    await asked
    child.kill('SIGINT')
    const { code, stderr } = await ran
    expect([code, stderr]).toEqual([130, expect.stringContaining('cancelled')])
  })
})
