import { ROLES } from '#core/contract/ids.ts'
import type { ProbeInput } from '#core/contract/probe.ts'
import type { MessageEnds } from '#core/contract/retrieval.ts'
import { claimsOf } from '#core/provenance/claims.ts'
import type { MessageRange } from '#core/systems/reading/message-range.ts'
import { messageNumber } from '#core/systems/reading/node-id.ts'
import { inSlices, TimeSlice } from '#core/yielding.ts'
import { readingDetails, type ToldText } from '../details.ts'
import { nodeFacts } from '../ladder.ts'
import { textsOf, toldTextsOf } from '../node-texts.ts'
import { chooseQuestions, type Question, questionsIn } from './made-questions.ts'
import { firstHits, isKnown, type ProbedWindow, type ProberOptions } from './probed-window.ts'

/** Questions, and what has to be said about them. */
export type QuestionSet = { readonly questions: readonly Question[]; readonly notes: readonly string[] }

/** Questions are made from at most this many messages, spread evenly over longer conversations. */
const MOST_READ = 5_000
/** The details of this many characters are read together. */
const BATCH_CHARS = 300_000
const TOOL = ROLES.indexOf('tool')

export const CANCELLED = 'The probe was cancelled.'

/**
 * Makes questions of what people and agents said.
 * @throws LcmError cancelled
 */
export async function madeQuestions(
  db: ProberOptions['db'],
  window: ProbedWindow,
  { limit }: Pick<ProbeInput, 'limit'>,
  range: MessageRange,
  signal: AbortSignal,
): Promise<QuestionSet> {
  const slice = new TimeSlice(signal, CANCELLED)
  const { memory } = window
  const positions = Array.from({ length: range.end - range.first }, (_, at) => range.first + at).filter(
    (position) => isKnown(window, position) && memory.messages.roles[position] !== TOOL,
  )
  const read = evenly(positions, MOST_READ)
  const found: Question[] = []
  let batch: ToldText[] = []
  let length = 0
  const flush = async (): Promise<void> => {
    const details = await inSlices(readingDetails(batch), signal)
    found.push(...questionsIn(details, (id) => nodeFacts(memory, id).role))
    batch = []
    length = 0
  }
  const ids = read.map((position) => memory.messageId(position))
  for (const texts of toldTextsOf(db, memory, ids)) {
    for (const text of texts) {
      if (!text.isSaid || text.field !== 'content') continue
      batch.push(text)
      length += text.text.length
      if (length >= BATCH_CHARS) await flush()
    }
    await slice.yieldIfOver()
  }
  await flush()
  const questions = chooseQuestions(found, limit)
  return {
    questions,
    notes: [
      ...(read.length < positions.length
        ? [
            `Questions were made of ${read.length.toLocaleString('en-US')} messages, spread evenly over ${positions.length.toLocaleString('en-US')}.`,
          ]
        : []),
      ...(questions.length === 0 ? ['It says nothing that a question could be made of.'] : []),
    ],
  }
}

/**
 * Finds what answers the questions of a caller: the messages that are named, or those that a search finds.
 * @throws LcmError cancelled
 */
export async function givenQuestions(
  { db, search }: Pick<ProberOptions, 'db' | 'search'>,
  window: ProbedWindow,
  given: NonNullable<ProbeInput['questions']>,
  ends: MessageEnds,
  signal: AbortSignal,
): Promise<QuestionSet> {
  const questions: Question[] = []
  for (const { question, answer = null, evidence } of given) {
    const ids =
      evidence ?? (await firstHits(search, window, question, signal, ends)).filter((id) => messageNumber(id) !== null)
    const texts = [...textsOf(db, ids)].flat()
    const sought = answer?.toLowerCase()
    const holder = texts.find(({ text }) => sought === undefined || text.toLowerCase().includes(sought)) ?? null
    const named = evidence === undefined ? holder : (holder ?? texts[0] ?? null)
    questions.push({
      ...{ question, kind: 'given', about: question, answer },
      evidence: named?.id ?? null,
      sentence: named === null ? (answer ?? question) : sentenceAbout(named.text, answer ?? question, answer),
    })
  }
  const open = given.filter(({ answer, evidence }) => answer === undefined && evidence === undefined).length
  const note = `${open.toLocaleString('en-US')} questions name neither an answer nor evidence: the best message that a search finds counts as the answer.`
  return { questions, notes: open === 0 ? [] : [note] }
}

const evenly = <T>(all: readonly T[], most: number): readonly T[] =>
  all.length <= most
    ? all
    : Array.from({ length: most }, (_, at) => all[Math.floor(((at + 0.5) * all.length) / most)] as T)

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) ?? [])

/** Returns the sentence of a text that holds an answer, or else the one that shares most words with a question. */
function sentenceAbout(text: string, question: string, answer: string | null): string {
  const sentences = claimsOf(text).map(({ start, end }) => text.slice(start, end))
  const sought = answer?.toLowerCase()
  const holder = sought === undefined ? undefined : sentences.find((one) => one.toLowerCase().includes(sought))
  if (holder !== undefined) return holder
  const words = wordsOf(question)
  const shared = sentences.map((one) => [...wordsOf(one)].filter((word) => words.has(word)).length)
  return sentences[shared.indexOf(Math.max(0, ...shared))] ?? text.slice(0, 600)
}
