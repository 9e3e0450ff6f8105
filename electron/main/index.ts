import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { app, BrowserWindow } from 'electron'
import { CoreHost } from '#core/doors/core-host.ts'
import type { startRecording } from '#core/doors/recording.ts'
import { errorFields, logEvent } from '#core/log.ts'
import { isMac } from '#core/platform.ts'
import { fileFromArguments } from './arguments.ts'
import { registerBundleScheme, serveBundle } from './bundle-protocol.ts'
import { confirmInDialog } from './confirm.ts'
import { linkFromArguments } from './deep-link.ts'
import { guardPages, guardPermissions } from './guards.ts'
import { handleWindowCalls } from './ipc.ts'
import { keychain } from './keychain.ts'
import { buildMenu } from './menu.ts'
import { openLink, registerLinks } from './open-link.ts'
import { startStatement } from './statement.ts'
import { followReleases } from './updates.ts'
import { openWindow } from './window.ts'

const root = resolve(import.meta.dirname, '../..')
const cores = new CoreHost({
  workerUrl: pathToFileURL(join(import.meta.dirname, 'worker.js')),
  resourcesDir: app.isPackaged ? join(process.resourcesPath, 'resources') : join(root, 'resources'),
  keyStorage: keychain,
  confirm: confirmInDialog,
  startStatement: (port) => startStatement(join(import.meta.dirname, 'statement-process.js'), port),
})

/** What this process itself records; its cores have recorders of their own. */
let recorder: ReturnType<typeof startRecording> | null = null

/**
 * Begins to record this process. What that needs is loaded when the first window is on its way, so that no window waits
 * for it.
 */
async function record(): Promise<void> {
  const recording = await import('#core/doors/recording.ts')
  recorder = recording.startRecording(process.env)
  logEvent('info', 'process', 'app.started', { version: app.getVersion() })
}

async function follow(): Promise<void> {
  const { followedReleases } = await import('#core/doors/followed-releases.ts')
  await followReleases(followedReleases(process.env))
}

/** What ends without a word anywhere else: this process by an error, and the process of a page. */
function logFailures(): void {
  process.on('uncaughtExceptionMonitor', (error) =>
    logEvent('error', 'process', 'app.failed', { role: 'main', ...errorFields(error) }),
  )
  app.on('render-process-gone', (_event, _contents, { reason }) => {
    if (reason !== 'clean-exit') logEvent('error', 'process', 'page.gone', { role: 'page', outcome: reason })
  })
}

/** The core is loaded at the same time as the window. */
function openOn(file: string | null): void {
  if (file !== null) cores.prepare(file)
  openWindow(file)
}

registerBundleScheme()
guardPages()
logFailures()

if (!app.requestSingleInstanceLock()) {
  app.quit()
} else {
  app.on('second-instance', (_event, argv, workingDirectory) => {
    const link = linkFromArguments(argv)
    if (link === null) openOn(fileFromArguments(argv, workingDirectory, app.isPackaged))
    else void openLink(link)
  })
  // macOS passes files and links by events, which may come before the app is ready.
  const pending: string[] = []
  const pendingLinks: string[] = []
  app.on('open-url', (event, link) => {
    event.preventDefault()
    if (app.isReady()) void openLink(link)
    else pendingLinks.push(link)
  })
  app.on('open-file', (event, path) => {
    event.preventDefault()
    if (app.isReady()) openOn(path)
    else pending.push(path)
  })
  app.on('window-all-closed', () => {
    if (!isMac()) app.quit()
  })
  app.on('activate', () => {
    if (BrowserWindow.getAllWindows().length === 0) openOn(null)
  })

  let closed = false
  app.on('will-quit', (event) => {
    if (closed) return
    event.preventDefault()
    const closing = cores.close().catch(() => false)
    void closing.then(async (isWhole) => {
      logEvent('info', 'process', 'app.done', { outcome: isWhole ? 'closed' : 'killed' })
      await recorder?.close()
      // A thread inside a statement would keep the app from ending for as long as the statement takes.
      if (!isWhole) process.kill(process.pid, 'SIGKILL')
      closed = true
      app.quit()
    })
  })

  void app.whenReady().then(() => {
    guardPermissions()
    serveBundle(join(root, 'out/renderer'))
    handleWindowCalls(cores)
    buildMenu()
    const named = fileFromArguments(process.argv, process.cwd(), app.isPackaged)
    if (named !== null) pending.push(named)
    if (pending.length === 0) openOn(null)
    for (const file of pending) openOn(file)
    registerLinks()
    const link = linkFromArguments(process.argv)
    for (const one of link === null ? pendingLinks : [link]) void openLink(one)
    void record()
      .then(follow)
      .catch((error) => logEvent('warn', 'process', 'update.failed', errorFields(error)))
  })
}
