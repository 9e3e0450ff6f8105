/** What was seen of an agent that was tried, in a line. */
export type Finding = { readonly what: string; readonly found: string; readonly isGood: boolean }

type Message = { readonly role: string; readonly text: string }

/** How often a request to the model did not begin with all of the one before. Requests without tools are left out. */
export function cacheBreaks(
  requests: readonly { readonly messages: readonly Message[]; readonly hasTools: boolean }[],
): number {
  const texts = requests.filter(({ hasTools }) => hasTools).map(({ messages }) => JSON.stringify(messages).slice(0, -1))
  return texts.filter((text, at) => at > 0 && !text.startsWith(texts[at - 1] ?? '')).length
}

export const median = (all: readonly number[]): number => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0
