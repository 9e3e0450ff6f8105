import type { ChildProcess } from 'node:child_process'
import { _electron, type ElectronApplication } from '@playwright/test'
import { findElectron, hasDisplay } from '#scripts/electron-binary.mjs'
import { inProject } from '#scripts/project.mjs'
import { packageFolder } from '../builders/built-program.ts'
import { olderElectron, prepareOlderElectron } from '../electron/older/older-electron.ts'
import type { OpenedApp } from './app.ts'
import { appEnvironment, type OpenRequest, STILL } from './app-environment.ts'

const START_LIMIT_MS = 60_000
const CLOSE_LIMIT_MS = 10_000

/** The older Electron that LCM_ELECTRON names, or else the real one wherever it can run, or else the stand-in. */
export function desktopKind(): 'electron' | 'older' | 'standin' {
  if (olderElectron() !== undefined) return 'older'
  return findElectron() !== undefined && hasDisplay() ? 'electron' : 'standin'
}

/** Starts the built desktop app and answers with its first window. */
export async function openOnDesktop(request: OpenRequest, kind: 'electron' | 'older' | 'standin'): Promise<OpenedApp> {
  const file = request.path === undefined ? [] : [request.path]
  const { executablePath, app, env, switches } = await binaryOf(kind)
  const electronApp = await _electron.launch({
    ...(executablePath !== undefined && { executablePath }),
    args: [...app, ...file, `--user-data-dir=${request.userData}`, STILL, ...switches],
    cwd: request.home,
    env: { ...appEnvironment(request), ...env },
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

type Binary = {
  /** Without a path Playwright starts the installed Electron with a loader of its own. */
  readonly executablePath: string | undefined
  readonly app: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly switches: readonly string[]
}

async function binaryOf(kind: 'electron' | 'older' | 'standin'): Promise<Binary> {
  const none = { app: [packageFolder], env: {}, switches: [] }
  if (kind === 'electron') return { executablePath: undefined, ...none }
  if (kind === 'standin') return { executablePath: inProject('test/standin/electron'), ...none }
  const { executablePath, env } = await prepareOlderElectron(olderElectron() ?? '')
  // Chromium's sandbox does not start as root.
  const switches = process.getuid?.() === 0 ? ['--no-sandbox', '--disable-gpu'] : ['--disable-gpu']
  return { executablePath, app: [], env, switches }
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
