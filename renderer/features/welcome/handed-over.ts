import { host } from '../../host.ts'

const KEY = 'lcm:to-import'

/** Goes to the welcome page, which imports, with transcripts that were chosen elsewhere. */
export function importOnWelcomePage(paths: readonly string[]): void {
  sessionStorage.setItem(KEY, JSON.stringify(paths))
  host.openFile(null)
}

/** The transcripts that the page was left for; null when it was not. */
export function handedOver(): readonly string[] | null {
  try {
    const paths: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? 'null')
    const isUsable = Array.isArray(paths) && paths.length > 0 && paths.every((path) => typeof path === 'string')
    return isUsable ? paths : null
  } catch {
    // Another program wrote this entry, so it is ignored.
    return null
  }
}

/** They were taken: loading the page again is a new beginning. */
export const forgetHandedOver = (): void => sessionStorage.removeItem(KEY)
