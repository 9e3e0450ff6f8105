import { appendFileSync, copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { LedgerWriter } from '#core/ledger/ledger-writer.ts'
import { openNative } from '#core/sqlite/native.ts'
import { openHere, permissionOf } from '../builders/ledgers.ts'
import { compact, keptMemory, ledgerFindings, longTexts, say } from './kept-memory.ts'

let warned: string[] = []
beforeEach(() => {
  warned = []
  vi.spyOn(console, 'warn').mockImplementation((text: string) => void warned.push(text))
})
afterEach(() => {
  vi.restoreAllMocks()
})

describe('a ledger that cannot be written', () => {
  it.each([
    ['its folder is gone', (ledger: string) => rmSync(dirname(ledger), { recursive: true })],
    [
      'a folder has its name',
      (ledger: string) => {
        rmSync(ledger)
        mkdirSync(ledger)
      },
    ],
  ])('lets every write succeed when %s, is reported once, and catches up later', async (_why, spoil) => {
    const { path } = await keptMemory()
    const folder = join(dirname(path), 'kept')
    const ledger = join(folder, 'elsewhere.jsonl')
    mkdirSync(folder)
    const db = openNative(path)
    const writer = new LedgerWriter(db, Date.now, permissionOf(path))
    writer.disable()
    writer.enable(ledger)
    writer.drain()
    db.close()
    const whole = readFileSync(ledger)
    spoil(ledger)
    using lcm = await openHere(path)
    const id = say(lcm, 'long', longTexts(60))
    expect(await compact(lcm, id)).toBeGreaterThan(0)
    expect(warned).toHaveLength(1)
    expect(await ledgerFindings(lcm)).toEqual(['ledger_behind'])
    expect(lcm.ledger.state(lcm.read).pending).toBeGreaterThan(60)
    rmSync(ledger, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    writeFileSync(ledger, whole)
    say(lcm, 's', ['afterwards'])
    expect(lcm.ledger.state(lcm.read)).toMatchObject({ pending: 0, blocked: null })
    expect(await ledgerFindings(lcm)).toEqual([])
  })

  it('fails no write when the outbox holds invalid rows', async () => {
    const { path } = await keptMemory()
    using lcm = await openHere(path)
    lcm
      .requireWrite('test')
      .run("INSERT INTO ledger_outbox (table_name, op, key) VALUES ('messages', 'insert', 'no JSON')")
    say(lcm, 's', ['one'])
    expect(lcm.stats.stats().messages).toBe(2)
    expect(warned).toHaveLength(1)
  })
})

describe('the integrity checks', () => {
  it('find a ledger that continues after what the memory has written, and nothing is added to it', async () => {
    const { path, ledger } = await keptMemory()
    using lcm = await openHere(path)
    say(lcm, 's', ['one'])
    // The state after a copied memory was opened by a version that asked for no consent.
    const lines = readFileSync(ledger, 'utf8').trimEnd().split('\n')
    appendFileSync(ledger, `${lines.at(-1)?.replaceAll(/"event_id":"../g, '"event_id":"ZZ')}\n`)
    expect(await ledgerFindings(lcm)).toEqual(['ledger_chain', 'ledger_ahead'])
    const before = readFileSync(ledger)
    say(lcm, 's', ['two'])
    expect(readFileSync(ledger)).toEqual(before)
    expect(warned).toEqual([expect.stringContaining('goes on after')])
  })

  it('find a ledger with messages that the restored memory does not have', async () => {
    const { path } = await keptMemory()
    copyFileSync(path, `${path}.old`)
    const lcm = await openHere(path)
    say(lcm, 's', ['one'])
    lcm.close()
    copyFileSync(`${path}.old`, path)
    using restored = await openHere(path)
    expect(await ledgerFindings(restored)).toEqual(['ledger_ahead'])
    const report = (await restored.doctor()).integrity.findNow(['ledger_ahead'], null).get('ledger_ahead') ?? []
    expect(report.map(({ detail }) => detail)).toContainEqual(expect.stringContaining('does not hold'))
  })

  it('find the ledger of another memory', async () => {
    const [one, other] = [await keptMemory(), await keptMemory()]
    renameSync(other.ledger, one.ledger)
    using lcm = await openHere(one.path)
    expect(await ledgerFindings(lcm)).toContain('ledger_foreign')
  })
})

describe('consent to a ledger', () => {
  it('compares the messages of both when an older version stored no proof, and continues the ledger', async () => {
    const { path, ledger } = await keptMemory()
    const forget = (): void => {
      using db = openNative(path)
      db.run("DELETE FROM lcm_meta WHERE key IN ('ledger_id', 'ledger_head', 'ledger_tail')")
    }
    forget()
    const asking = await openHere(path)
    say(asking, 's', ['two'])
    expect(asking.ledger.state(asking.read)).toMatchObject({ problem: 'not_agreed' })
    asking.close()
    const whole = readFileSync(ledger, 'utf8')
    writeFileSync(ledger, whole.replace('Said first.', 'Said firsT.'))
    const db = openNative(path)
    const writer = new LedgerWriter(db, Date.now, permissionOf(path))
    expect(() => writer.agree()).toThrow(/do not hold the same messages/)
    writeFileSync(ledger, whole)
    writer.agree()
    expect(writer.drain()).toBeGreaterThan(0)
    db.close()
    using after = await openHere(path)
    expect(await ledgerFindings(after)).toEqual([])
  })

  it('names the new place of a ledger that was moved', async () => {
    const { path, ledger } = await keptMemory()
    const moved = join(dirname(ledger), 'moved.jsonl')
    renameSync(ledger, moved)
    const db = openNative(path)
    new LedgerWriter(db, Date.now, permissionOf(path)).agree(moved)
    db.close()
    using lcm = await openHere(path)
    say(lcm, 's', ['two'])
    expect(readFileSync(moved, 'utf8')).toContain('"two"')
    expect(await ledgerFindings(lcm)).toEqual([])
  })
})
