import { entryMark } from './nonce.ts'

/** The summary in the answer of a model. */
export type CleanAnswer = {
  readonly text: string
  /** True when the model closed its summary, so that nothing of it can be missing. */
  readonly isClosed: boolean
}

/**
 * Takes the summary out of an answer: the text between the tags of the call if there are any, so that words around them
 * are dropped, and otherwise everything except for a block of thoughts at the beginning. Text without tags is never
 * treated as a preamble, because it may belong to the summary.
 */
export function cleanAnswer(answer: string, nonce: string): CleanAnswer {
  const { body, isMarked, isClosed } = marked(answer, nonce)
  const text = unfence((isMarked ? body : withoutThoughts(body)).trim())
  return { text: withoutCodes(text, nonce).trim(), isClosed }
}

/** Returns the text between the last closed pair of tags, or after an unclosed tag. */
function marked(answer: string, nonce: string): { body: string; isMarked: boolean; isClosed: boolean } {
  const [opening, closing] = [`<summary-${nonce}>`, `</summary-${nonce}>`]
  const end = answer.lastIndexOf(closing)
  const start = answer.lastIndexOf(opening, end < 0 ? undefined : end)
  if (end >= 0) {
    return { body: answer.slice(start < 0 ? 0 : start + opening.length, end), isMarked: start >= 0, isClosed: true }
  }
  if (start >= 0) return { body: answer.slice(start + opening.length), isMarked: true, isClosed: false }
  return { body: answer, isMarked: false, isClosed: false }
}

/** Removes a block of thoughts at the beginning, as some models write it. */
export const withoutThoughts = (text: string): string => text.replace(/^\s*<think(ing)?>[\s\S]*?<\/think(ing)?>/, '')

/** Removes a fence of a code block around the whole text. Two code blocks at both ends belong to the summary. */
export function unfence(text: string): string {
  const lines = text.split('\n')
  const fences = lines.filter((line) => /^\s*(```|~~~)/.test(line)).length
  const isWrapped = lines.length >= 2 && fences === 2 && /^(```|~~~)\w*\s*$/.test(lines[0] ?? '')
  return isWrapped && /^(```|~~~)\s*$/.test(lines.at(-1) ?? '') ? lines.slice(1, -1).join('\n').trim() : text
}

/** Removes tags and marks that the model repeated. */
function withoutCodes(text: string, nonce: string): string {
  if (!text.includes(nonce.slice(0, 8))) return text
  return text
    .replaceAll(new RegExp(`</?(?:record|earlier|summary)-${nonce}>`, 'g'), '')
    .replaceAll(new RegExp(`^${entryMark(nonce)} ?`, 'gm'), '')
    .replaceAll(nonce, '')
    .replaceAll(entryMark(nonce), '')
}
