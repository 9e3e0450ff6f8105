import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FIXTURES } from '../sqlite/fixtures.ts'
import { type InProcess, inProcess } from './pglite.ts'
import { thereAndBack } from './there-and-back.ts'

// Empty files of old releases, and each damage by itself, take no other way.
const files = readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(db|sqlite)$/.test(name) && !/legacy|corrupt/.test(name))
  .toSorted()

let server: InProcess
beforeAll(async () => {
  server = await inProcess()
})
afterAll(() => server.close())

describe('a memory of another system that is copied into a tenant', () => {
  // "any foreign file into a tenant", "verified equivalent"
  it.each(files)('comes back row by row as its working copy is: %s', async (name) => {
    const { report, conversations } = await thereAndBack(server.db, join(FIXTURES, name), name)
    expect(report.verified).toBe(true)
    expect(conversations.length).toBeGreaterThan(0)
    for (const { sent, back } of conversations) expect(back).toEqual(sent)
  })
})
