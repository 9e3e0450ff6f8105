import type { DetailFate } from '#core/contract/loss.ts'
import type { TextIndex } from '#core/provenance/text-index.ts'
import { inSlices, type TimeSlice } from '#core/yielding.ts'
import { type Details, readingDetails, type ToldText } from '../details.ts'
import { FateFinder, stateOf } from '../fates.ts'
import type { Question } from './made-questions.ts'

/** What became of an answer in some texts. */
export type AnswerFate = { readonly fate: ReturnType<typeof stateOf>; readonly instead: string | null }

/** The sentences that answer some questions, with their details. */
export const readAnswers = (asked: readonly Question[], signal: AbortSignal): Promise<Details> =>
  inSlices(readingDetails(asked.map(toldText), 'words'), signal)

/**
 * Returns what became of the answer of each question in some texts.
 * @param details of the same questions
 */
export async function judgeAnswers(
  asked: readonly Question[],
  details: Details,
  index: TextIndex,
  slice: TimeSlice,
): Promise<AnswerFate[]> {
  const finder = new FateFinder(details, index)
  const fates = asked.map((): { fate: DetailFate; instead: string | null }[] => [])
  for (const sentence of details.sentences) {
    const { answer } = asked[sentence.told] as Question
    const found = finder.fatesOf(sentence)
    const isSought = sentence.details.map(({ specific, text }) =>
      answer === null ? specific === null : text === answer,
    )
    const isAny = !isSought.includes(true)
    found.forEach(({ fate, instead }, detail) => {
      if (isAny || isSought[detail]) fates[sentence.told]?.push({ fate, instead })
    })
    await slice.yieldIfOver()
  }
  return fates.map((some) => ({
    fate: stateOf(some.map(({ fate }) => fate)),
    instead: some.find(({ instead }) => instead !== null)?.instead ?? null,
  }))
}

const toldText = ({ sentence }: Question, index: number): ToldText => ({
  ...{ id: String(index), kind: 'message', field: 'content', part: null, text: sentence, isSaid: true },
})
