import type { ProbedQuestion } from '#core/contract/probe.ts'

/** What is traced for a question: its evidence, and in it the answer, or else the sentence that answers. */
export type TracedQuestion = {
  readonly conversationId: number | null
  readonly query: string | null
  readonly tracedId: string | null
}

/** A number of one or two digits stands in many texts by chance, so its sentence is traced. */
export function tracedOf(conversationId: number | null, { answer, evidence }: ProbedQuestion): TracedQuestion | null {
  if (evidence === null) return null
  const isTelling = answer !== null && answer.replace(/[^\p{L}\p{N}]/gu, '').length > 2
  return { conversationId, tracedId: evidence.id, query: isTelling ? answer : evidence.text }
}
