/** A prompt of the person: its message, and the words that were typed, without what the agent added for the model. */
export type Prompt = { readonly externalId: string; readonly typed: string }

/** A prompt that the agent repeats in front of a summary, as the model is sent it there. */
export type KeptPrompt = { readonly externalId: string; readonly seen: string }

/** How many characters of prompts stand in front of a summary. Measured with version 1.0.102. */
const ALL_CHARACTERS = 30_000
/** How many the first ones and the newest ones may have when not all of them fit. Together they are all. */
const FIRST_CHARACTERS = 5999
const NEWEST_CHARACTERS = ALL_CHARACTERS - FIRST_CHARACTERS
const CUT = '...<truncated>...'

/**
 * Returns the prompts that the Copilot CLI repeats in front of a summary. A compaction does not record them, and the
 * model is sent them: all when they are short, or else as many from the beginning and from the end as fit there. The
 * first and the newest one always stay, cut when they are long.
 */
export function keptPrompts(prompts: readonly Prompt[]): readonly KeptPrompt[] {
  const all = prompts.map(({ externalId, typed }) => ({ externalId, seen: typed }))
  const [only, ...others] = all
  if (only === undefined || sizeOf(all) <= ALL_CHARACTERS) return all
  if (others.length === 0) return [cutTo(only, ALL_CHARACTERS)]
  const first = fitting(all.slice(0, -1), FIRST_CHARACTERS)
  const newest = fitting(all.slice(first.length).reverse(), NEWEST_CHARACTERS)
  return [...first, ...newest.reverse()]
}

/** The first prompt, cut if it has to be, and those behind it up to the first one that does not fit. */
function fitting(prompts: readonly KeptPrompt[], most: number): KeptPrompt[] {
  const kept: KeptPrompt[] = []
  for (const prompt of prompts) {
    if (kept.length === 0) kept.push(cutTo(prompt, most))
    else if (sizeOf([...kept, prompt]) <= most) kept.push(prompt)
    else break
  }
  return kept
}

function cutTo({ externalId, seen }: KeptPrompt, most: number): KeptPrompt {
  const characters = [...seen]
  if (characters.length <= most) return { externalId, seen }
  return { externalId, seen: `${characters.slice(0, most - CUT.length).join('')}${CUT}` }
}

/** The agent counts characters, of which some are two units of a string. */
const sizeOf = (prompts: readonly KeptPrompt[]): number => prompts.reduce((sum, { seen }) => sum + [...seen].length, 0)
