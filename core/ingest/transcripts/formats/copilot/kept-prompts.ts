/** A prompt of the person: its message, and the words that were typed, without what the agent added for the model. */
export type Prompt = { readonly externalId: string; readonly typed: string }

/** A prompt that the agent repeats in front of a summary, as the model is sent it there. */
type Kept<P extends Prompt> = P & { readonly seen: string }

/** All prompts in front of a summary together have at most this many characters, as version 1.0.102 sends them. */
const ALL_CHARACTERS = 30_000
/** When not all prompts fit, this many characters are for the first ones, and the rest is for the newest ones. */
const FIRST_CHARACTERS = 5999
const NEWEST_CHARACTERS = ALL_CHARACTERS - FIRST_CHARACTERS
const CUT = '...<truncated>...'

/**
 * Returns the prompts that the Copilot CLI repeats in front of a summary. A compaction does not record them, and the
 * model is sent them: all when they are short, or else as many from the beginning and from the end as fit there. The
 * first and the newest one always stay, cut when they are long.
 */
export function keptPrompts<P extends Prompt>(prompts: readonly P[]): readonly Kept<P>[] {
  const size = prompts.reduce((sum, { typed }) => sum + lengthOf(typed), 0)
  if (size <= ALL_CHARACTERS) return prompts.map((prompt) => ({ ...prompt, seen: prompt.typed }))
  if (prompts.length === 1) return fitting(prompts, ALL_CHARACTERS)
  const first = fitting(prompts.slice(0, -1), FIRST_CHARACTERS)
  const newest = fitting(prompts.slice(first.length).reverse(), NEWEST_CHARACTERS)
  return [...first, ...newest.reverse()]
}

/** The first prompt, cut if it has to be, and those behind it up to the first one that does not fit. */
function fitting<P extends Prompt>(prompts: readonly P[], most: number): Kept<P>[] {
  const kept: Kept<P>[] = []
  let left = most
  for (const prompt of prompts) {
    const seen = kept.length === 0 ? cutTo(prompt.typed, most) : prompt.typed
    left -= lengthOf(seen)
    if (left < 0) break
    kept.push({ ...prompt, seen })
  }
  return kept
}

const cutTo = (text: string, most: number): string =>
  lengthOf(text) <= most ? text : `${[...text].slice(0, most - CUT.length).join('')}${CUT}`

/** The agent counts characters, of which some are two units of a string. */
const lengthOf = (text: string): number => [...text].length
