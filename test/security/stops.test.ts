import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { SLOW_CONDITION } from '../builders/hostile-schemas.ts'
import { buildMemory } from '../builders/memory.ts'
import { losslessClawWriters } from '../builders/systems/lossless.ts'
import { tellStory } from '../builders/systems/story.ts'
import { type SystemWriter, writeStory } from '../builders/systems/system.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { ended, environment, startLcm } from '../doors/cli/lcm.ts'

/**
 * Makes a file of lossless-claw on which SQLite's own check does not end: a partial index has a condition that takes
 * minutes, and the check evaluates it for every row. Everything else in the file is sound.
 */
function endlessFile(): string {
  const path = join(temporaryFolder(), 'lcm.db')
  const writer = losslessClawWriters.at(-1) as SystemWriter
  writeStory(writer, path, writer.tell(tellStory({ seed: 5, turns: 3 })))
  const db = new Database(path)
  db.exec('CREATE TABLE endless (x TEXT); INSERT INTO endless VALUES (NULL)')
  db.exec(`CREATE INDEX endless_index ON endless (x) WHERE x IS NOT NULL AND ${SLOW_CONDITION}`)
  // The condition is written into the schema after the index exists, so that it is not evaluated before the check.
  db.unsafeMode(true)
  db.pragma('writable_schema = ON')
  const hidden = db.prepare(`SELECT rootpage, sql FROM sqlite_schema WHERE name = 'endless_index'`).get()
  db.exec(`DELETE FROM sqlite_schema WHERE name = 'endless_index'`)
  db.close()
  const again = new Database(path)
  again.unsafeMode(true)
  again.exec(`UPDATE endless SET x = ''`)
  again.pragma('writable_schema = ON')
  again
    .prepare(
      `INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES ('index', 'endless_index', 'endless', :rootpage, :sql)`,
    )
    .run(hidden)
  again.pragma('journal_mode = DELETE')
  again.close()
  return path
}

// Proves that every stop takes effect within two seconds, even while SQLite is inside one statement that takes minutes.
// Takes longer than 5 s where programs take long to start: the statement has to be under way in a process of its own.

/** Tenths of a second of the process that is to stop: two seconds. */
const MOST_TICKS = 20
const endless = endlessFile()
const memory = buildMemory({ conversations: [{ messages: ['hello'] }] })
memory.db.close()

type Measured<T> = { readonly ticks: number; readonly answer: T }

/** Runs one of the stops in a process that may be killed. */
async function stop<T>(name: string): Promise<T> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'children/stops.ts'), endless, memory.path, name], {
    env: environment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), 200_000)
  const { stdout } = await ended(child)
  clearTimeout(timer)
  return JSON.parse(stdout) as T
}

/** Seconds of processor that a process has had. https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

describe('a statement that does not end', () => {
  it('lets its job be cancelled, and the next job runs in another thread', async () => {
    type Said = { cancelled: Measured<string>; next: string; closed: Measured<boolean> }
    const { cancelled, next, closed } = await stop<Said>('cancelJob')
    expect([cancelled.answer, next, closed.answer]).toEqual(['cancelled', 'integrity', false])
    expect(Math.max(cancelled.ticks, closed.ticks)).toBeLessThanOrEqual(MOST_TICKS)
  })

  it('lets the host be closed, which reports that not everything ended', async () => {
    const { ticks, answer } = await stop<Measured<boolean>>('stopHost')
    expect(answer).toBe(false)
    expect(ticks).toBeLessThanOrEqual(MOST_TICKS)
  })

  it('lets its window be closed, and the next window on the file gets another core', async () => {
    const said = await stop<{ first: string; hung: string; again: string; closed: Measured<boolean> }>('leaveWindow')
    expect([said.first, said.hung, said.again]).toEqual(['hello', 'nothing', 'hello'])
    expect(said.closed.answer).toBe(false)
    expect(said.closed.ticks).toBeLessThanOrEqual(MOST_TICKS)
  })

  it.for(['SIGINT', 'SIGTERM'] as const)(
    'lets its command be ended by %s, and the command says so',
    async (signal, { skip }) => {
      skip(process.platform !== 'linux', 'there is no /proc to see it work in')
      const child = startLcm(['integrity', '--db', endless, '--json'])
      const ran = ended(child)
      // All that comes before takes about a second.
      await expect.poll(() => processorSeconds(child.pid ?? 0), { interval: 50, timeout: 200_000 }).toBeGreaterThan(2.5)
      child.kill(signal)
      const { signal: died, stdout } = await ran
      expect(died).toBe(signal)
      expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'cancelled' } })
    },
  )
})
