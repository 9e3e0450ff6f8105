import { EventEmitter } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AppUpdater } from 'electron-updater'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { replacesItself } from '#core/platform.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

// Proves when the desktop app looks for releases. Electron and the library for it are played.

const asked = vi.hoisted(() => ({ times: 0, isPackaged: true }))
vi.mock('electron', () => ({
  app: {
    get isPackaged() {
      return asked.isPackaged
    },
  },
}))
vi.mock('electron-updater', () => ({
  default: {
    autoUpdater: {
      on: () => undefined,
      checkForUpdates: async () => {
        asked.times += 1
        throw new Error('no network')
      },
    },
  },
}))
const { configure, followReleases, knowsReleases } = await import('#electron/main/updates.ts')

function resources(hasAddress: boolean): string {
  const folder = join(temporaryFolder(), 'resources')
  mkdirSync(folder)
  if (hasAddress) writeFileSync(join(folder, 'app-update.yml'), 'provider: github\n')
  return folder
}

// Everywhere as an AppImage on Linux.
beforeEach(() => vi.stubEnv('APPIMAGE', '/opt/lcm.AppImage'))
afterEach(() => vi.unstubAllEnvs())

it('only an app that can replace itself without a password looks for releases', () => {
  expect(replacesItself({}, 'linux')).toBe(false)
  expect(replacesItself({ APPIMAGE: '/opt/lcm.AppImage' }, 'linux')).toBe(true)
  expect(replacesItself({}, 'win32')).toBe(true)
  expect(replacesItself({ PORTABLE_EXECUTABLE_FILE: 'D:\\lcm.exe' }, 'win32')).toBe(false)
  expect(replacesItself({}, 'darwin')).toBe(true)
})

it.each([
  ['a build that knows where its releases are', true, true, 'latest', 1],
  ['a build that knows it, on the channel for testers', true, true, 'beta', 1],
  ['a build that knows it, when updates are off', true, true, 'off', 0],
  ['a build without an address', true, false, 'latest', 0],
  ['a checkout', false, true, 'latest', 0],
] as const)('%s asks as often as it should', async (_what, isPackaged, hasAddress, channel, times) => {
  asked.times = 0
  asked.isPackaged = isPackaged
  const folder = resources(hasAddress)
  Object.defineProperty(process, 'resourcesPath', { value: folder, configurable: true })
  expect(knowsReleases(isPackaged, folder)).toBe(isPackaged && hasAddress)
  await followReleases(channel)
  expect(asked.times).toBe(times)
})

it('a channel never leads back to an older version, and only testers get what is not released', () => {
  // As the library does: setting a channel allows older versions.
  const played = () => {
    const updater = Object.assign(new EventEmitter(), { allowDowngrade: false, allowPrerelease: false })
    Object.defineProperty(updater, 'channel', {
      set: () => {
        updater.allowDowngrade = true
      },
    })
    return updater as unknown as AppUpdater
  }
  const stable = played()
  configure(stable, 'latest')
  expect([stable.allowDowngrade, stable.allowPrerelease]).toEqual([false, false])
  const testers = played()
  configure(testers, 'beta')
  expect([testers.allowDowngrade, testers.allowPrerelease]).toEqual([false, true])
})
