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
