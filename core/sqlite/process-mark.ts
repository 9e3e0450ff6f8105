import { execFileSync } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { sha256 } from '../hashing.ts'
import { tellerOfStarts } from '../platform.ts'

/** Stands for an unknown start time of a process. */
const UNKNOWN = '00000000'
const MARK = /\(process (\d+) on [^()]*, ([0-9a-f]{8})-([0-9a-f]{8})\)$/
const KEY = /(?:^|-)(\d+)-([0-9a-f]{8})-([0-9a-f]{8})$/

let own: string | null = null

/** What tells the computer and the process from others, as it stands in marks and keys. */
function identity(): string {
  own ??= `${machineOf()}-${startOf(process.pid) ?? UNKNOWN}`
  return own
}

/**
 * Identifies this process, so that another one on this computer can tell whether it is still running: its process
 * number, the computer with its boot, and its start time, because process numbers are used again.
 */
export const processMark = (): string =>
  `(process ${process.pid} on ${hostname().replace(/[()]/g, '').slice(0, 60)}, ${identity()})`

/** The same for names of files. */
export const processKey = (): string => `${process.pid}-${identity()}`

/** The state of a process. `elsewhere`: it runs or ran on another computer, or nothing says which one it is. */
type ProcessState = 'running' | 'ended' | 'elsewhere'

/** Returns the state of the process with whose mark a text ends. */
export const processState = (text: string): ProcessState => stateOf(MARK.exec(text))

/** Returns the state of the process with whose key a name ends. */
export const stateByKey = (name: string): ProcessState => stateOf(KEY.exec(name))

function stateOf(found: RegExpExecArray | null): ProcessState {
  const [, pid, machine, start] = found ?? []
  if (pid === undefined || machine !== machineOf()) return 'elsewhere'
  if (!isAlive(Number(pid))) return 'ended'
  const now = startOf(Number(pid))
  return start === UNKNOWN || now === null || now === start ? 'running' : 'ended'
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Process numbers are valid on one computer until it restarts, and in one container. */
function machineOf(): string {
  return short(
    [
      hostname(),
      ...[() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'), () => readlinkSync('/proc/self/ns/pid')].map(
        orNothing,
      ),
    ].join('\n'),
  )
}

/** Returns null when the time is unknown. */
function startOf(pid: number): string | null {
  const teller = tellerOfStarts()
  const started = teller === null ? '' : orNothing(() => (teller === 'proc' ? ticksOf(pid) : startedAt(pid)))
  return started === '' ? null : short(started)
}

/**
 * Returns field 22. The program name in brackets before it may hold any character.
 * https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
 */
function ticksOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}

const startedAt = (pid: number): string =>
  execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', timeout: 2000, stdio: 'pipe' }).trim()

function orNothing(read: () => string): string {
  try {
    return read()
  } catch {
    // Some operating systems do not tell.
    return ''
  }
}

const short = (text: string): string => sha256(text).slice(0, 8)
