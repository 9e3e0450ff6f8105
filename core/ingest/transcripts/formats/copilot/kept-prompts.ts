/** A prompt of the person: its message, and the words that were typed, without what the agent added for the model. */
export type Prompt = { readonly externalId: string; readonly typed: string }

/** A prompt that the agent repeats in front of a summary, as the model is sent it there. */
export type KeptPrompt = { readonly externalId: string; readonly seen: string }

/** How many characters of all prompts stand in front of a summary. Measured with version 1.0.102. */
const ALL_CHARACTERS = 30_000
/** How many the first one may have when there are others, and how many the newest one. Together they are all. */
const FIRST_CHARACTERS = 5999
const NEWEST_CHARACTERS = ALL_CHARACTERS - FIRST_CHARACTERS
const CUT = '...<truncated>...'

/**
 * Returns the prompts that the Copilot CLI repeats in front of a summary. A compaction does not record them, and the
 * model is sent them: the first and the newest one always, cut when they are long, and of the others those that fit as a
 * whole, the newest ones first.
 */
export function keptPrompts(prompts: readonly Prompt[]): readonly KeptPrompt[] {
  const [first, ...rest] = prompts
  const newest = rest.at(-1)
  if (first === undefined) return []
  if (newest === undefined) return [cutTo(first, ALL_CHARACTERS)]
  const ends = [cutTo(first, FIRST_CHARACTERS), cutTo(newest, NEWEST_CHARACTERS)] as const
  let left = ALL_CHARACTERS - lengthOf(ends[0].seen) - lengthOf(ends[1].seen)
  const between: KeptPrompt[] = []
  for (const { externalId, typed } of rest.slice(0, -1).reverse()) {
    const length = lengthOf(typed)
    if (length > left) continue
    left -= length
    between.unshift({ externalId, seen: typed })
  }
  return [ends[0], ...between, ends[1]]
}

function cutTo({ externalId, typed }: Prompt, most: number): KeptPrompt {
  if (lengthOf(typed) <= most) return { externalId, seen: typed }
  return { externalId, seen: `${[...typed].slice(0, most - CUT.length).join('')}${CUT}` }
}

/** The agent counts characters, of which some are two units of a string. */
const lengthOf = (text: string): number => [...text].length
