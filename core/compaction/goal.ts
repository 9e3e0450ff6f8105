import type { CompactInput, CompactionSettings } from '../contract/compaction.ts'
import type { Window } from '../window/window.ts'

/** The tokens at which an `untilUnder` run is done. Null for modes that do everything there is to do. */
export function targetOf(input: CompactInput, settings: Readonly<CompactionSettings>): number | null {
  if (input.mode !== 'untilUnder') return null
  return input.targetTokens ?? softLimit(settings)
}

/** The number of tokens from which a window should be compacted soon. */
export const softLimit = (settings: Readonly<CompactionSettings>): number =>
  Math.floor(settings.softThreshold * settings.budgetTokens)

export const makesLeaves = (input: CompactInput): boolean => input.mode !== 'condense'
export const condenses = (input: CompactInput): boolean => input.mode !== 'leaf'

/**
 * Returns why nothing is done although messages are eligible, or null when there are enough of them. To continue a run
 * that was cut off, any number is enough.
 */
export function tooFewMessages(
  eligible: number,
  settings: Readonly<CompactionSettings>,
  { isLeafPassOpen = false }: Pick<Window, 'isLeafPassOpen'>,
): string | null {
  const { minMessagesToCompact: least, freshTailCount } = settings
  if (eligible >= least || (isLeafPassOpen && eligible > 0)) return null
  const count =
    eligible === 0 ? 'No message is' : eligible === 1 ? 'Only 1 message is' : `Only ${eligible} messages are`
  return `${count} eligible: not among the newest ${freshTailCount}, not from the system and not yet summarised. At least ${least} are needed.`
}

export const underTarget = (tokens: number, target: number): string =>
  `The window takes ${tokens.toLocaleString('en-US')} tokens, which is not above the goal of ${target.toLocaleString('en-US')}.`

export const TOO_SMALL = 'The eligible messages have too few tokens to become smaller.'
export const NOTHING_TO_CONDENSE = 'No depth has enough neighbouring summaries to condense.'
