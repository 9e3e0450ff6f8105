import { closeSync, fsyncSync, openSync } from 'node:fs'

// What differs between the systems that this program runs on. Nothing else asks which one it is.

type Platform = NodeJS.Platform

export const thisPlatform = (): Platform => process.platform

/**
 * Whether closing any descriptor of a file drops all locks that the process holds on it, as POSIX says. Windows has no
 * such rule. https://www.sqlite.org/howtocorrupt.html
 */
export const hasPosixLocks = (platform = thisPlatform()): boolean => platform !== 'win32'

/** Whether processes have sessions and groups of their own, which a signal reaches as a whole. */
export const hasProcessGroups = (platform = thisPlatform()): boolean => platform !== 'win32'

/** Who tells when a process started: the folder of processes, the program `ps`, or nobody. */
export const tellerOfStarts = (platform = thisPlatform()): 'proc' | 'ps' | null =>
  platform === 'linux' ? 'proc' : platform === 'win32' ? null : 'ps'

/** The name of a new file must outlive a power cut as its content does. Windows keeps names by itself. */
export function syncFolder(folder: string, platform = thisPlatform()): void {
  if (platform === 'win32') return
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * A word of a command line for the shell of this system. On Windows a quote inside it is written as programs read it.
 * https://learn.microsoft.com/cpp/c-language/parsing-c-command-line-arguments
 */
export function shellWord(word: string, platform = thisPlatform()): string {
  if (/^[\w@%+=:,./\\-]+$/.test(word)) return word
  if (platform !== 'win32') return `'${word.replaceAll("'", "'\\''")}'`
  return `"${word.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`
}

/** The program that opens a page in the browser of the user. */
export const browserOpener = (platform = thisPlatform()): string =>
  platform === 'darwin' ? 'open' : platform === 'win32' ? 'explorer.exe' : 'xdg-open'

/** Whether there is a screen. On Linux it is named by one of two variables. */
export const hasScreen = (env: NodeJS.ProcessEnv, platform = thisPlatform()): boolean =>
  platform !== 'linux' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY)

/** Whether Electron shows windows here. On Linux it does not start for root. */
export const canShowWindows = (
  env: NodeJS.ProcessEnv,
  userId = process.getuid?.(),
  platform = thisPlatform(),
): boolean => hasScreen(env, platform) && (platform !== 'linux' || userId !== 0)

/** Where the program of Electron stands in its folder. */
export const electronProgram = (platform = thisPlatform()): string =>
  platform === 'darwin' ? 'Electron.app/Contents/MacOS/Electron' : platform === 'win32' ? 'electron.exe' : 'electron'

/** Whether an app has its menu in the bar of the screen, and goes on without windows. */
export const isMac = (platform = thisPlatform()): boolean => platform === 'darwin'

/** Whether an app registers its links by itself. Elsewhere its package does. */
export const registersLinks = (platform = thisPlatform()): boolean => platform === 'win32'

/**
 * Whether a store of passwords keeps a secret. Where Linux has none, Electron uses a password that everybody knows.
 * https://www.electronjs.org/docs/latest/api/safe-storage
 */
export const keepsSecrets = (backend: () => string, platform = thisPlatform()): boolean =>
  platform !== 'linux' || backend() !== 'basic_text'

/**
 * Whether the app can replace itself without a password: on Linux an AppImage, on Windows what was installed. Packages of
 * a system are renewed by the system, and a portable program by whoever carries it.
 */
export const replacesItself = (env: NodeJS.ProcessEnv, platform = thisPlatform()): boolean =>
  platform === 'linux' ? env.APPIMAGE !== undefined : env.PORTABLE_EXECUTABLE_FILE === undefined
