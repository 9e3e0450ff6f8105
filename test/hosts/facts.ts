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
