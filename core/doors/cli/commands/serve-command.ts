import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { isDatabaseAddress, parseAddress } from '#core/database-address.ts'
import { databases } from '#core/databases.ts'
import type { BrowserHost } from '#core/doors/browser-host.ts'
import { CoreHost } from '#core/doors/core-host.ts'
import { onStopSignal } from '#core/doors/stop-signals.ts'
import { LcmError } from '#core/errors.ts'
import { userFolders } from '#core/folders.ts'
import { loadSettings, SettingsStore } from '#core/settings/settings-store.ts'
import { type CommandContext, defineCommand, type Installation } from '../command.ts'
import { confirmAtTerminal } from '../input/ask-terminal.ts'
import { openBrowser } from '../output/open-browser.ts'
import { EXIT } from '../output/output.ts'

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
  const { startBrowserHost } = await import('#core/doors/browser-host.ts')
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
