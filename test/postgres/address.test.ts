import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseAddress } from '#core/database-address.ts'
import { resolveAddress } from '#core/doors/cli/postgres-session.ts'
import { LcmError } from '#core/errors.ts'
import { translatePostgresError } from '#core/remote/postgres/postgres-error.ts'
import { openMemory } from '#core/systems/opening/open.ts'

const caught = (body: () => unknown): LcmError => {
  try {
    body()
  } catch (error) {
    if (error instanceof LcmError) return error
  }
  throw new Error('no LcmError')
}

describe('an address', () => {
  it('is read with its tenant, and shown again without a password', () => {
    const { address, password } = parseAddress('postgres://ada:s%40crit@db.example.com/lcm?tenant=acme', 'environment')
    expect(address).toEqual({
      ...{ host: 'db.example.com', port: 5432, database: 'lcm', user: 'ada', tenant: 'acme', tls: 'verify' },
      shown: 'postgres://ada@db.example.com:5432/lcm?tenant=acme',
    })
    expect(password).toBe('s@crit')
    expect(parseAddress(address.shown, 'argument')).toEqual({ address, password: null })
  })

  it.each([
    ['postgres://db.example.com/lcm', 'verify'],
    ['postgres://db.example.com/lcm?sslmode=require', 'verify'],
    ['postgres://db.example.com/lcm?sslmode=disable', 'off'],
    ['postgres://localhost/lcm', 'off'],
    ['postgres://localhost/lcm?sslmode=verify-full', 'verify'],
    ['postgres://localhost.example.com/lcm', 'verify'],
  ])('asks for TLS across a network unless it is switched off: %s is %s', (text, tls) => {
    const { address } = parseAddress(text, 'argument')
    expect(address.tls).toBe(tls)
    expect(parseAddress(address.shown, 'argument').address).toEqual(address)
  })

  it.each([
    'postgres://',
    'http://db/lcm',
    'postgres://h:x/lcm',
    'postgres://h/lcm?sslmode=prefer',
    'postgres://%zz/x',
    'postgres://ada@h',
    'postgres://ada@h:5432/?tenant=acme',
    'postgres://a%00da@h/lcm',
    'postgres://ada@h/l%00cm',
    'postgres://ada@h/lcm?tenant=a%00b',
    `postgres://ada@h/lcm?tenant=${'x'.repeat(201)}`,
  ])('is refused when it is none, or names no database: %s', (text) => {
    expect(caught(() => parseAddress(text, 'argument')).code).toBe('invalid_argument')
  })

  it('says which characters of a password are escaped, where one may stand', () => {
    for (const text of ['postgres://ada:50%@h/lcm', 'postgres://ada:a#b@h/lcm', 'postgres://ada:a/b@h/lcm']) {
      expect(caught(() => parseAddress(text, 'environment')).message).toContain('%23 for #')
    }
    const { password } = parseAddress('postgres://ada:%25%40%23%2F@h/lcm', 'environment')
    expect(password).toBe('%@#/')
  })

  // "Secrets never in argv, logs or errors"
  it('is refused as an argument when it holds a password, which no error repeats', async () => {
    const secret = fc.stringMatching(/^[A-Za-z0-9]{8,20}$/)
    await fc.assert(
      fc.asyncProperty(secret, async (password) => {
        const forms = [`postgres://ada:${password}@db/lcm`, `postgres://db/lcm?password=${password}`]
        for (const text of forms) {
          const error = caught(() => resolveAddress(text, {}))
          expect(error.code).toBe('invalid_argument')
          expect(error.message).toContain('PGPASSWORD')
          const asFile = await openMemory(text).catch((thrown: unknown) => thrown)
          for (const thrown of [error, asFile]) {
            expect(JSON.stringify({ thrown, message: String(thrown) })).not.toContain(password)
          }
          expect(parseAddress(text, 'environment').address.shown).not.toContain(password)
        }
      }),
      { numRuns: 20 },
    )
  })

  it('takes the password of LCM_DATABASE_URL for the same server, database and user only', () => {
    const env = { LCM_DATABASE_URL: 'postgres://ada:secret@db/lcm?tenant=a' }
    expect(resolveAddress(undefined, env).password).toBe('secret')
    expect(resolveAddress('postgres://ada@db/lcm', env).password).toBe('secret')
    expect(resolveAddress('postgres://ada@elsewhere/lcm', env).password).toBe(null)
    expect(resolveAddress('postgres://bob@db/lcm', { ...env, PGPASSWORD: 'other' }).password).toBe('other')
  })
})

describe('errors of PostgreSQL', () => {
  it.each([
    ['28P01', 'server_refused'],
    ['42501', 'server_refused'],
    ['3D000', 'server_refused'],
    ['42P01', 'server_refused'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'server_refused'],
    ['ECONNREFUSED', 'server_unavailable'],
    ['ENOTFOUND', 'server_unavailable'],
    ['EAI_AGAIN', 'server_unavailable'],
    ['57P01', 'server_unavailable'],
    ['40001', 'locked'],
    ['55P03', 'locked'],
    ['57014', 'locked'],
    ['23505', 'conflict'],
    ['XX000', 'server_failed'],
  ])('%s becomes %s, without values of rows', (code, expected) => {
    const error = Object.assign(new Error('Key (content)=(private words) is bad'), { code, detail: 'private words' })
    const translated = translatePostgresError(error, 'postgres://ada@db:5432/lcm')
    expect(translated).toMatchObject({ code: expected })
    expect(JSON.stringify([translated, String(translated)])).not.toContain('private words')
  })
})
