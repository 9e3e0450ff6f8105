import { LcmError } from '../errors.ts'
import type { Settings } from './settings.ts'

/** Says why nothing is imported or compacted now, or returns null when `LCM_ENABLED` allows it. */
export const whySwitchedOff = ({ enabled }: Pick<Settings, 'enabled'>): string | null =>
  enabled
    ? null
    : 'LCM_ENABLED is false: nothing is imported or compacted. Reading works; set it to true, or remove it, to go on.'

/**
 * Refuses to import or compact messages when `LCM_ENABLED` does not allow it.
 * @param what completes "cannot …"
 * @throws LcmError switched_off
 */
export function requireEnabled(settings: Pick<Settings, 'enabled'>, what: string): void {
  const why = whySwitchedOff(settings)
  if (why !== null) throw new LcmError('switched_off', `Cannot ${what}: ${why}`)
}
