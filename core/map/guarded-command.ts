import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { hasProcessGroups } from '../platform.ts'

/** The guard takes 4 s at most on a machine that is not busy. */
const GUARD_MS = 20_000
/** What this variable holds is in the environment of a command and of everything that it starts. */
const MARK = 'LCM_MAP_COMMAND'

/**
 * Ends a command and everything that it has started, when its own standard input ends before a second line: whoever
 * started it closes it, and so does the system when that process is killed. It is a program of the shell, because the
 * desktop app cannot start Node. Found are the processes that hold the mark, in whatever session they are (Linux), and
 * those below the command or in its group (everywhere).
 */
const GUARD = /* sh */ `
trap '' HUP INT TERM
mark=$1
pid=
read -r pid
read -r word && exit 0
members() {
  {
    grep -lsF "$mark" /proc/[0-9]*/environ | cut -d/ -f3
    [ -z "$pid" ] || ps -A -o pid= -o ppid= -o pgid= -o stat= | awk -v root="$pid" '
      $4 !~ /^Z/ { id[NR] = $1; above[NR] = $2; group[NR] = $3 }
      END {
        found[root] = 1
        do {
          more = 0
          for (row in id) if (!(id[row] in found) && ((above[row] in found) || (group[row] in found))) { found[id[row]] = 1; more = 1 }
        } while (more)
        for (row in id) if (id[row] in found) print id[row]
      }'
  } 2>/dev/null
}
end() {
  for one in $(members); do kill -s "$1" "$one" 2>/dev/null; done
}
wait_for_end() {
  left=$1
  while [ "$left" -gt 0 ] && [ -n "$(members)" ]; do
    end "$2"
    sleep 0.1 2>/dev/null || sleep 1
    left=$((left - 1))
  done
}
end TERM
wait_for_end 20 CONT
wait_for_end 20 KILL
exit 0
`

export type GuardedCommand = {
  readonly child: ChildProcess & {
    readonly stdin: NonNullable<ChildProcess['stdin']>
    readonly stdout: NonNullable<ChildProcess['stdout']>
    readonly stderr: NonNullable<ChildProcess['stderr']>
  }
  /** The command has ended by itself, and what it left running may go on. */
  release(): void
  /**
   * Asks the command and everything that it has started to end, and kills what does not. It returns when nothing of it
   * is left, or nothing more can be done.
   */
  stop(): Promise<void>
}

/** Starts a command that ends with this process, however that ends. */
export function startGuarded(program: string, args: readonly string[]): GuardedCommand {
  if (!hasProcessGroups()) return startOnWindows(program, args)
  const mark = randomBytes(16).toString('hex')
  // A session of its own: what ends this process or its terminal must not end it.
  const guard = spawn('/bin/sh', ['-c', GUARD, 'lcm-map-guard', `${MARK}=${mark}`], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  const guardEnded = new Promise<void>((resolve) => {
    guard.once('exit', () => resolve())
    guard.once('error', () => resolve())
  })
  guard.stdin.on('error', () => {})
  const child = spawn(program, args, { stdio: 'pipe', detached: true, env: { ...process.env, [MARK]: mark } })
  guard.stdin.write(`${child.pid ?? ''}\n`)
  return {
    child,
    release: () => void guard.stdin.end('over\n'),
    stop: async () => {
      guard.stdin.end()
      await Promise.race([guardEnded, pause(GUARD_MS, undefined, { ref: false })])
      // Somebody may have killed the guard.
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) endGroup(child.pid)
    },
  }
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    // It has ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function startOnWindows(program: string, args: readonly string[]): GuardedCommand {
  const child = spawn(program, args, { stdio: 'pipe', windowsHide: true })
  const stop = async (): Promise<void> => {
    if (child.pid === undefined) return
    const kill = spawn('taskkill', ['/pid', String(child.pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true })
    await new Promise<void>((resolve) => {
      kill.once('exit', () => resolve())
      kill.once('error', () => resolve())
    })
  }
  return { child, release: () => undefined, stop }
}
