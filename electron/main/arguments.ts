import { resolve } from 'node:path'
import { databaseAddress } from '#core/doors/core-host.ts'
import { LINK_SCHEME } from './deep-link.ts'

/**
 * Returns the absolute path of the file, or the address of the database, on a command line, or null. Switches belong to Chromium. In development the
 * first name is the folder of the app itself.
 * @param argv whole, with the executable first
 */
export function fileFromArguments(
  argv: readonly string[],
  workingDirectory: string,
  isPackaged: boolean,
): string | null {
  const names = argv.slice(1).filter((arg) => !arg.startsWith('-') && !arg.toLowerCase().startsWith(`${LINK_SCHEME}:`))
  const named = isPackaged ? names[0] : names[1]
  if (named === undefined) return null
  return databaseAddress(named) ?? resolve(workingDirectory, named)
}
