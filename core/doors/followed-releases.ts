import type { UpdateChannel } from '../contract/lists.ts'
import { LcmError } from '../errors.ts'
import type { Environment } from '../folders.ts'
import { loadSettings } from '../settings/settings-store.ts'

/** Says which releases the desktop app follows by itself. None while the settings are wrong. */
export function followedReleases(env: Environment): UpdateChannel {
  try {
    return loadSettings(env).updates
  } catch (error) {
    // Whoever needs the settings says what is wrong with them.
    if (error instanceof LcmError) return 'off'
    throw error
  }
}
