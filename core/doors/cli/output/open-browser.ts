import { spawn } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { browserOpener, hasScreen } from '#core/platform.ts'
import { makeTemporaryFolder } from '#core/sqlite/process-folder.ts'

/** The time in which a browser has to enter. After it the token and the file end. */
const START_LIMIT_MS = 60_000

/**
 * Opens the browser of the user. Every user of a machine can read the arguments of a process, so the browser is given a
 * file that only this user can read, and that leads to the address. A failure is ignored, because the address is
 * printed anyway.
 * @param newUrl makes an address that expires after the given time
 */
export function openBrowser(newUrl: (validMs: number) => string): void {
  if (!hasScreen(process.env)) return
  const page = writeEntryPage(newUrl(START_LIMIT_MS))
  if (page === null) return
  const remove = (): void => rmSync(page.folder, { recursive: true, force: true })
  process.once('exit', remove)
  setTimeout(remove, START_LIMIT_MS).unref()
  const child = spawn(browserOpener(), [page.path], { stdio: 'ignore', detached: true })
  child.on('error', remove)
  child.unref()
}

/** Writes a page that leads to the address at once, or returns null when no file can be created. */
export function writeEntryPage(url: string): { readonly folder: string; readonly path: string } | null {
  try {
    // The folder belongs to the user alone (0700) from the first moment.
    const folder = makeTemporaryFolder('open')
    const path = join(folder, 'lcm-inspector.html')
    const head = `<meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url=${url}">`
    writeFileSync(path, `<!doctype html><title>LCM Inspector</title>${head}\n`, { mode: 0o600, flag: 'wx' })
    return { folder, path }
  } catch {
    // There is no space or no permission. The user has the printed address.
    return null
  }
}
