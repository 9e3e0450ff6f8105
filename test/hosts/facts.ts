import type { Answer, InputTokens } from '#test/real-agents/model-server.ts'

/** Sixty facts, half of them told by a person and half by the model, in three rounds with a compaction after each. */
export const FACTS = Array.from({ length: 60 }, (_, n) => ({
  service: `svc-${n}-${'finch lark wren heron'.split(' ')[n % 4]}`,
  port: 20_011 + n * 37,
}))
export const ROUNDS = 3
const PER_ROUND = FACTS.length / ROUNDS

/** What one side says in a round. */
export const told = (round: number, side: 0 | 1): string =>
  FACTS.slice(round * PER_ROUND, (round + 1) * PER_ROUND)
    .filter((_, n) => n % 2 === side)
    .map(({ service, port }) => `We decided that ${service} listens on port ${port}.`)
    .join('\n')

/** Is said until the window is full: each answer to it takes a thousand tokens. */
const FILLER = 'What else is there to see in the harbour?'
const FILLING = 'The harbour is open until nine and the key lies under the blue stone. '.repeat(58)

/** What the model says to what is told in a round and to `FILLER`. Null for another prompt. */
export function factsAnswer(prompt: string): Answer | null {
  const [, round] = /Decide part (\d)/.exec(prompt) ?? []
  if (round !== undefined) return { text: told(Number(round), 1), call: null }
  return prompt.includes(FILLER) ? { text: FILLING, call: null } : null
}

/** A session that is filled takes what its text does: four characters a token. */
export const tokensOfFacts: InputTokens = (messages, body) =>
  messages.some(({ text }) => text.includes(FILLER)) ? Math.ceil(body.length / 4) : 1200 + 10 * messages.length

export const QUESTION = 'Which port does each service have?'

/** Tells the facts in their rounds, fills the window after each, and asks for them. */
export async function tellFacts(prompt: (text: string) => Promise<unknown>, fillersPerRound: number): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    await prompt(`${told(round, 0)}\nDecide part ${round}.`)
    for (let n = 0; n < fillersPerRound; n += 1) await prompt(FILLER)
  }
  await prompt(QUESTION)
}

/** How many facts a request has. */
export const factsIn = (request: unknown): number => {
  const text = JSON.stringify(request ?? '')
  return FACTS.filter(({ port }) => text.includes(String(port))).length
}
