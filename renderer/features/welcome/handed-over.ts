import { host } from '../../host.ts'
import { parseStored } from '../../ui/stored-json.ts'

const KEY = 'lcm:to-import'

/** Goes to the welcome page, which imports, with transcripts that were chosen elsewhere. */
export function importOnWelcomePage(paths: readonly string[]): void {
  sessionStorage.setItem(KEY, JSON.stringify(paths))
  host.openFile(null)
}

/** Returns the transcripts for which the former page was left, or null when it was left for something else. */
export function handedOver(): readonly string[] | null {
  const paths = parseStored(sessionStorage.getItem(KEY))
  const isUsable = Array.isArray(paths) && paths.length > 0 && paths.every((path) => typeof path === 'string')
  return isUsable ? paths : null
}

/** Forgets the transcripts once they were taken, so that loading the page again does not import them again. */
export const forgetHandedOver = (): void => sessionStorage.removeItem(KEY)
