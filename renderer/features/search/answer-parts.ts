/** A piece of an answer: text, or the id of a source in square brackets. */
export type AnswerPart = { readonly kind: 'text' | 'id'; readonly text: string }

/**
 * Divides an answer at its citations. Only cited ids become links; other text in brackets stays text. Joined, the
 * pieces are the answer without the brackets around ids.
 */
export function answerParts(answer: string, cited: ReadonlySet<string>): readonly AnswerPart[] {
  const parts: AnswerPart[] = []
  const say = (text: string) => {
    const last = parts.at(-1)
    if (text === '') return
    if (last?.kind === 'text') parts[parts.length - 1] = { kind: 'text', text: last.text + text }
    else parts.push({ kind: 'text', text })
  }
  let done = 0
  for (const match of answer.matchAll(/\[([^[\]\n]{1,2000})\]/g)) {
    const ids = (match[1] ?? '').split(/[,;]\s*/)
    if (!ids.every((id) => cited.has(id.trim()))) continue
    say(answer.slice(done, match.index))
    for (const id of ids) parts.push({ kind: 'id', text: id.trim() })
    done = match.index + match[0].length
  }
  say(answer.slice(done))
  return parts
}

/** Shorter words say little. */
const FEWEST_LETTERS = 4

/** Returns where the words of a question stand in a passage, also with another ending. */
export function wordsIn(passage: string, question: string): readonly (readonly [number, number])[] {
  const words = question.toLocaleLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}_-]*/gu) ?? []
  const stems = words.filter((word) => word.length >= FEWEST_LETTERS).map((word) => word.replace(/(?:ed|es|s)$/, ''))
  if (stems.length === 0) return []
  const found = passage.matchAll(
    new RegExp(`(?<![\\p{L}\\p{N}])(?:${stems.join('|')})[\\p{L}\\p{N}]{0,3}(?![\\p{L}\\p{N}])`, 'giu'),
  )
  return [...found].map(({ index, 0: word }) => [index, index + word.length] as const)
}
