// Makes a test run fast, for this process and all its children.
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { inProject } from './project.mjs'

const MEMORY = '/dev/shm'
const PREFIX = 'lcm-run-'
/** Several times what a whole run needs at any moment. Containers often have only 64 MB; then the disk is used. */
const NEEDED_BYTES = 2 * 1024 ** 3

/** Called by the configuration of a test runner, before anything is started. */
export function quicken() {
  keepCompiledCode()
  moveToMemory()
}

/** The tests start hundreds of programs and threads from the same sources, so the compiled code is kept. */
function keepCompiledCode() {
  process.env.NODE_COMPILE_CACHE ??= inProject('node_modules/.cache/compiled')
}

/**
 * Puts temporary files into memory, in a folder that is removed with this process. On a disk the tests would wait for
 * every small write, and no test is about that. `TMPDIR` is used if it is set.
 */
function moveToMemory() {
  if (process.env.TMPDIR || !hasRoom()) return
  removeLeftovers()
  const folder = mkdtempSync(join(MEMORY, `${PREFIX}${process.pid}-`))
  // Some tests start programs as another user.
  chmodSync(folder, 0o711)
  process.env.TMPDIR = folder
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
}

function hasRoom() {
  if (process.platform !== 'linux' || !existsSync(MEMORY)) return false
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    const probe = mkdtempSync(join(MEMORY, PREFIX))
    rmSync(probe, { recursive: true })
    return bavail * bsize >= NEEDED_BYTES
  } catch {
    return false
  }
}

// A killed run cannot remove its folder, so the next run does.
function removeLeftovers() {
  for (const name of readdirSync(MEMORY)) {
    const pid = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : Number.NaN
    if (!Number.isNaN(pid) && !existsSync(`/proc/${pid}`))
      rmSync(join(MEMORY, name), { recursive: true, force: true, maxRetries: 5 })
  }
}
