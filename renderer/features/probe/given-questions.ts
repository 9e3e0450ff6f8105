import type { GivenQuestion } from '../../../core/contract/probe.ts'

export type GivenQuestions = { readonly questions: readonly GivenQuestion[] } | { readonly problem: string }

const MOST = 2000
const LONGEST = 2000
const MOST_EVIDENCE = 100

/** Reads questions, one a line: in plain words, or as JSON with a question, and an answer and evidence if known. */
export function readGiven(text: string): GivenQuestions {
  const questions: GivenQuestion[] = []
  for (const [index, raw] of text
    .replace(/^\ufeff/, '')
    .split('\n')
    .entries()) {
    const line = raw.trim()
    if (line === '') continue
    const read = line.startsWith('{') ? fromJson(line) : { question: line }
    if (read === null)
      return {
        problem: `Line ${index + 1} is no question. Write it in plain words, or as {"question": "…", "answer": "…", "evidence": ["msg_…"]}.`,
      }
    if (read.question.length > LONGEST) return { problem: `Line ${index + 1} is longer than ${LONGEST} characters.` }
    questions.push(read)
  }
  if (questions.length > MOST)
    return { problem: `These are ${questions.length} questions; a probe asks at most ${MOST}.` }
  return { questions }
}

function fromJson(line: string): GivenQuestion | null {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null) return null
  const { question, answer, evidence } = value as { question?: unknown; answer?: unknown; evidence?: unknown }
  if (!isText(question) || (answer !== undefined && !isText(answer))) return null
  if (evidence !== undefined && !isIds(evidence)) return null
  return { question, ...(answer !== undefined && { answer }), ...(evidence !== undefined && { evidence }) }
}

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= LONGEST

const isIds = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length <= MOST_EVIDENCE && value.every((id) => typeof id === 'string' && id !== '')
