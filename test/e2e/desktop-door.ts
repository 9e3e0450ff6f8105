import type { ChildProcess } from 'node:child_process'
import { _electron, type ElectronApplication } from '@playwright/test'
import { findElectron, hasDisplay } from '#scripts/electron-binary.mjs'
import { inProject } from '#scripts/project.mjs'
import { packageFolder } from '../builders/built-program.ts'
import type { OpenedApp } from './app.ts'
import { appEnvironment, type OpenRequest, STILL } from './app-environment.ts'

const START_LIMIT_MS = 60_000
const CLOSE_LIMIT_MS = 10_000

/** Real Electron wherever it can run, the stand-in elsewhere. */
export function desktopKind(): 'electron' | 'standin' {
  return findElectron() !== undefined && hasDisplay() ? 'electron' : 'standin'
}

/** Starts the built desktop app and answers with its first window. */
export async function openOnDesktop(request: OpenRequest, kind: 'electron' | 'standin'): Promise<OpenedApp> {
  const file = request.path === undefined ? [] : [request.path]
  const electronApp = await _electron.launch({
    // Without a path Playwright starts the installed Electron with a loader of its own.
    ...(kind === 'standin' && { executablePath: inProject('test/standin/electron') }),
    args: [packageFolder, ...file, `--user-data-dir=${request.userData}`, STILL],
    cwd: request.home,
    env: appEnvironment(request),
    timeout: START_LIMIT_MS,
  })
  const electronProcess = electronApp.process()
  const isRunning = () => electronProcess.exitCode === null && electronProcess.signalCode === null
  const close = async () => {
    if (isRunning()) await closeWithin(electronApp, CLOSE_LIMIT_MS)
  }
  try {
    electronApp.on('window', request.watch)
    for (const page of electronApp.windows()) request.watch(page)
    const page = await electronApp.firstWindow({ timeout: START_LIMIT_MS })
    // A window begins blank.
    await page.waitForURL((url) => url.protocol !== 'about:', { timeout: START_LIMIT_MS })
    return { page, electronApp, isRunning, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** An app that refuses to quit must not hold up the tests after it. */
async function closeWithin(app: ElectronApplication, limitMs: number): Promise<void> {
  const insist = setTimeout(() => endWithAllItsProcesses(app.process()), limitMs)
  await app.close()
  clearTimeout(insist)
}

/** Playwright starts the app as the leader of a process group. A renderer that lives on would keep it waiting. */
function endWithAllItsProcesses(leader: ChildProcess): void {
  if (process.platform === 'win32' || leader.pid === undefined) leader.kill('SIGKILL')
  else process.kill(-leader.pid, 'SIGKILL')
}
