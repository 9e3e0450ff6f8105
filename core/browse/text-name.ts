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
// `[2026-03-02 08:17 UTC – 2026-03-02 09:02 UTC]`, `[2026-03-02 08:17 UTC | tool]`
const TIME_SPAN = /^\[\d{4}-\d{2}-\d{2}[^[\]]{0,80}\][\s:,–—-]*/
const SPEAKER = /^[[(]?(?:user|human|assistant|agent|system|tool)[\])]?\s*:\s*/i
/** Words that say what kind of text begins here, and nothing of what it is about. */
const KINDS = wordSet(
  `a an the of for and in from to on with this that is so far until now up as at by no nr all
   summary summaries summarised summarized recap digest overview abstract synopsis tl dr tldr title topic topics context
   memory memories condensed compacted compressed compaction condensation merged combined rolled
   deterministic extractive automatic automatically generated token tokens total first last user assistant
   leaf node depth level layer segment segments chunk chunks block part section range window span
   conversation conversations session sessions dialogue dialog chat transcript thread discussion history exchange
   message messages turn turns previous prior earlier past older recent current new updated final full short brief
   note notes begin start end introduction background d0 d1 d2 d3 d4 d5 d6 d7 d8 d9`,
)
/** Words of headings that many summaries have: alone they name none of them. */
const SECTIONS = wordSet(
  `key main important open next other general what was were has been did we
   decision decisions fact facts point points detail details takeaway takeaways highlight highlights finding findings
   goal goals intent intents request requests primary user assistant task tasks work done progress status state step steps
   action actions item items question questions issue issues problem problems result results outcome outcomes
   change changes changed file files error errors constraint constraints requirement requirements
   todo todos pending remaining completed technical concepts timeline events none nothing`,
)
/** No label is longer. */
const LABEL_CHARS = 80
// `Segment summary (messages 1-20): `, `Recap – `, `[Summary of 12 messages] `.
const LABEL = /^[[(]?([^:：\n]{1,60}?)[\])]?\s*(?:[:：](?=\s|$)|\s[–—-](?=\s))\s*/
const BRACKETED = /^[[(]([^[\]()]{1,60})[\])]\s*/
const NUMBER_OR_HASH = /^\d|^[\da-f]{6,}$/
const WORDS = /[\p{L}\p{N}]+/gu
// What a summary says about itself and about calls of tools names nothing while something else follows.
const ASIDE = /^(?:call|result|tool_use|tool_result)\b|^expand for details about\b/i
// A bracket around several sentences, of which the first alone is the name.
const UNCLOSED = /^[[(](?=[^\])]*$)/
// The end of a sentence, also in scripts without spaces. A dot within a word or number ends nothing.
const SENTENCE_END = /[.!?…](?=\s|$)|[。！？]/gu
/** A shorter sentence, such as a greeting, goes on with the next. */
const FEWEST_CHARS = 24
/** Scripts without spaces say as much in a third of the characters. */
const FEWEST_WIDE_CHARS = 8
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
const WORD = /[\p{L}\p{N}]/u
const PICTURE = /\p{Extended_Pictographic}/u

/**
 * Returns what a text is called wherever it is only named: its first sentence that says something, on one line, without
 * marks, time and speaker. Empty when it has neither words nor emoji.
 */
export function nameOf(text: string): string {
  const all = text
    .replace(TAG, ' ')
    .split(/[\r\n]+/)
    .map(bare)
  // Emoji alone are a name where no line has words.
  const lines =
    [WORD, PICTURE].map((what) => all.filter((line) => what.test(line))).find(({ length }) => length > 0) ?? []
  const isTelling = (line: string): boolean => /[.!?…]$/.test(line) || !isOnlyOf(line, KINDS, SECTIONS)
  const line = lines.find((each) => isTelling(each) && !ASIDE.test(each)) ?? lines.find(isTelling) ?? lines[0] ?? ''
  const name = firstWords(line).replace(/(?<=[^.])[.。:]$/u, '')
  return excerptOf(name.replace(UNCLOSED, ''), NAME_CHARS)
}

/** Of a text, at most this many characters are read for its name. */
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
  for (const prefix of [LINE_MARK, TIME_SPAN, TIME, SPEAKER, LINE_MARK]) text = text.replace(prefix, '')
  for (const label of [BRACKETED, LABEL, LABEL])
    text = text.replace(label, (whole, words: string) => (isOnlyOf(words, KINDS) && whole !== text ? '' : whole))
  return text
}

/** Tells whether every word of a short text is in one of the sets. Numbers and ids do not count. */
function isOnlyOf(text: string, ...sets: readonly ReadonlySet<string>[]): boolean {
  if (text.length > LABEL_CHARS) return false
  const words = (text.toLowerCase().match(WORDS) ?? []).filter((word) => !NUMBER_OR_HASH.test(word))
  return words.length > 0 && words.every((word) => sets.some((set) => set.has(word)))
}

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/))
}
