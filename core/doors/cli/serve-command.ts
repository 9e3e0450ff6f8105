import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { isDatabaseAddress, parseAddress } from '#core/database-address.ts'
import { databases } from '#core/databases.ts'
import { LcmError } from '#core/errors.ts'
import { userFolders } from '#core/folders.ts'
import { browserOpener, hasScreen } from '#core/platform.ts'
import { askedTo, type Confirm, type Reach, reachText } from '#core/settings/confirmation.ts'
import { loadSettings, SettingsStore } from '#core/settings/settings-store.ts'
import { makeTemporaryFolder } from '#core/sqlite/process-folder.ts'
import type { BrowserHost } from '../browser-host.ts'
import { CoreHost } from '../core-host.ts'
import { onStopSignal } from '../stop-signals.ts'
import { type CommandContext, defineCommand, type Installation } from './command.ts'
import { EXIT } from './output.ts'

/** The time until a core that failed by itself is started again. */
const RESTART_MS = 10_000

export const serveFields = z.object({
  port: z.int().min(0).max(65_535).optional().describe('port (default: a free one)'),
  open: z.boolean().default(true).describe('only print the address'),
})
export type ServeOptions = Pick<CommandContext, 'db' | 'newer' | 'json'> &
  z.output<typeof serveFields> & { readonly autoCompact?: boolean }

export const serveCommand = defineCommand({
  name: 'serve',
  example: 'serve --db sample.db --no-open',
  fields: serveFields.extend({
    autoCompact: z
      .boolean()
      .optional()
      .describe(
        'compact native memories that are past a threshold: this one (default: the configured one) and those of open pages',
      ),
  }),
  stays: true,
  run: async (input, given) => ({
    exitCode: await serve({ ...input, ...given, db: await windowOn(given.db) }, given.installation),
  }),
})

/**
 * Returns what a window shows: an absolute path, or the address of a database, which is remembered and needs no question
 * because the user named it here.
 * @throws LcmError invalid_argument for an address with a password
 */
export async function windowOn(db: string | undefined): Promise<string | undefined> {
  if (db === undefined) return undefined
  if (!isDatabaseAddress(db)) return resolve(db)
  const { shown } = parseAddress(db, 'argument').address
  await new SettingsStore({ env: process.env }).grantDatabase(shown)
  const servers = (await databases()).servers({ folders: userFolders(process.env), env: process.env, keys: null })
  await servers.remember(shown)
  return shown
}

/** Serves the window to the browser of this machine until Ctrl-C. */
export async function serve(options: ServeOptions, installation: Installation): Promise<number> {
  const { workerUrl, rendererDir, resourcesDir } = installation
  if (!existsSync(join(rendererDir, 'index.html'))) {
    throw new LcmError('unsupported', `The window is not built (${rendererDir} is missing): run "npm run build" first.`)
  }
  const cores = new CoreHost({
    workerUrl,
    resourcesDir,
    autoCompact: options.autoCompact ?? false,
    confirm: confirmAtTerminal({ input: process.stdin, output: process.stderr }),
  })
  // The core loads its code in a thread of its own while this thread loads the code of the host.
  if (options.db !== undefined) cores.prepare(options.db, options.newer)
  const { startBrowserHost } = await import('../browser-host.ts')
  const host: BrowserHost = await startBrowserHost({
    cores,
    rendererDir,
    port: options.port ?? 0,
    defaultFile: options.db ?? null,
    allowNewer: options.newer ?? false,
    // Otherwise a user who opened the address in the wrong browser would have to start again.
    onEntered: () => process.stderr.write(`A browser has entered. For another one: ${host.newUrl()}\n`),
  }).catch(async (error: NodeJS.ErrnoException) => {
    await cores.close()
    if (error.code !== 'EADDRINUSE') throw error
    throw new LcmError('locked', `Port ${options.port} is taken: choose another with --port, or leave it out.`)
  })
  if (options.json) process.stdout.write(`${JSON.stringify({ url: host.url })}\n`)
  else process.stdout.write(`LCM Inspector is at ${host.url}\nCtrl-C ends it.\n`)
  if (options.open) openBrowser((validMs) => host.newUrl(validMs))
  if (options.autoCompact) {
    keepRunning(cores, options.db ?? loadSettings(process.env).databasePath, options.newer ?? false)
  }
  const exitCode = await new Promise<number>((done) => {
    // More than one is heard, because a terminal and npm may both deliver the signal, and the second must not
    // interrupt closing.
    onStopSignal((signal) => done(signal === 'SIGINT' ? EXIT.interrupted : EXIT.done))
  })
  if (!(await host.close())) installation.onStuck?.()
  return exitCode
}

/** Holds the core of a file as a page would, so that its memory is compacted while no page is open. */
function keepRunning(cores: CoreHost, path: string, allowNewer: boolean): void {
  cores
    .connect(path, allowNewer)
    .on('close', () => setTimeout(() => keepRunning(cores, path, allowNewer), RESTART_MS).unref())
}

/** After this time the page is told that nobody answered, because nobody may sit at the terminal. */
const ANSWER_LIMIT_MS = 120_000

type Terminal = {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean }
}

/** Asks at the terminal in which a host runs, one question after the other. Only the word "yes" grants anything. */
export function confirmAtTerminal({ input, output }: Terminal, limitMs = ANSWER_LIMIT_MS): Confirm {
  let last: Promise<unknown> = Promise.resolve()
  const ask = async (asked: readonly Reach[]) => {
    const lines = asked.map((reach) => `  - ${reachText(reach)}\n`).join('')
    output.write(`\nA page of LCM Inspector asks to ${askedTo(asked)}:\n${lines}Type "yes" to allow it: `)
    // The option `terminal` is left out, so that Ctrl-C stays a signal.
    const reader = createInterface({ input, terminal: false })
    try {
      const [line] = await once(reader, 'line', { signal: AbortSignal.timeout(limitMs) })
      const isGranted = String(line).trim().toLowerCase() === 'yes'
      output.write(isGranted ? 'Allowed.\n' : 'Refused.\n')
      return isGranted ? 'granted' : 'refused'
    } catch {
      output.write('Refused: there was no answer.\n')
      return 'refused'
    } finally {
      reader.close()
    }
  }
  return (asked) => {
    if (!input.isTTY || !output.isTTY) return Promise.resolve('nobody_to_ask')
    const answer = last.then(() => ask(asked))
    last = answer
    return answer
  }
}

/** The time in which a browser has to enter. After it the token and the file end. */
const START_LIMIT_MS = 60_000

/**
 * Opens the browser of the user. Every user of a machine can read the arguments of a process, so the browser is given a
 * file that only this user can read, and that leads to the address. A failure is ignored, because the address is
 * printed anyway.
 * @param newUrl makes an address that expires after the given time
 */
function openBrowser(newUrl: (validMs: number) => string): void {
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
