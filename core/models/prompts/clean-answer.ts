import { entryMark } from './nonce.ts'

/** The summary in a model's answer. */
export type CleanAnswer = {
  readonly text: string
  /** The model closed its summary, so that nothing of it can be missing. */
  readonly isClosed: boolean
}

/**
 * Takes the summary out of an answer: what stands between the tags of the call where there are any, so that whatever
 * the model says around them falls away; otherwise all of it but a block of thoughts at its beginning. Unmarked words
 * are never taken for a preamble: they may be the summary's.
 */
export function cleanAnswer(answer: string, nonce: string): CleanAnswer {
  const { body, isMarked, isClosed } = marked(answer, nonce)
  const text = unfence((isMarked ? body : withoutThoughts(body)).trim())
  return { text: withoutCodes(text, nonce).trim(), isClosed }
}

/** The last closed pair, or what an unclosed tag leaves. */
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

const withoutThoughts = (text: string): string => text.replace(/^\s*<think(ing)?>[\s\S]*?<\/think(ing)?>/, '')

/** A fence around all of it; two code blocks at both ends are the summary's own. */
function unfence(text: string): string {
  const lines = text.split('\n')
  const fences = lines.filter((line) => /^\s*(```|~~~)/.test(line)).length
  const isWrapped = lines.length >= 2 && fences === 2 && /^(```|~~~)\w*\s*$/.test(lines[0] ?? '')
  return isWrapped && /^(```|~~~)\s*$/.test(lines.at(-1) ?? '') ? lines.slice(1, -1).join('\n').trim() : text
}

/** Tags and marks that the model repeated. */
function withoutCodes(text: string, nonce: string): string {
  if (!text.includes(nonce.slice(0, 8))) return text
  return text
    .replaceAll(new RegExp(`</?(?:record|earlier|summary)-${nonce}>`, 'g'), '')
    .replaceAll(new RegExp(`^${entryMark(nonce)} ?`, 'gm'), '')
    .replaceAll(nonce, '')
    .replaceAll(entryMark(nonce), '')
}
