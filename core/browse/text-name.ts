import { blanksToSpaces, excerptOf } from '../text.ts'

/** A name is at most this long. */
const NAME_CHARS = 120

const TAG = /<\/?[a-z][^<>]{0,80}>/gi
// Marks of headings, lists and quotations of Markdown.
const LINE_MARK = /^(?:#{1,6}\s+|>\s*|[-*+•]\s+|\d{1,3}[.)]\s+)+/
const EMPHASIS = /\*\*|__|`+/g
// `[2026-03-02 08:29Z]`, `2026-03-02T08:29:11.000Z`, `08:29Z`: when it was said, not what.
const TIME =
  /^[[(]?(?:\d{4}-\d{2}-\d{2}(?:[T ,]\s?\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?|\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?)\s?(?:Z|UTC|[+-]\d{2}:?\d{2})?[\])]?[\s:,–—-]*/
const SPEAKER = /^[[(]?(?:user|human|assistant|agent|system|tool)[\])]?\s*:\s*/i
const LABEL = /^(?:(?:leaf |conversation |session )?summary|topics?|overview|title|context|tl;?dr)\s*:\s*/i
/** A heading that says nothing about what comes below it. */
const EMPTY_HEADING =
  /^(?:(?:leaf |conversation |session )?summary|topics?|overview|title|context|tl;?dr|notes?)\s*:?$/i
// What a summary says about itself and about calls of tools names nothing while something else follows.
const ASIDE = /^(?:call|result|tool_use|tool_result)\b|^expand for details about\b/i
// The end of a sentence, also in scripts without spaces. A dot within a word or number ends nothing.
const SENTENCE_END = /[.!?…](?=\s|$)|[。！？]/gu
/** A shorter sentence, such as a greeting, goes on with the next. */
const FEWEST_CHARS = 24
/** Scripts without spaces say as much in a third of the characters. */
const FEWEST_WIDE_CHARS = 8
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
const WORD = /[\p{L}\p{N}]/u

/**
 * Returns what a text is called wherever it is only named: its first sentence that says something, on one line, without
 * marks, time and speaker. Empty when it has no words.
 */
export function nameOf(text: string): string {
  const lines = text
    .replace(TAG, ' ')
    .split(/[\r\n]+/)
    .map(bare)
    .filter((line) => WORD.test(line) && !EMPTY_HEADING.test(line))
  const line = lines.find((each) => !ASIDE.test(each)) ?? lines[0] ?? ''
  return excerptOf(firstWords(line).replace(/(?<=[^.])[.。:]$/u, ''), NAME_CHARS)
}

/** Of a text, so many characters are read for its name. */
const NAMED_CHARS = 2000

/** Returns the name of a text, or how it begins when it has no words. */
export function titleOf(text: string): string {
  const head = text.slice(0, NAMED_CHARS)
  return nameOf(head) || excerptOf(head, NAME_CHARS)
}

/** Returns the sentences with which a line begins, until they say something. */
function firstWords(line: string): string {
  for (const end of line.matchAll(SENTENCE_END)) {
    const sentence = line.slice(0, end.index + end[0].length)
    if (sentence.length >= (WIDE.test(sentence) ? FEWEST_WIDE_CHARS : FEWEST_CHARS)) return sentence
  }
  return line
}

function bare(line: string): string {
  let text = blanksToSpaces(line).replace(EMPHASIS, '').trim()
  for (const prefix of [LINE_MARK, TIME, SPEAKER, LINE_MARK, LABEL]) text = text.replace(prefix, '')
  return text
}
