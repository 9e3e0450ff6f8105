import { LcmError } from '../errors.ts'
import type { Settings } from './settings.ts'

/** Why nothing is taken in or compacted now; null when `LCM_ENABLED` allows it. */
export const whySwitchedOff = ({ enabled }: Pick<Settings, 'enabled'>): string | null =>
  enabled
    ? null
    : 'LCM_ENABLED is false: nothing is imported or compacted. Reading works; set it to true, or remove it, to go on.'

/**
 * For whatever takes in messages or compacts them.
 * @param what completes "cannot …"
 * @throws LcmError switched_off
 */
export function requireEnabled(settings: Pick<Settings, 'enabled'>, what: string): void {
  const why = whySwitchedOff(settings)
  if (why !== null) throw new LcmError('switched_off', `Cannot ${what}: ${why}`)
}
