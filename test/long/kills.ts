import { spawn } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { Random } from '../builders/random.ts'
import type { AskedCases, CaseLine } from './cases.ts'
import { copyOf, remove } from './copied-folder.ts'
import { faultsAfterwards, faultsIn } from './faults.ts'
import { type Prepared, prepare } from './prepared.ts'
import { programPath, WORKS } from './works.ts'

/** A process that ends by itself and not by a kill takes no longer than this. */
const LONGEST_MS = 60_000

/**
 * Kills processes that import, store files, compact, repair and copy, each at one of its writes or a moment after it,
 * and says what is wrong with what they leave.
 */
export async function* kills({ seed, from, to }: AskedCases): AsyncGenerator<CaseLine> {
  const prepared = await Promise.all(WORKS.map((work) => prepare(work, seed)))
  for (let number = from; number < to; number += 1) {
    const random = new Random(seed * 1_000_003 + number)
    const one = prepared[number % prepared.length]
    if (one === undefined) return
    const write = random.int(1, one.writes + 1)
    const afterMs = random.chance(0.5) ? null : random.next() * 4
    const when = afterMs === null ? `before write ${write}` : `${afterMs.toFixed(1)} ms after write ${write}`
    const name = `case ${number} of seed ${seed} (${one.work}, ${when} of ${one.writes})`
    yield { begins: name }
    const folder = copyOf(one.start)
    const ended = await killAt(one, folder, write, afterMs)
    const faults = [...(ended.errors === '' ? [] : [`it said ${ended.errors}`]), ...(await checked(one, folder))]
    remove(folder)
    yield { name, faults, counted: ended.isKilled ? 'killed before the end of the work' : 'ended before' }
  }
  for (const { start } of prepared) remove(start)
}

/** What is wrong with the folder now, and after the work was done again. An error is a fault. */
export async function checked(prepared: Prepared, folder: string): Promise<readonly string[]> {
  try {
    return [...(await faultsIn(prepared, folder)), ...(await faultsAfterwards(prepared, folder))]
  } catch (error) {
    return [error instanceof Error ? (error.stack ?? error.message) : String(error)]
  }
}

type Ended = { readonly isKilled: boolean; readonly errors: string }

async function killAt({ work }: Prepared, folder: string, write: number, afterMs: number | null): Promise<Ended> {
  const how = afterMs === null ? 'at' : 'after'
  const child = spawn(process.execPath, [programPath('cut-off-work'), work, folder, String(write), how], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LONGEST_MS,
    killSignal: 'SIGABRT',
  })
  let errors = ''
  child.stderr.on('data', (data) => {
    errors += String(data)
  })
  child.stdout.on('data', () => void wait(afterMs ?? 0).then(() => child.kill('SIGKILL')))
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((done) =>
    child.once('close', (...ended) => done(ended)),
  )
  const isHanging = signal !== 'SIGKILL' && code !== 0
  return {
    isKilled: signal === 'SIGKILL',
    errors: isHanging && errors === '' ? `nothing, and ended with ${signal}` : errors,
  }
}
