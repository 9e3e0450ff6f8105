import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { parseAddress } from '../../core/postgres/address.ts'
import { connectPostgres } from '../../core/postgres/connect.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { ended, startLcm } from '../cli/lcm.ts'

/** https://www.postgresql.org/docs/15/protocol-message-formats.html: AuthenticationOk, and ReadyForQuery. */
const WELCOME = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49])

const open: (() => void)[] = []
afterEach(() => {
  for (const close of open.splice(0)) close()
})

/** A server that lets everybody in and answers no statement, as one whose network was cut. */
async function silentServer() {
  const asked = Promise.withResolvers<void>()
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => {
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
  return { shown: `postgres://ada@127.0.0.1:${port}/lcm`, asked: asked.promise }
}

describe('a server that does not answer', () => {
  it('is waited for no longer than a statement may take, and is asked nothing more then', async () => {
    const { shown } = await silentServer()
    const db = await connectPostgres(parseAddress(shown, 'argument').address, null, 50)
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
