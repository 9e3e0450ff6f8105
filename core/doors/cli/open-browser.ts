import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A browser that has not come by then does not come any more; its token and its file end. */
const START_LIMIT_MS = 60_000

/**
 * Opens the user's browser. Arguments of a process can be read by every user of a machine, so that the browser is given
 * a file that only this user can read, and that leads on to the address. Best effort: the address is printed anyway.
 * @param newUrl makes an address that is good for so long
 */
export function openBrowser(newUrl: (validMs: number) => string): void {
  if (process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) return
  const page = writeEntryPage(newUrl(START_LIMIT_MS))
  if (page === null) return
  const remove = (): void => rmSync(page.folder, { recursive: true, force: true })
  process.once('exit', remove)
  setTimeout(remove, START_LIMIT_MS).unref()
  const command = { darwin: 'open', win32: 'explorer.exe' }[process.platform as string] ?? 'xdg-open'
  const child = spawn(command, [page.path], { stdio: 'ignore', detached: true })
  child.on('error', remove)
  child.unref()
}

/** A page that goes to the address at once; null where no file can be made. */
export function writeEntryPage(url: string): { readonly folder: string; readonly path: string } | null {
  try {
    // Its folder is the user's own (0700) from the first moment.
    const folder = mkdtempSync(join(tmpdir(), 'lcm-open-'))
    const path = join(folder, 'lcm-inspector.html')
    const head = `<meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url=${url}">`
    writeFileSync(path, `<!doctype html><title>LCM Inspector</title>${head}\n`, { mode: 0o600, flag: 'wx' })
    return { folder, path }
  } catch {
    // No room, or no right: the user has the printed address.
    return null
  }
}
