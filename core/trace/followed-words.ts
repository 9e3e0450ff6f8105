import { type Details, type FoundSentence, readingDetails, type ToldText } from './details.ts'

/** The details that are followed when only some words of some texts are asked about. */
export type FollowedWords = {
  readonly details: Details
  /** Where the words stand in their text, when it has them as they are. */
  readonly offset: number
  readonly isFound: boolean
}

type WordsRequest = {
  readonly id: string
  /** The texts of the message or summary that is followed. */
  readonly texts: readonly ToldText[]
  readonly words: string
}

type ReadDetails = (reading: Generator<void, Details>) => Promise<Details>

/** Follows words as they are: they are all that is looked for, whether the texts have them or not. */
export async function followWords({ id, texts, words }: WordsRequest, read: ReadDetails): Promise<FollowedWords> {
  const sought = words.toLowerCase()
  const at = texts.map(({ text }) => text.toLowerCase().indexOf(sought))
  const holder = at.findIndex((offset) => offset >= 0)
  const base = texts[Math.max(0, holder)]
  const told: ToldText = base
    ? { ...base, text: words, isSaid: true }
    : { id, kind: 'message', field: 'content', part: null, text: words, isSaid: true }
  const details = await read(readingDetails([told], 'words'))
  return { details, offset: Math.max(0, at[holder] ?? 0), isFound: holder >= 0 }
}

/** A shorter word stands in many sentences that say something else. */
const TELLING_CHARS = 4

/**
 * Follows words where the texts have them, or one of the numbers, paths and names in them. A question, and words that
 * stand apart, are in no text as they are: then the sentences are followed that have some of the words.
 */
export async function followWordsOrSentences(request: WordsRequest, read: ReadDetails): Promise<FollowedWords> {
  const { texts, words } = request
  const followed = await followWords(request, read)
  if (followed.isFound) return followed
  const lower = texts.map(({ text }) => text.toLowerCase())
  const has = (value: string): boolean => lower.some((text) => text.includes(value.toLowerCase()))
  const details = followed.details.sentences.flatMap((sentence) => sentence.details)
  if (details.some(({ specific, text }) => specific !== null && has(text))) return followed
  const all = words.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const telling = all.filter((word) => word.length >= TELLING_CHARS)
  const sought = telling.length > 0 ? telling : all
  const hasSome = (sentence: FoundSentence): boolean => {
    const text = sentence.text.toLowerCase()
    return sought.some((word) => text.includes(word))
  }
  const sentences = await read(readingDetails(texts, 'words', hasSome))
  return sentences.count === 0 ? followed : { details: sentences, offset: 0, isFound: true }
}
