import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { LcmError } from '#core/errors.ts'
import { Random } from '../builders/random.ts'
import type { AskedCases, CaseLine } from './cases.ts'
import { copyOf, remove } from './copied-folder.ts'
import { checked } from './kills.ts'
import { type Prepared, prepare } from './prepared.ts'
import { runWork } from './works.ts'
import { type Write, watchingWrites } from './write-points.ts'

/**
 * Lets the disk be full from one of `every` writes of a work on: `node:fs` says ENOSPC, and on Linux no file may grow any more,
 * which is how SQLite meets it. The work must end well or say `disk_full`, and be completed when there is room again.
 */
export async function* fullDisks(asked: AskedCases): AsyncGenerator<CaseLine> {
  const { seed, from, to, work = 'import', every = 1 } = asked
  const prepared = await prepare(work, seed)
  for (let number = from; number < to; number += 1) {
    const write = 1 + number * every
    if (write > prepared.writes) break
    const name = `${work}, from write ${write} of seed ${seed}`
    yield { begins: name }
    const folder = copyOf(prepared.start)
    const random = new Random(seed * 1_000_003 + write)
    const error = await withoutRoomFrom(prepared, folder, write, random)
    const code = error === null ? 'no error' : error instanceof LcmError ? error.code : 'untyped'
    const isTold = error === null || code === 'disk_full'
    const faults = [...(isTold ? [] : [`it said ${code}: ${error}`]), ...(await checked(prepared, folder))]
    remove(folder)
    yield { name, faults, counted: code }
  }
  remove(prepared.start)
}

async function withoutRoomFrom({ work }: Prepared, folder: string, first: number, random: Random): Promise<unknown> {
  let writes = 0
  const onWrite = ({ kind }: Write): void => {
    writes += 1
    if (writes === first) limitFiles(largestIn(folder) + (random.chance(0.5) ? 0 : random.int(1, 4096)))
    const needsRoom = kind === 'create' || kind === 'write' || kind === 'link'
    if (writes >= first && needsRoom)
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  }
  try {
    await watchingWrites(onWrite, () => runWork(work, folder))
    return null
  } catch (error) {
    return error
  } finally {
    limitFiles('unlimited')
  }
}

/** The size of the file that SQLite is about to make larger: its log, or else a copy that is being made. */
function largestIn(folder: string): number {
  const sizes = (end: RegExp): number[] =>
    readdirSync(folder).flatMap((name) => (end.test(name) ? statSync(join(folder, name)).size : []))
  return Math.max(0, ...(sizes(/\.partial-[^-]+-[^-]+$/).length > 0 ? sizes(/\.partial-/) : sizes(/-wal$/)))
}

/** No file of this process may become larger, in bytes. */
function limitFiles(bytes: number | 'unlimited'): void {
  if (process.platform !== 'linux') return
  execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:unlimited`])
}
