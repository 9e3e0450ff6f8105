import { LcmError } from '../errors.ts'

/**
 * Accepts what a caller stays responsible for when it delegates.
 * @throws LcmError invalid_argument when that is nothing
 */
export function requireRetained(retain: string | undefined): string {
  if (retain !== undefined && retain.trim() !== '') return retain
  throw new LcmError('invalid_argument', 'Delegation without retention violates scope-reduction invariant.')
}
