import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { app } from 'electron'
import type { AppUpdater } from 'electron-updater'
import type { UpdateChannel } from '#core/contract/lists.ts'
import { errorFields, logEvent } from '#core/log.ts'
import { replacesItself } from '#core/platform.ts'

/** While the app runs, it asks for a new release this often. */
const ASK_EVERY_MS = 24 * 3_600_000

/**
 * True when this build knows where its releases are: electron-builder then writes this file. Without it nothing is ever
 * asked, and the library for it is not loaded.
 */
export const knowsReleases = (isPackaged: boolean, resourcesPath: string): boolean =>
  isPackaged && existsSync(join(resourcesPath, 'app-update.yml'))

/** Fetches new releases of a channel in the background. One that was fetched is installed when the app is quit. */
export async function followReleases(channel: UpdateChannel): Promise<void> {
  if (channel === 'off' || !knowsReleases(app.isPackaged, process.resourcesPath)) return
  if (!replacesItself(process.env)) return
  const { default: updater } = await import('electron-updater')
  configure(updater.autoUpdater, channel)
  const ask = (): void => void updater.autoUpdater.checkForUpdates().catch(() => null)
  ask()
  setInterval(ask, ASK_EVERY_MS).unref()
}

/** The order counts: a channel that is set allows older versions, which would lead back from a beta by itself. */
export function configure(updater: AppUpdater, channel: Exclude<UpdateChannel, 'off'>): void {
  updater.logger = null
  updater.channel = channel
  updater.allowDowngrade = false
  updater.allowPrerelease = channel === 'beta'
  updater.autoDownload = true
  updater.autoInstallOnAppQuit = true
  updater.on('update-downloaded', ({ version }) => logEvent('info', 'process', 'update.ready', { version }))
  updater.on('error', (error) => logEvent('warn', 'process', 'update.failed', { role: 'main', ...errorFields(error) }))
}
