import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { Core } from '#core/core.ts'
import { executeHere } from '#core/doors/run-job.ts'
import { Machine } from '#core/machine/machine.ts'
import { readSettings } from '#core/settings/settings.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { Stats } from './documents.ts'
import { document, lcmHere, type Ran } from './lcm.ts'
import { writeLong } from './memories.ts'

const OFF = { LCM_ENABLED: 'false' }
/** So that the long transcript is past its threshold. */
const SMALL = { LCM_TOKEN_BUDGET: '2000' }

let folder: string
let db: string
let transcript: string
beforeEach(() => {
  folder = temporaryFolder()
  db = join(folder, 'lcm.db')
  mkdirSync(join(folder, 'transcripts'))
  transcript = writeLong(join(folder, 'transcripts'))
})

const run = (env: Readonly<Record<string, string>>, ...args: string[]): Promise<Ran> => lcmHere(args, { env })
const counts = async (): Promise<[number, number]> => {
  const { messages, summaries } = await document(Stats, ['stats', '--db', db])
  return [messages, summaries]
}

describe('the setting LCM_ENABLED=false', () => {
  it('refuses an import, says how to switch it on again, and creates no memory', async () => {
    const ran = await run(OFF, 'import', transcript, '--db', db)
    expect([ran.code, ran.stdout]).toEqual([1, ''])
    expect(ran.stderr).toMatch(/^lcm: switched_off: Cannot import transcripts: LCM_ENABLED is false.* set it to true/)
    expect(existsSync(db)).toBe(false)
  })

  it('compacts nothing, gives the reason in the plan, and allows all reading', async () => {
    await run({}, 'import', transcript, '--db', db)
    const before = await counts()
    const env = { ...OFF, ...SMALL }
    const plan = await run(env, 'compact', '--plan', '--db', db, '--json')
    expect(JSON.parse(plan.stdout)).toMatchObject({
      steps: [],
      modelCalls: 0,
      skipped: expect.stringMatching(/LCM_ENABLED is false/),
    })
    expect(await run(env, 'compact', '--plan', '--db', db)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^LCM_ENABLED is false/),
    })
    expect(await run(env, 'compact', '--db', db)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^lcm: switched_off: /),
    })
    const automatic = await run(env, 'compact', '--auto', '--db', db, '--json')
    expect([automatic.code, JSON.parse(automatic.stdout).skipped]).toEqual([0, expect.stringMatching(/LCM_ENABLED/)])
    for (const reading of [['stats'], ['tree'], ['context'], ['grep', 'the'], ['integrity'], ['storage']])
      expect((await run(env, ...reading, '--db', db)).code, reading.join(' ')).toBe(0)
    expect(await counts()).toEqual(before)
  })

  it('leaves everything as it was for when it is switched on again', async () => {
    await run({}, 'import', transcript, '--db', db)
    await run(OFF, 'import', transcript, '--db', db)
    const again = await run({}, 'import', transcript, '--db', db, '--json')
    expect(JSON.parse(again.stdout)).toMatchObject({ added: 0, alreadyThere: 160 })
    expect((await run(SMALL, 'compact', '--auto', '--db', db)).code).toBe(0)
    expect((await counts())[1]).toBeGreaterThan(0)
  })

  it('applies to the jobs of the window and to automatic compaction', async () => {
    await run({}, 'import', transcript, '--db', db)
    const open = { settings: readSettings({ ...OFF, ...SMALL }) }
    const machine = new Machine({ env: { LCM_DATA_DIR: folder }, resourcesDir: '/nowhere' })
    const core = new Core({ path: db, open, machine, execute: executeHere(open), autoCompact: true })
    const made = join(folder, 'made.db')
    core.jobs.start({ path: made, create: true, spec: { kind: 'import', paths: [transcript], format: 'auto' } })
    core.jobs.start({
      path: db,
      create: false,
      spec: { kind: 'compact', conversationId: 1, mode: 'full', summarizer: 'deterministic', reason: 'manual' },
    })
    await expect.poll(() => core.jobs.list().map((job) => job.state)).toEqual(['failed', 'failed'])
    expect(core.jobs.list().map((job) => job.error?.code)).toEqual(['switched_off', 'switched_off'])
    expect(existsSync(made)).toBe(false)
    await new Promise((resume) => setTimeout(resume, 1200))
    expect(core.jobs.list()).toHaveLength(2)
    await core.close()
  })
})

describe('the setting LCM_AUTOCOMPACT_DISABLED=true', () => {
  it('applies to compact --auto and its plan, but not to a compaction that somebody asks for', async () => {
    await run({}, 'import', transcript, '--db', db)
    const env = { ...SMALL, LCM_AUTOCOMPACT_DISABLED: 'true' }
    for (const args of [['--auto'], ['--auto', '--plan']]) {
      const ran = await run(env, 'compact', ...args, '--db', db, '--json')
      expect([ran.code, JSON.parse(ran.stdout).skipped]).toEqual([0, expect.stringMatching(/LCM_AUTOCOMPACT_DISABLED/)])
    }
    expect((await counts())[1]).toBe(0)
    expect((await run(env, 'compact', '--db', db)).code).toBe(0)
    expect((await counts())[1]).toBeGreaterThan(0)
  })
})

describe('lcm compact --auto --plan', () => {
  it('shows the run that --auto would make, and none below the thresholds', async () => {
    await run({}, 'import', transcript, '--db', db)
    const planned = JSON.parse((await run(SMALL, 'compact', '--auto', '--plan', '--db', db, '--json')).stdout)
    expect(planned).toMatchObject({ mode: 'untilUnder', skipped: null })
    const none = JSON.parse((await run({}, 'compact', '--auto', '--plan', '--db', db, '--json')).stdout)
    expect(none).toMatchObject({ steps: [], skipped: expect.stringMatching(/No threshold is reached/) })
  })
})

describe('the setting LCM_LEDGER_PATH', () => {
  it('is reported on standard error as unused for a memory that is not the configured one', async () => {
    const ledger = join(folder, 'mine.jsonl')
    const env = { LCM_LEDGER_PATH: ledger, LCM_DATABASE_PATH: join(folder, 'mine.db') }
    const note = /^lcm: LCM_LEDGER_PATH \(.*mine\.jsonl\) is not used: .*mine\.db, and this is .*lcm\.db/
    expect(await run(env, 'import', transcript, '--db', db)).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(note),
    })
    expect(await run(env, 'compact', '--db', db)).toMatchObject({ code: 0, stderr: expect.stringMatching(note) })
    expect(await run(env, 'ledger', 'status', '--db', db)).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(note),
    })
    expect(existsSync(ledger)).toBe(false)
    // What only reads writes no ledger anyway.
    expect(await run(env, 'stats', '--db', db)).toMatchObject({ code: 0, stderr: '' })
  })

  it('is used silently for the configured memory, named or not', async () => {
    const env = { LCM_LEDGER_PATH: join(folder, 'mine.jsonl'), LCM_DATABASE_PATH: db }
    expect(await run(env, 'import', transcript)).toMatchObject({ code: 0, stderr: '' })
    expect(await run(env, 'import', transcript, '--db', db)).toMatchObject({ code: 0, stderr: '' })
    expect(existsSync(env.LCM_LEDGER_PATH)).toBe(true)
  })
})
