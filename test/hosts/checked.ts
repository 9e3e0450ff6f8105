import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { TranscriptFormatId } from '#core/contract/import.ts'
import { GrepInput } from '#core/contract/retrieval.ts'
import { openLcm } from '#core/lcm.ts'
import { compare } from '#test/builders/coverage.ts'
import { FACTS } from './facts.ts'
import type { Finding } from './finding.ts'

/** The compactions by the memory itself that still stand. */
export const OUR_RUNS = "SELECT count(*) FROM compaction_runs WHERE owner <> 'import' AND stop_reason <> 'undone'"

/** Returns the number that a query gives. */
export async function count(path: string, sql: string): Promise<number> {
  using memory = await openLcm(path, { readOnly: true })
  return memory.read.value<number>(sql) ?? 0
}

type Compared = { readonly memory: string; readonly database: string; readonly format: TranscriptFormatId }

/** What an agent has left to the process that stores is stored after this time, also on a busy machine. */
const LOOKS = 20
const LOOK_MS = 3_000

/**
 * Compares a memory with the database of its agent, session by session, by the coverage check. What is missing is looked
 * for again for a minute, because the last of it is stored after the agent has ended.
 */
export async function checked(what: string, compared: Compared): Promise<Finding> {
  for (let look = 1; ; look += 1) {
    const finding = await checkedNow(what, compared)
    if (finding.isGood || look === LOOKS) return finding
    await setTimeout(LOOK_MS)
  }
}

async function checkedNow(what: string, { memory, database, format }: Compared): Promise<Finding> {
  const conversations = await count(memory, 'SELECT max(conversation_id) FROM conversations')
  const sum = { said: 0, lost: 0, doubled: 0, differing: 0 }
  for (let conversationId = 1; conversationId <= conversations; conversationId += 1) {
    const { inTranscript, counts } = await compare(memory, database, { conversationId, format })
    sum.said += inTranscript
    sum.lost += counts.missing
    sum.doubled += counts.duplicated
    sum.differing += counts.differing
  }
  sum.doubled += await count(
    memory,
    'SELECT count(*) FROM (SELECT 1 FROM messages WHERE external_id IS NOT NULL GROUP BY external_id HAVING count(*) > 1)',
  )
  const found = `${sum.said} messages of ${conversations} sessions: ${sum.lost} lost, ${sum.doubled} doubled, ${sum.differing} differing`
  return { what, found, isGood: sum.said > 0 && sum.lost + sum.doubled + sum.differing === 0 }
}

type Transcripts = { readonly memory: string; readonly folder: string; readonly format: TranscriptFormatId }

/** Compares a memory with the transcripts of all sessions in a folder, each of which its name ends with. */
export async function checkedTranscripts(what: string, { memory, folder, format }: Transcripts): Promise<Finding> {
  const conversations = await conversationsBySession(memory)
  const sum = { sessions: 0, missing: 0, said: 0, lost: 0, doubled: 0, differing: 0 }
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const [, sessionId] = /([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/.exec(name) ?? []
    if (sessionId === undefined) continue
    const conversationId = conversations.get(sessionId)
    sum.sessions += 1
    if (conversationId === undefined) {
      sum.missing += 1
      continue
    }
    const { inTranscript, counts } = await compare(memory, join(folder, name), { conversationId, format })
    sum.said += inTranscript
    sum.lost += counts.missing
    sum.doubled += counts.duplicated
    sum.differing += counts.differing
  }
  const found = `${sum.said} messages of ${sum.sessions} sessions: ${sum.lost} lost, ${sum.doubled} doubled, ${sum.differing} differing, ${sum.missing} sessions not stored`
  return { what, found, isGood: sum.said > 0 && sum.lost + sum.doubled + sum.differing + sum.missing === 0 }
}

async function conversationsBySession(path: string): Promise<ReadonlyMap<string | null, number>> {
  using memory = await openLcm(path, { readOnly: true })
  return new Map(memory.stats.listed().map(({ sessionId, conversationId }) => [sessionId, conversationId]))
}

/** How many of the sixty facts one search each finds. */
export async function factsFound(path: string): Promise<number> {
  using memory = await openLcm(path, { readOnly: true })
  let found = 0
  for (const { service, port } of FACTS) {
    const asked = GrepInput.parse({ query: service, scope: 'messages', limit: 1, full: true })
    const { hits } = await memory.retrieval.search(asked, AbortSignal.timeout(60_000))
    if (hits[0] && memory.transcript.message(hits[0].id).content.includes(String(port))) found += 1
  }
  return found
}
