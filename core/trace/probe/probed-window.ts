import type { ProbedQuestion, ProbeInput } from '#core/contract/probe.ts'
import { GrepInput, type GrepResult, type MessageEnds } from '#core/contract/retrieval.ts'
import type { Memory } from '#core/memory/memory.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import type { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { inheritedBy } from '#core/window/inherited.ts'
import { storedPlacements } from '#core/window/placements.ts'
import type { PastWindow, TimeTravel } from '#core/window/time-travel/time-travel.ts'
import { ladderOf, nodeFacts } from '../ladder.ts'
import { windowIds } from '../node-texts.ts'
import type { TextIndexes } from '../text-indexes.ts'
import type { Question } from './made-questions.ts'

export type ProberOptions = {
  readonly db: ReadDb
  readonly reader: MemoryReader
  readonly timeTravel: TimeTravel
  readonly indexes: TextIndexes
  search(input: GrepInput, signal?: AbortSignal): Promise<GrepResult>
}

/** The window of the moment that is asked about. */
export type ProbedWindow = {
  readonly memory: Memory
  readonly ids: readonly string[]
  readonly has: ReadonlySet<string>
  readonly past: PastWindow | null
  /** The number of its first entries that a fork sees of the conversation that it was forked from. */
  readonly inherited: number
}

/** The way from the message that answers a question to the window. */
export type WindowPath = {
  readonly isInWindow: boolean
  /** Summaries that stand for it, nearest first. The last one is in the window if `leadsToWindow`. */
  readonly nodes: readonly number[]
  readonly leadsToWindow: boolean
}

/** An agent looks at the first page of hits. */
const PAGE = 10
/** More words than these say the same again. */
const MOST_WORDS = 40

/** @throws LcmError not_found */
export async function windowAt(
  { db, reader, timeTravel, indexes }: Pick<ProberOptions, 'db' | 'reader' | 'timeTravel' | 'indexes'>,
  { conversationId, at }: Pick<ProbeInput, 'conversationId' | 'at'>,
): Promise<ProbedWindow> {
  await reader.prepareMemory(conversationId)
  const memory = reader.memory(conversationId)
  const past = at === undefined || 'now' in at ? null : timeTravel.entriesAt(conversationId, at)
  const inherited = inheritedBy(db, reader, conversationId)
  // After a compaction of the fork, what it saw before is not known.
  const before = inherited && (past?.placed === undefined || inherited.isWhole) ? inherited.placed : []
  const leftOut = past === null ? indexes.given(memory).leftOut : indexes.leftOutAt(conversationId, past)
  const all = windowIds(memory, [...before, ...(past?.placed ?? storedPlacements(memory))])
  const ids = all.filter((id) => !leftOut.has(id))
  return { memory, ids, has: new Set(ids), past, inherited: before.length }
}

/** Whether a message was stored before the moment. */
export const isKnown = ({ memory, past }: ProbedWindow, position: number): boolean => {
  const newest = past?.until?.newestSeq ?? null
  return newest === null || (memory.messages.seqs[position] ?? Number.POSITIVE_INFINITY) <= newest
}

export function pathOf({ memory, has }: ProbedWindow, evidence: string | null): WindowPath {
  const position = evidence === null ? -1 : nodeFacts(memory, evidence).position
  if (evidence === null || position < 0) return { isInWindow: false, nodes: [], leadsToWindow: false }
  const isThere = (node: number): boolean => has.has(memory.summaries.at(node).id)
  const { way } = ladderOf(memory, { position }, isThere)
  const top = way.at(-1)
  return { isInWindow: has.has(evidence), nodes: way, leadsToWindow: top !== undefined && isThere(top) }
}

export function evidenceOf(memory: Memory, { evidence, sentence }: Question): ProbedQuestion['evidence'] {
  if (evidence === null) return null
  const { position, role, seq, atMs } = nodeFacts(memory, evidence)
  const isMessage = position >= 0
  return {
    id: evidence,
    role,
    seq,
    position: isMessage ? position : null,
    atMs: isMessage ? atMs : null,
    text: sentence.toWellFormed(),
  }
}

/** Returns the ids of the first hits that were there at the moment. `ends` limits them to messages between two. */
export async function firstHits(
  search: ProberOptions['search'],
  { memory, past }: ProbedWindow,
  query: string,
  signal: AbortSignal,
  { fromMessage, toMessage }: MessageEnds = {},
): Promise<string[]> {
  const input = GrepInput.parse({
    ...{ fromMessage, toMessage },
    ...{ query: queryOf(query), match: 'question', sort: 'relevance', limit: past === null ? PAGE : PAGE * 5 },
    conversationIds: [memory.messages.conversationId],
  })
  const { hits } = await search(input, signal)
  const until = past?.until
  return hits
    .filter(({ seq, createdAtMs, kind }) => {
      if (until === undefined) return true
      if (kind === 'message') return seq !== null && (until.newestSeq === null || seq <= until.newestSeq)
      return createdAtMs !== null && past?.atMs != null && createdAtMs <= past.atMs
    })
    .slice(0, PAGE)
    .map(({ id }) => id)
}

/** Returns the words of a text as a question, without signs that a search would read as its language. */
export function queryOf(text: string): string {
  const words = text.match(/[\p{L}\p{N}_]{2,}/gu) ?? []
  return [...new Set(words.map((word) => word.toLowerCase()))].slice(0, MOST_WORDS).join(' ')
}
