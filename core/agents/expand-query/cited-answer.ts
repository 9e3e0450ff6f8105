/** An answer whose citations were checked. */
export type CitedAnswer = {
  /** The text without ids that were not read. */
  readonly text: string
  /** The ids that the text cites and that were read, in order, each once. */
  readonly cited: readonly string[]
  /** The ids that the text names and that were not read. */
  readonly dropped: readonly string[]
}

/** Matches ids of messages, summaries and files of this app, and texts that look like one. */
const ID = /\b(?:msg_\d+|sum_[\w-]+|file_[\w-]+)/g
const BRACKETS = /[[【(]([^[\]【】()\n]{1,400})[\]】)]/g

/**
 * Keeps only those citations of an answer that can be looked up. An id counts as cited when it was read; every other id
 * is removed from the text.
 * @param read the ids whose text the writer of the answer has seen
 */
export function checkCitations(answer: string, read: ReadonlySet<string>): CitedAnswer {
  const cited = new Set<string>()
  const dropped = new Set<string>()
  const judge = (id: string): boolean => {
    const isRead = read.has(id)
    if (isRead) cited.add(id)
    else dropped.add(id)
    return isRead
  }
  const inBrackets = answer.replace(BRACKETS, (whole, inner: string) => {
    const parts = inner.split(/[,;、\s]+/).filter((part) => part !== '')
    const isList = parts.length > 0 && parts.every((part) => read.has(part) || isId(part))
    if (!isList) return whole
    const kept = parts.filter(judge)
    return kept.length > 0 ? `[${kept.join(', ')}]` : ''
  })
  const text = inBrackets.replace(ID, (id) => (judge(id) ? id : 'an id that was not read'))
  return { text: tidy(text), cited: [...cited], dropped: [...dropped] }
}

const isId = (text: string): boolean => new RegExp(`^${ID.source}$`).test(text)

/** Removes the white space and brackets that a removed id left behind. */
const tidy = (text: string): string =>
  text
    .replace(/[ \t]+([.,;:!?])/g, '$1')
    .replace(/[ \t]{2,}/g, ' ')
    .replace(/[ \t]+$/gm, '')
    .trim()
