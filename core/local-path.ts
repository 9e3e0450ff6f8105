import { normalize } from 'node:path'
import { LcmError } from './errors.ts'
import { thisPlatform } from './platform.ts'

/** Names that Windows gives to devices, in every folder and with any extension. */
const DEVICE_NAME = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:[.:].*)?\s*$/i

/**
 * Refuses a path from a page that is no file of this machine. Windows logs in to another machine with the user's name
 * merely to look at its path, and reading from a device may never end.
 * @throws LcmError invalid_argument
 */
export function requireLocalPath(path: string, platform = thisPlatform()): string {
  const problem = problemOf(path, platform)
  if (problem === null) return path
  throw new LcmError(
    'invalid_argument',
    `${JSON.stringify(path.slice(0, 200))} ${problem}. Copy the file to this machine, or name it on the command line.`,
  )
}

export const isLocalPath = (path: string): boolean => problemOf(path, thisPlatform()) === null

function problemOf(path: string, platform: NodeJS.Platform): string | null {
  if (path.includes('\0')) return 'is no path'
  if (platform !== 'win32')
    return /^\/+(?:dev(?!\/+shm\/)|proc|sys)(?:\/|$)/.test(normalize(path))
      ? 'is a device or the state of a process, and no file'
      : null
  const names = path.split(/[\\/]+/)
  if (/^[\\/]{2}[?.]/.test(path) || /^[\\/]\?\?[\\/]/.test(path)) return 'is the path of a device'
  if (/^[\\/]{2}/.test(path)) return 'lies on another machine'
  return names.some((name) => DEVICE_NAME.test(name)) ? 'is the name of a device' : null
}
