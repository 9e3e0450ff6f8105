import { host } from '#renderer/host.ts'
import { parseStored } from '#renderer/ui/data/use-stored.ts'

const KEY = 'lcm:to-import'

/** Opens the welcome page to import transcripts that were chosen elsewhere. */
export function importOnWelcomePage(paths: readonly string[]): void {
  sessionStorage.setItem(KEY, JSON.stringify(paths))
  host.openFile(null)
}

/** Returns the transcripts for which the previous page was left, or null. */
export function handedOver(): readonly string[] | null {
  const paths = parseStored(sessionStorage.getItem(KEY))
  const isUsable = Array.isArray(paths) && paths.length > 0 && paths.every((path) => typeof path === 'string')
  return isUsable ? paths : null
}

/** Forgets the transcripts once they were taken, so that loading the page again does not import them again. */
export const forgetHandedOver = (): void => sessionStorage.removeItem(KEY)
