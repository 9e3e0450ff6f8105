import { ROLES } from '../contract/ids.ts'
import type { Memory } from '../memory/memory.ts'
import type { SourceText } from '../provenance/passages.ts'
import { messageTexts, summaryTexts } from '../provenance/source-texts.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { messageNumber } from '../systems/reading/node-id.ts'
import { readPruned } from '../systems/reading/pruned-outputs.ts'
import { knownRole, messageHeads } from '../systems/records/messages.ts'
import type { Placements } from '../window/placements.ts'
import { storedPlacements } from '../window/placements.ts'
import type { ToldText } from './details.ts'

/** How many texts are read at once. */
const BATCH = 200
const NOTHING_KNOWN: ReadonlyMap<string, readonly SourceText[]> = new Map()
const TOOL = ROLES.indexOf('tool')

/**
 * Yields the texts of some messages or summaries by their ids, in batches. What is gone is left out.
 * @param known texts that were read before, by id. They are not read again, and come first in their batch
 */
export function* textsOf(
  db: ReadDb,
  ids: readonly string[],
  known: ReadonlyMap<string, readonly SourceText[]> = NOTHING_KNOWN,
): Generator<SourceText[]> {
  for (let from = 0; from < ids.length; from += BATCH) {
    const all = ids.slice(from, from + BATCH)
    const some = all.filter((id) => !known.has(id))
    const numbers = some.flatMap((id) => messageNumber(id) ?? [])
    const summaries = some.filter((id) => messageNumber(id) === null)
    yield [
      ...all.flatMap((id) => known.get(id) ?? []),
      ...(numbers.length > 0 ? messageTexts(db, numbers) : []),
      ...(summaries.length > 0 ? summaryTexts(db, summaries) : []),
    ]
  }
}

/** Yields the same with what decides about their details: whether somebody said it, or a tool was given or gave it. */
export function* toldTextsOf(db: ReadDb, memory: Memory, ids: readonly string[]): Generator<ToldText[]> {
  for (const texts of textsOf(db, ids)) {
    const elsewhere = texts.flatMap(({ id }) => {
      const number = messageNumber(id)
      return number !== null && memory.messages.positionOf(number) < 0 ? number : []
    })
    const others = new Map(messageHeads(db, elsewhere).map((head) => [head.id, knownRole(head.role)]))
    yield texts.map((text) => {
      const number = messageNumber(text.id)
      const position = number === null ? -1 : memory.messages.positionOf(number)
      const isTool =
        position < 0 ? others.get(number ?? Number.NaN) === 'tool' : memory.messages.roles[position] === TOOL
      return { ...text, isSaid: !isTool && (text.field === 'content' || text.field === 'reasoning') }
    })
  }
}

/** The ids of what a window holds, in its order: of the stored window, or of other entries. */
export const windowIds = (memory: Memory, placed: Placements = storedPlacements(memory)): string[] =>
  placed.map((entry) => (typeof entry === 'number' ? `msg_${entry}` : entry))

/**
 * Yields the texts of a window in batches, without outputs that an agent has removed from it.
 * @param ids those of the window
 */
export function* windowTexts(db: ReadDb, conversationId: number, ids: readonly string[]): Generator<SourceText[]> {
  const pruned = new Map(
    readPruned(db, conversationId).map(({ messageId, ordinal, seen }) => [`msg_${messageId} ${ordinal}`, seen ?? '']),
  )
  for (const texts of textsOf(db, ids)) {
    yield pruned.size === 0
      ? texts
      : texts.map((text) => {
          const seen = text.field === 'tool_output' ? pruned.get(`${text.id} ${text.part}`) : undefined
          return seen === undefined ? text : { ...text, text: seen }
        })
  }
}
