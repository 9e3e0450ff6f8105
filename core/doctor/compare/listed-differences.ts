import { callsOf, textOf } from './compare-texts.ts'
import type { Comparison, Difference } from './comparison.ts'
import type { Said } from './fingerprint.ts'

/** Of each kind of finding so many are listed. */
export const LISTED = 1000

/** The differences that are listed, in the order of the transcript. */
export const listedDifferences = ({ differing }: Comparison): readonly Differing[] =>
  [...differing].sort(([a], [b]) => a - b).slice(0, LISTED)

type Differing = readonly [left: number, found: { readonly right: number; readonly differs: Difference }]

/** What to quote of two messages, so that it shows how they differ. */
export const textThatDiffers = (differs: Difference): ((said: Said) => string) =>
  differs === 'tool_calls' ? callsOf : textOf
