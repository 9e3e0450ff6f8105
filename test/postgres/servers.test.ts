import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { DatabaseAddress } from '#core/database-address.ts'
import { overWire } from '#core/remote/postgres/connect.ts'
import { POSTGRES_VERSION } from '#core/remote/postgres/migrate.ts'
import { Servers } from '#core/remote/servers.ts'
import { FileKeyStore } from '#core/settings/key-store.ts'
import { runToEnd } from '#core/yielding.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

const never = new AbortController().signal
const SECRET = 'a-secret-of-the-tests'
const ADDRESS = 'postgres://ada@db.example.com:5432/lcm'

/** Databases with a keychain that turns texts around, and a list of the passwords that were sent. */
function databases({ env = {}, hasKeychain = true }: { env?: Record<string, string>; hasKeychain?: boolean } = {}) {
  const folder = temporaryFolder()
  const turned = (text: string) => [...text].toReversed().join('')
  const cipher = {
    encrypt: async (text: string) => Buffer.from(turned(text)),
    decrypt: async (bytes: Uint8Array) => turned(Buffer.from(bytes).toString()),
  }
  const sent: [string, string | null][] = []
  const connect = async (address: DatabaseAddress, password: string | null) => {
    sent.push([address.host, password])
    const wire = {
      query: async () => ({ rows: [{ isThere: true, version: POSTGRES_VERSION }] }),
      exec: async () => undefined,
      close: async () => undefined,
    }
    return overWire(wire, address.shown)
  }
  const keys = hasKeychain ? new FileKeyStore(join(folder, 'keys.json'), cipher) : null
  const servers = new Servers({ folders: { data: folder, cache: folder }, env, keys, connect, clock: () => 7 })
  return { servers, sent, folder }
}

const revisionOf = (servers: Servers, address = ADDRESS) =>
  servers.revision({ address, tenant: 'acme', conversationId: 1 })

describe('databases of the user', () => {
  it('are listed without their passwords, which stand in the keychain alone', async () => {
    const { servers, folder, sent } = databases()
    expect(await servers.connect({ address: `postgres://ada:${SECRET}@db.example.com/lcm` })).toEqual({
      address: ADDRESS,
    })
    expect(servers.list()).toEqual({
      servers: [{ address: ADDRESS, openedAtMs: 7, secret: 'keychain' }],
      canKeepSecrets: true,
    })
    await revisionOf(servers)
    expect(sent).toEqual([
      ['db.example.com', SECRET],
      ['db.example.com', SECRET],
    ])
    for (const file of readdirSync(folder)) expect(readFileSync(join(folder, file), 'utf8')).not.toContain(SECRET)
    await servers.forget(ADDRESS)
    expect(servers.list().servers).toEqual([])
    await expect(revisionOf(servers)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('are sent no password before the user connected to them, not even PGPASSWORD', async () => {
    const { servers, sent } = databases({ env: { PGPASSWORD: SECRET } })
    await expect(revisionOf(servers, 'postgres://ada@evil.example.com/lcm')).rejects.toMatchObject({
      code: 'not_found',
    })
    expect(sent).toEqual([])
    await servers.connect({ address: ADDRESS })
    expect(sent).toEqual([['db.example.com', SECRET]])
    expect(servers.list().servers).toMatchObject([{ secret: 'environment' }])
  })

  it('take no password where it cannot be kept, and say what to do', async () => {
    const { servers, sent } = databases({ hasKeychain: false })
    const error = await servers.connect({ address: ADDRESS, password: SECRET }).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: 'unsupported', message: expect.stringContaining('PGPASSWORD') })
    expect(JSON.stringify([error, String(error)])).not.toContain(SECRET)
    expect(sent).toEqual([])
  })

  it('give a conversation also where the keys for large files are not entered: it comes without those', async () => {
    const { servers, folder, sent } = databases({ env: { LCM_OBJECTS: 's3://memories/lcm' } })
    await servers.connect({ address: ADDRESS })
    const pulling = servers.pull({ address: ADDRESS, tenant: 'acme', conversationId: 1 }, join(folder, 'a.db'), never)
    const error = await runToEnd(pulling).catch((caught: unknown) => caught)
    expect(String(error)).not.toContain('AWS_')
    // The stand-in for a database has no conversation, but it was asked.
    expect(sent).toHaveLength(2)
  })

  it('keep each conversation in a file of its own, whatever the tenant is called', () => {
    const { servers, folder } = databases()
    const paths = ['../../evil', 'a/b', 'a', ''].map((tenant) =>
      servers.pathOf({ address: ADDRESS, tenant, conversationId: 1 }),
    )
    expect(new Set(paths).size).toBe(4)
    for (const path of paths) expect(path.startsWith(join(folder, 'pulled'))).toBe(true)
  })
})
