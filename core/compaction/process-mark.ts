import { execFileSync } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { sha256 } from '../hashing.ts'

/** Of a process whose time of start cannot be had. */
const UNKNOWN = '00000000'
const MARK = /\(process (\d+) on [^()]*, ([0-9a-f]{8})-([0-9a-f]{8})\)$/

let own: string | null = null

/**
 * Names this process so that another one of this computer can tell whether it still runs: its number, its computer as it
 * was booted, and when it started, since numbers are used again.
 */
export function processMark(): string {
  const host = hostname().replace(/[()]/g, '').slice(0, 60)
  own ??= `(process ${process.pid} on ${host}, ${machineOf()}-${startOf(process.pid) ?? UNKNOWN})`
  return own
}

/** What is known of the process that a text ends with. `elsewhere`: of another computer, or named in no such way. */
export function processState(text: string): 'running' | 'ended' | 'elsewhere' {
  const [, pid, machine, start] = MARK.exec(text) ?? []
  if (pid === undefined || machine !== machineOf()) return 'elsewhere'
  if (!exists(Number(pid))) return 'ended'
  const now = startOf(Number(pid))
  return start === UNKNOWN || now === null || now === start ? 'running' : 'ended'
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Process numbers mean something on one computer, until it starts anew, and in one container. */
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

/** Null where it cannot be had. */
function startOf(pid: number): string | null {
  const started = process.platform === 'linux' ? orNothing(() => ticksOf(pid)) : orNothing(() => startedAt(pid))
  return started === '' ? null : short(started)
}

/** Field 22; the name of the program, in brackets before it, may hold anything. https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function ticksOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}

const startedAt = (pid: number): string =>
  process.platform === 'win32'
    ? ''
    : execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
        encoding: 'utf8',
        timeout: 2000,
        stdio: 'pipe',
      }).trim()

function orNothing(read: () => string): string {
  try {
    return read()
  } catch {
    // Not every system tells.
    return ''
  }
}

const short = (text: string): string => sha256(text).slice(0, 8)
