import { execFileSync } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { Random } from '../builders/random.ts'
import type { AskedCases, CaseLine } from './cases.ts'
import { copyOf, remove } from './copied-folder.ts'
import { checked } from './kills.ts'
import { type Prepared, prepare } from './prepared.ts'
import type { State } from './recorded-states.ts'
import { memoryIn, programPath } from './works.ts'

/** What of the log a disk kept: all of it, whole frames, or half of a frame with zeros or noise behind it. */
const LOGS = ['whole', 'cut', 'zeros', 'noise'] as const

/**
 * Looks at the files right before one of `every` writes of a work, and takes from them what a disk need not have kept when the
 * power fails: the end of SQLite's log, contents that were not synced, and names whose folder was not synced. Says what
 * is wrong with what is left.
 */
export async function* lossesOfPower(asked: AskedCases): AsyncGenerator<CaseLine> {
  const { seed, from, to, work = 'import', every = 1 } = asked
  const prepared = await prepare(work, seed)
  let number = -1
  for (const state of statesOf(prepared, every)) {
    for (const log of LOGS) {
      if (log !== 'whole' && !existsSync(`${memoryIn(state.folder)}-wal`)) continue
      number += 1
      if (number < from || number >= to) continue
      const name = `${work}, write ${state.write} of seed ${seed}, log ${log}`
      yield { begins: name }
      const folder = copyOf(state.folder)
      lose(folder, state, log, new Random(seed * 1_000_003 + state.write * 7 + LOGS.indexOf(log)))
      yield { name, faults: await checked(prepared, folder) }
      remove(folder)
    }
    remove(state.folder)
  }
  remove(prepared.start)
}

/** The files are looked at by a process that has ended when they are used, as after a loss of power. */
function statesOf(prepared: Prepared, every: number): State[] {
  const folder = copyOf(prepared.start)
  const args = [programPath('cut-off-work'), prepared.work, folder, String(every), 'states']
  const said = execFileSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1e8 })
  remove(folder)
  return JSON.parse(said) as State[]
}

const FRAME_HEADER_BYTES = 24
const LOG_HEADER_BYTES = 32

function lose(folder: string, state: State, log: (typeof LOGS)[number], random: Random): void {
  if (log === 'whole') return
  for (const name of state.contents) {
    const path = join(folder, name)
    if (existsSync(path)) truncateSync(path, random.int(0, statSync(path).size + 1))
  }
  for (const name of state.names) rmSync(join(folder, name), { force: true, recursive: true })
  const path = `${memoryIn(folder)}-wal`
  if (existsSync(path)) cutLog(path, state.keptLogBytes, log, random)
}

/** The header of a log names the size of its pages. https://www.sqlite.org/fileformat2.html#the_write_ahead_log */
function cutLog(path: string, keptBytes: number, how: (typeof LOGS)[number], random: Random): void {
  const bytes = readFileSync(path)
  if (bytes.length <= keptBytes || bytes.length < LOG_HEADER_BYTES) return
  const frameBytes = FRAME_HEADER_BYTES + bytes.readUInt32BE(8)
  const first = Math.max(0, Math.ceil((keptBytes - LOG_HEADER_BYTES) / frameBytes))
  const frames = Math.floor((bytes.length - LOG_HEADER_BYTES) / frameBytes)
  const cut = LOG_HEADER_BYTES + random.int(first, frames + 1) * frameBytes
  if (how === 'cut') {
    truncateSync(path, cut)
    return
  }
  const from = Math.min(bytes.length, cut + random.int(1, frameBytes))
  const file = openSync(path, 'r+')
  for (let at = from; at < bytes.length; at += 1) bytes[at] = how === 'zeros' ? 0 : random.int(0, 256)
  writeSync(file, bytes, from, bytes.length - from, from)
  closeSync(file)
}
