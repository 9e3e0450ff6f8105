import { spawn } from 'node:child_process'
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { toErrorInfo } from '#core/errors.ts'
import { openNative } from '#core/sqlite/native.ts'
import { readOpenRuns } from '#core/systems/records/runs.ts'
import { cliPath } from '../builders/built-program.ts'
import { openHere } from '../builders/ledgers.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { fired, scan } from '../doctor/repair/doctor.ts'
import { ended, environment, lcmHere, type Ran } from '../doors/cli/lcm.ts'
import { keptMemory, ledgerFindings } from '../ledger/kept-memory.ts'

/** A command whose process may make no file larger than this: what it writes fails as on a full disk. */
function runLimited(limitKb: number, args: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  const command = `ulimit -f ${limitKb} && exec "$0" "$@"`
  return ended(
    spawn('bash', ['-c', command, process.execPath, cliPath, ...args], {
      // A cache of compiled code may not grow either.
      env: { ...environment(env), NODE_COMPILE_CACHE: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
}

const LIMIT_KB = 1024

function writeTranscript(path: string, messages: number): string {
  const lines = Array.from({ length: messages }, (_, index) =>
    JSON.stringify({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: `Message ${index} ${'of the lease '.repeat(40)}`,
    }),
  )
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

/** Opens a native file for one question. */
function ask<T>(path: string, question: (db: ReturnType<typeof openNative>) => T): T {
  using db = openNative(path)
  return question(db)
}

let folder: string
let large: string
let transcript: string
beforeAll(async () => {
  folder = temporaryFolder()
  large = join(folder, 'large.db')
  transcript = writeTranscript(join(folder, 'said.jsonl'), 3000)
  await lcmHere(['import', transcript, '--db', large])
  expect(statSync(large).size).toBeGreaterThan(2 * LIMIT_KB * 1024)
})

describe('a command at the size limit of files', () => {
  beforeEach(({ skip }) => {
    skip(process.platform === 'win32', 'Windows has no limit for the size of files')
  })
  it.each([
    ['import', (to: string) => ['import', transcript, '--db', to]],
    ['export', (to: string) => ['export', '--db', large, '--format', 'json', '-o', to]],
    ['copy', (to: string) => ['copy', '--from', large, '--to', to]],
    ['salvage', (to: string) => ['salvage', '--from', large, '--to', to]],
    ['ledger export', (to: string) => ['ledger', 'export', '--db', large, '-o', to]],
  ])('reports a full disk and leaves nothing half written: lcm %s', async (_what, args) => {
    const to = join(temporaryFolder(), 'made')
    const ran = await runLimited(LIMIT_KB, args(to))
    expect(ran.stderr).toMatch(/lcm: disk_full: /)
    expect(ran.code).toBe(1)
    expect(readdirSync(dirname(to)).filter((name) => name.includes('partial'))).toEqual([])
    // An import keeps what was committed before.
    if (existsSync(to)) expect((await lcmHere(['integrity', '--db', to])).code).toBe(0)
  })

  // At the edge of a page SQLite gets a failed write instead of a short one, and removes what it added.
  it.each([
    ['import', (to: string) => ['import', transcript, '--db', to]],
    ['copy', (to: string) => ['copy', '--from', large, '--to', to]],
  ])('reports a full disk when the limit is at the edge of a page: lcm %s', async (_what, args) => {
    const ran = await runLimited(100, args(join(temporaryFolder(), 'made')))
    expect(ran.stderr).toMatch(/lcm: disk_full: /)
    expect(ran.code).toBe(1)
  })

  describe('a compaction on a full disk', () => {
    const settings = ['leafChunkTokens=800', 'leafTargetTokens=100', 'condensedTargetTokens=100', 'freshTailCount=4']
    const compact = (path: string): string[] => [
      ...['compact', '--db', path],
      ...settings.flatMap((one) => ['--set', one]),
    ]
    /** Returns the window and every summary that it covers. Ids follow from sources and texts. */
    const standing = (path: string): unknown[] =>
      ask(path, (db) => [
        db.column('SELECT coalesce(summary_id, message_id) FROM context_items ORDER BY ordinal'),
        db.column('SELECT summary_id FROM summaries ORDER BY summary_id'),
      ])

    let before: string
    let whole: string
    beforeAll(async () => {
      before = join(folder, 'before.db')
      whole = join(folder, 'whole.db')
      await lcmHere(['import', writeTranscript(join(folder, 'short.jsonl'), 200), '--db', before])
      copyFileSync(before, whole)
      expect((await lcmHere(compact(whole))).code).toBe(0)
    })

    // The log grows by about 90 KB a summary: the disk is full among the first of 33 leaves, or among the condensed ones.
    it.each([600, 3300])(
      'ends where an uninterrupted one ends, once there is room, after its log filled %d KB',
      async (limitKb) => {
        const path = join(temporaryFolder(), 'lcm.db')
        copyFileSync(before, path)
        const cutOff = await runLimited(limitKb, compact(path))
        expect(cutOff.stderr).toMatch(/lcm: disk_full: /)
        expect(cutOff.code).toBe(1)
        expect(ask(path, (db) => readOpenRuns(db, 1))).toHaveLength(1)
        expect(standing(path)).not.toEqual(standing(whole))

        expect(await lcmHere(compact(path))).toMatchObject({ code: 0, stderr: '' })
        expect(fired(await scan(path))).toEqual([])
        expect(standing(path)).toEqual(standing(whole))
      },
    )
  })

  it('fails no write of a memory when its ledger cannot grow, says why it lags behind, and catches up', async () => {
    const { path, ledger } = await keptMemory()
    const first = await openHere(path)
    const write = first.requireWrite('test')
    // Every change is recorded, so that the ledger is larger than the memory.
    for (let index = 0; index < 40; index += 1)
      write.run('UPDATE conversations SET title = :title', { title: `${index} `.repeat(10_000) })
    write.run("UPDATE conversations SET title = ''")
    write.exec('VACUUM')
    first.close()
    const short = join(dirname(path), 'short.jsonl')
    writeFileSync(short, `{"role":"user","content":"${'Said on a full disk. '.repeat(200)}"}\n`)
    const limitKb = Math.ceil(statSync(ledger).size / 1024)
    expect(statSync(path).size).toBeLessThan(limitKb * 512)
    const env = { LCM_DATA_DIR: join(dirname(path), 'data') }
    const ran = await runLimited(limitKb, ['import', short, '--db', path], env)
    expect(ran.code).toBe(0)
    expect(ran.stderr).toMatch(/disk_full: .*lcm\.events\.jsonl/)
    expect(readFileSync(ledger, 'utf8')).not.toContain('full disk')
    const later = await openHere(path)
    expect(later.ledger.state(later.read)).toMatchObject({ pending: 0, blocked: null })
    expect(await ledgerFindings(later)).toEqual([])
    later.close()
    expect(readFileSync(ledger, 'utf8')).toContain('full disk')
  })
})

describe('an error of the file system that nobody translated', () => {
  it.each(['ENOSPC', 'EDQUOT', 'EFBIG'])('is reported as disk_full and never as internal: %s', (code) => {
    expect(toErrorInfo(Object.assign(new Error('write'), { code }))).toMatchObject({ code: 'disk_full' })
  })
})
