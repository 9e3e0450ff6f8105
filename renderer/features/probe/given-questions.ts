import { GivenQuestion, MOST_GIVEN_QUESTIONS, questionOfLine } from '#core/contract/probe.ts'
import { formatCount } from '#renderer/ui/texts/format.ts'

export type GivenQuestions = { readonly questions: readonly GivenQuestion[] } | { readonly problem: string }

/** Reads questions, one a line: in plain words, or as JSON with a question, and an answer and evidence if known. */
export function readGiven(text: string): GivenQuestions {
  const questions: GivenQuestion[] = []
  for (const [index, raw] of text
    .replace(/^\ufeff/, '')
    .split('\n')
    .entries()) {
    const line = raw.trim()
    if (line === '') continue
    const read = line.startsWith('{') ? questionOfLine(line) : GivenQuestion.safeParse({ question: line }).data
    if (!read)
      return {
        problem: `Line ${index + 1} is no question. Write it in plain words (at most 2,000 characters), or as {"question": "…", "answer": "…", "evidence": ["msg_…"]}.`,
      }
    questions.push(read)
  }
  if (questions.length > MOST_GIVEN_QUESTIONS)
    return {
      problem: `These are ${formatCount(questions.length)} questions; a probe asks at most ${formatCount(MOST_GIVEN_QUESTIONS)}.`,
    }
  return { questions }
}
