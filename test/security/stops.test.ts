import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { endlessFile } from '../builders/endless-file.ts'
import { buildMemory } from '../builders/memory.ts'
import { ended, environment, startLcm } from '../doors/cli/lcm.ts'

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
