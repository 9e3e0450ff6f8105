import { spawn } from 'node:child_process'
import { existsSync, readSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'
import { setTimeout as later } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { userFolders } from '../folders.ts'
import { type HookedAgent, isAfterCompaction, isHookedAgent, readHookEvent } from '../host/hooks/hook-event.ts'
import { HookFolder } from '../host/hooks/hook-folder.ts'

/**
 * The program that an agent starts at certain moments of a session. The agent waits for it, so it loads very little: it
 * notes the event and starts another process, which imports. It waits for that process only after a compaction, because
 * only then can the model be told something, and for a limited time. Whatever happens, the exit code is 0 and nothing is
 * printed but what is meant for the model. See docs/decisions/0036-hooks-of-agents.md.
 */
const [agent, , memory] = process.argv.slice(2)
/** After this time the hook no longer waits, and the model is told nothing. */
const PATIENCE_MS = 20_000
/** The hook waits this long before it reads an empty pipe again. */
const LOOK_MS = 5

if (isHookedAgent(agent) && memory !== undefined)
  void hear(agent, new HookFolder(userFolders(process.env).data, memory))

async function hear(agent: HookedAgent, folder: HookFolder): Promise<void> {
  try {
    const given = await readInput()
    const event = readHookEvent(given)
    if (event === null) throw new Error('What the agent said is no event of a hook.')
    if (isAfterCompaction(event)) recall(folder, agent, given)
    else {
      // Before the first words of a session there is nothing to import.
      const isWritten = event.transcriptPath !== null && existsSync(event.transcriptPath)
      if (isWritten) folder.take(agent, event, Date.now())
      else folder.note(agent, event, Date.now())
      if (isWritten && !folder.isAttendedTo) importLater(folder, agent)
    }
  } catch (error) {
    folder.fail(agent, error, Date.now())
  }
}

/**
 * Reads what the agent says until it closes the pipe. `process.stdin` would take a sixth of the time of a hook. A pipe that
 * does not block answers EAGAIN while it is empty.
 */
async function readInput(): Promise<string> {
  const pieces: Buffer[] = []
  const untilMs = Date.now() + PATIENCE_MS
  for (;;) {
    const piece = Buffer.allocUnsafe(64 * 1024)
    try {
      const length = readSync(0, piece)
      if (length === 0) return Buffer.concat(pieces).toString('utf8')
      pieces.push(piece.subarray(0, length))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      // On Windows the end of a pipe is this error.
      if (code === 'EOF') return Buffer.concat(pieces).toString('utf8')
      if (code !== 'EAGAIN' || Date.now() > untilMs) throw error
      await later(LOOK_MS)
    }
  }
}

function importLater(folder: HookFolder, agent: string): void {
  const child = spawn(process.execPath, [...lcm(agent), '--queued'], {
    detached: true,
    stdio: 'ignore',
    windowsHide: true,
  })
  if (child.pid !== undefined) {
    folder.noteStarted(child.pid)
    // Only the superuser may raise a priority that is lower still.
    setPriority(child.pid, Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL))
  }
  child.unref()
}

function recall(folder: HookFolder, agent: string, given: string): void {
  const child = spawn(process.execPath, lcm(agent), { stdio: ['pipe', 'inherit', 'ignore'], windowsHide: true })
  const patience = setTimeout(() => {
    child.kill('SIGKILL')
    folder.fail(agent, 'Recalling what left the window took too long, so the model was told nothing.', Date.now())
  }, PATIENCE_MS)
  child.on('exit', () => clearTimeout(patience))
  child.on('error', (error) => {
    clearTimeout(patience)
    folder.fail(agent, error, Date.now())
  })
  child.stdin.on('error', () => undefined)
  child.stdin.end(given)
}

function lcm(agent: string): string[] {
  return [fileURLToPath(new URL('./cli.js', import.meta.url)), 'hook', agent, '--db', memory ?? '']
}
