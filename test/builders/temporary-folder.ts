import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PREFIX = 'lcm-test-'
let root: string | undefined

/** Returns a new empty folder that is removed with this process. */
export function temporaryFolder(): string {
  if (root === undefined) {
    removeLeftovers()
    const created = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`))
    process.on('exit', () => rmSync(created, { recursive: true, force: true }))
    root = created
  }
  return mkdtempSync(join(root, 'd-'))
}

// A killed test process cannot remove its folders, so the next one does.
function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : Number.NaN
    if (Number.isNaN(pid) || isAlive(pid)) continue
    rmSync(join(tmpdir(), name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
