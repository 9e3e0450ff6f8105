import type { DetailKind } from '#core/contract/loss.ts'
import type { QuestionKind } from '#core/contract/probe.ts'
import type { Specific } from '#core/provenance/specifics.ts'
import type { Detail, Details, Sentence } from '../details.ts'

/** A question about one message, and where its answer stands. */
export type Question = {
  readonly question: string
  readonly kind: QuestionKind
  /** The words by which somebody would search who wants to know it. They do not hold the answer. */
  readonly about: string
  /** The message that answers it, or null when none is known. */
  readonly evidence: string | null
  /** The sentence of that message in which the answer stands. */
  readonly sentence: string
  /** The words that answer it, or null when the whole sentence does. */
  readonly answer: string | null
}

/** Shorter sentences ask for nothing, and longer ones tell too much. */
const SHORTEST = 25
const LONGEST = 280
/** At least this many words beside the answer are needed to ask for it. */
const LEAST_WORDS = 3
/** At most this many of the words of a sentence name what it is about. */
const TOPIC_WORDS = 4

/** Something that a user says against what was said or done before. */
const CORRECTION =
  /^(?:no[,.!—–-]|nope\b|wrong\b|actually\b|correction\b|sorry[,—–-]|i meant\b|that['’]s (?:wrong|not|incorrect)|that is (?:wrong|not|incorrect)|not that\b|nein[,.!]|falsch\b)|\bnot \S+(?: \S+)?, but\b|\binstead of\b/i

/**
 * Returns what the sentences of some messages may be asked for, in their order. A question about a detail is the
 * sentence without it; a question about a whole sentence names some of its words.
 * @param roleOf the role of a message, by its id
 */
export function questionsIn(details: Details, roleOf: (id: string) => string | null): Question[] {
  const found: Question[] = []
  for (const sentence of details.sentences) {
    const text = details.texts[sentence.told]
    if (!text?.isSaid || text.field !== 'content' || !isAskable(sentence)) continue
    const isCorrection = roleOf(text.id) === 'user' && CORRECTION.test(sentence.claim.text)
    for (const detail of sentence.details) {
      const question =
        detail.specific === null
          ? wholeQuestion(sentence, isCorrection ? 'correction' : detail.kind)
          : gapQuestion(sentence, detail, details.vocabulary.specifics[detail.specific] as Specific)
      if (question) found.push({ ...question, evidence: text.id, sentence: sentence.claim.text })
    }
  }
  return found
}

function isAskable({ claim }: Sentence): boolean {
  const { text, kind, terms } = claim
  if (kind === 'code' || text.length < SHORTEST || text.length > LONGEST || /[?？]\s*$/.test(text)) return false
  return terms.filter(({ isSpecific }) => !isSpecific).length >= LEAST_WORDS
}

type QuestionText = Pick<Question, 'question' | 'kind' | 'about' | 'answer'>

const GAPS: Partial<Record<DetailKind, string>> = {
  number: 'Which number belongs here',
  path: 'Which path or address belongs here',
  id: 'Which name or id belongs here',
  name: 'Which name belongs here',
  error: 'Which error belongs here',
}

function gapQuestion({ claim }: Sentence, { kind, text }: Detail, { start, end }: Specific): QuestionText | null {
  const ask = GAPS[kind]
  if (ask === undefined) return null
  const [from, to] = [start - claim.start, end - claim.start]
  const [before, after] = [claim.text.slice(0, from), claim.text.slice(to)]
  // A sentence that says it twice would give the answer away.
  if (`${before} ${after}`.toLowerCase().includes(text.toLowerCase())) return null
  return { question: `${ask}: “${before}…${after}”?`, kind, about: `${before} ${after}`, answer: text }
}

const TOPICS: Partial<Record<QuestionKind, string>> = {
  decision: 'What was decided about',
  constraint: 'What is the rule about',
  negation: 'What is denied or ruled out about',
  error: 'What went wrong with',
  correction: 'What did the user correct about',
}

function wholeQuestion({ claim }: Sentence, kind: QuestionKind): QuestionText | null {
  const ask = TOPICS[kind]
  const words = topicOf(claim)
  if (ask === undefined || words.length < 2) return null
  const topic = `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
  return { question: `${ask} ${topic}?`, kind, about: words.join(' '), answer: null }
}

/** Returns the longest words of a sentence in their order, at most half of them, so that the rest is left to know. */
function topicOf({ text, terms, start: base }: Sentence['claim']): string[] {
  const words = [...new Set(terms.map(({ start, end }) => text.slice(start - base, end - base)))].filter(
    (word) => word.length > 3,
  )
  const most = Math.min(TOPIC_WORDS, Math.floor(words.length / 2))
  const longest = new Set(words.toSorted((a, b) => b.length - a.length).slice(0, most))
  return words.filter((word) => longest.has(word))
}

/**
 * Chooses questions: each answer once, the kinds in turn, and those of one kind spread evenly over the conversation.
 * The same questions give the same choice.
 */
export function chooseQuestions(all: readonly Question[], limit: number): Question[] {
  const once = new Map<string, Question>()
  for (const one of all) {
    const key = `${one.kind} ${(one.answer ?? one.sentence).toLowerCase()}`
    if (!once.has(key)) once.set(key, one)
  }
  const byKind = [...Map.groupBy(once.values(), ({ kind }) => kind).values()]
  const shares = sharesOf(
    byKind.map((list) => list.length),
    limit,
  )
  const chosen = new Set(byKind.flatMap((list, index) => spread(list, shares[index] ?? 0)))
  return [...once.values()].filter((one) => chosen.has(one))
}

/** Divides a limit among kinds: each gets the same, and what one does not need goes to the others. */
function sharesOf(counts: readonly number[], limit: number): number[] {
  const shares = counts.map(() => 0)
  let left = limit
  while (left > 0) {
    const open = counts.flatMap((count, index) => ((shares[index] ?? 0) < count ? index : []))
    if (open.length === 0) break
    for (const index of open.slice(0, left)) shares[index] = (shares[index] ?? 0) + 1
    left -= Math.min(left, open.length)
  }
  return shares
}

const spread = <T>(list: readonly T[], count: number): T[] =>
  Array.from({ length: count }, (_, at) => list[Math.floor(((at + 0.5) * list.length) / count)] as T)
