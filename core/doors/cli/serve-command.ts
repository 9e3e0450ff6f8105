import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { LcmError } from '../../errors.ts'
import { loadSettings } from '../../settings/settings-store.ts'
import type { BrowserHost } from '../browser-host.ts'
import { CoreHost } from '../core-host.ts'
import { confirmAtTerminal } from './ask-terminal.ts'
import { openBrowser } from './open-browser.ts'
import { EXIT } from './output.ts'

/** The time until a core that failed by itself is started again. */
const RESTART_MS = 10_000

export type ServeOptions = {
  readonly db?: string
  readonly newer?: boolean
  readonly port?: number
  readonly json: boolean
  /** False with --no-open. */
  readonly open: boolean
  readonly autoCompact?: boolean
}
/** Where the built or source files of this installation are. */
export type Installation = {
  /** The folder of the package. */
  readonly root: string
  readonly workerUrl: URL
  readonly rendererDir: string
  readonly resourcesDir: string
  /** Called when a thread was left in a statement, so that the process will not end by itself. */
  readonly onStuck?: () => void
}

/** Serves the window to the browser of this machine until Ctrl-C. */
export async function serve(options: ServeOptions, installation: Installation): Promise<number> {
  const { workerUrl, rendererDir, resourcesDir } = installation
  if (!existsSync(join(rendererDir, 'index.html'))) {
    throw new LcmError('unsupported', `The window is not built (${rendererDir} is missing): run "npm run build" first.`)
  }
  const { startBrowserHost } = await import('../browser-host.ts')
  const cores = new CoreHost({
    workerUrl,
    resourcesDir,
    autoCompact: options.autoCompact ?? false,
    confirm: confirmAtTerminal({ input: process.stdin, output: process.stderr }),
  })
  const host: BrowserHost = await startBrowserHost({
    cores,
    rendererDir,
    port: options.port ?? 0,
    defaultFile: options.db === undefined ? null : resolve(options.db),
    allowNewer: options.newer ?? false,
    // Otherwise a user who opened the address in the wrong browser would have to start again.
    onEntered: () => process.stderr.write(`A browser has entered. For another one: ${host.newUrl()}\n`),
  }).catch((error: NodeJS.ErrnoException) => {
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
    // `on` is used and not `once`, because a terminal and npm may both deliver the signal, and the second must not
    // interrupt closing.
    process.on('SIGINT', () => done(EXIT.interrupted))
    process.on('SIGTERM', () => done(EXIT.done))
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
