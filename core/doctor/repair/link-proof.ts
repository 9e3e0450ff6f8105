import type { DraftCoverage } from '#core/memory/draft-coverage.ts'
import { lastReplaced, replacedEntries } from '#core/systems/records/events.ts'
import type { FileDraft } from '#core/systems/rules/file-draft.ts'

/** The sources of a summary when it was made. */
export type Links = { readonly messages: readonly number[]; readonly summaries: readonly string[] }

/** For longer lists of sources, no list with one source left out is tried, because that takes quadratic time. */
const LONGEST_LIST = 400
const MOST_RUNS = 100

/**
 * Finds the sources from which a summary was made, when its stored links are others. The stored hash covers sources and
 * text, so a list that gives the same hash is the right one. Candidates are the log of compactions, the order of the
 * history, the links with one left out, and messages that no other summary covers. Returns null when the links are
 * right, or nothing is proven.
 */
export function provenLinks(draft: FileDraft, id: string, coverage: DraftCoverage): Links | null {
  const hash = draft.summaries.get(id)?.hash
  if (!hash) return null
  const now: Links = {
    messages: draft.messageLinks(id).map((edge) => edge.to),
    summaries: draft.sourceLinks(id).map((edge) => edge.to),
  }
  const text = draft.textOf(id)
  const isProven = (links: Links): boolean => isWhole(draft, links) && draft.hashFor(text, links) === hash
  if (draft.hashFor(text, now) === hash) return null
  for (const links of candidates(draft, id, now, coverage)) {
    if (isProven(links)) return links
  }
  return null
}

/** True when every source exists and the list is not empty. */
function isWhole(draft: FileDraft, { messages, summaries }: Links): boolean {
  return (
    messages.length + summaries.length > 0 &&
    messages.every((message) => draft.messages.has(message)) &&
    summaries.every((summary) => draft.summaries.has(summary))
  )
}

function* candidates(draft: FileDraft, id: string, now: Links, coverage: DraftCoverage): Iterable<Links> {
  const logged = loggedLinks(draft, id)
  if (logged) yield logged
  const seqOf = (message: number): number => draft.messages.seqOf(message) ?? 0
  const inOrder: Links = { ...now, messages: now.messages.toSorted((a, b) => seqOf(a) - seqOf(b)) }
  yield inOrder
  if (now.messages.length + now.summaries.length <= LONGEST_LIST) {
    for (const left of inOrder.messages) yield { ...now, messages: inOrder.messages.filter((other) => other !== left) }
    for (const left of now.summaries) yield { ...now, summaries: now.summaries.filter((other) => other !== left) }
  }
  if (now.messages.length > 0 && now.summaries.length > 0) {
    yield { ...inOrder, summaries: [] }
    yield { messages: [], summaries: now.summaries }
  }
  if (now.summaries.length > 0) return
  const sorted = (messages: readonly number[]): Links => ({
    messages: [...new Set(messages)].toSorted((a, b) => seqOf(a) - seqOf(b)),
    summaries: [],
  })
  for (const run of lostRuns(draft, id, coverage)) {
    yield sorted(run)
    if (now.messages.length === 0) continue
    yield sorted([...now.messages, ...run])
    if (run.length <= LONGEST_LIST) for (const one of run) yield sorted([...now.messages, one])
  }
}

function loggedLinks(draft: FileDraft, id: string): Links | null {
  const entries = replacedEntries(lastReplaced(draft.db, id) ?? '')
  return (
    entries && {
      messages: entries.flatMap(({ messageId }) => messageId ?? []),
      summaries: entries.flatMap(({ summaryId }) => summaryId ?? []),
    }
  )
}

/** Returns uncovered messages of its conversation, in unbroken runs. */
function lostRuns(draft: FileDraft, id: string, { uncovered }: DraftCoverage): number[][] {
  const conversationId = draft.summaries.get(id)?.conversationId
  const { messages } = draft
  const lost = [...uncovered]
    .filter((position) => messages.conversationAt(position) === conversationId)
    .toSorted((a, b) => messages.seqAt(a) - messages.seqAt(b))
  const runs: number[][] = []
  let before = Number.NaN
  for (const position of lost) {
    const seq = messages.seqAt(position)
    if (seq !== before + 1) runs.push([])
    runs.at(-1)?.push(messages.idAt(position))
    before = seq
  }
  return runs.slice(0, MOST_RUNS)
}

/** Gives a summary exactly these sources, numbered from 0. */
export function setLinks(draft: FileDraft, id: string, { messages, summaries }: Links): void {
  draft.setMessageLinks(
    id,
    messages.map((to, ordinal) => ({ to, ordinal })),
  )
  draft.setSourceLinks(
    id,
    summaries.map((to, ordinal) => ({ to, ordinal })),
  )
}
