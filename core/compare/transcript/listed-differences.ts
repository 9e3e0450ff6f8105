import type { ComparedMessage } from '../fingerprint.ts'
import { callsOf, textOf } from './compare-texts.ts'
import type { Comparison, Difference } from './comparison.ts'

/** This many findings of each kind are listed. */
export const LISTED = 1000

/** Returns the differences that are listed, in the order of the transcript. */
export const listedDifferences = ({ differing }: Comparison): readonly Differing[] =>
  [...differing].sort(([a], [b]) => a - b).slice(0, LISTED)

type Differing = readonly [left: number, found: { readonly right: number; readonly differs: Difference }]

/** Selects the text of both messages that shows how they differ. */
export const textThatDiffers = (differs: Difference): ((said: ComparedMessage) => string) =>
  differs === 'tool_calls' ? callsOf : textOf
