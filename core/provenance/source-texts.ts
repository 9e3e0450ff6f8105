import type { Role } from '../contract/ids.ts'
import { isPlaceholder } from '../ingest/transcripts/imported-node-text.ts'
import type { Links } from '../memory/links.ts'
import type { Memory } from '../memory/memory.ts'
import { positionCount } from '../memory/position-ranges.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { messageNodeId } from '../systems/reading/node-id.ts'
import { contentsOfMessages, contentsOfSummaries, textsOfParts } from '../systems/reading/texts.ts'
import { knownRole, messageHeads } from '../systems/records/messages.ts'
import { summaryHeads } from '../systems/records/summaries.ts'
import type { SourceText } from './passages.ts'

/** What a list shows of a source. */
export type SourceCard = {
  readonly id: string
  readonly kind: 'message' | 'leaf' | 'condensed'
  readonly conversationId: number
  readonly seq: number | null
  readonly role: Role | null
  readonly depth: number | null
  readonly createdAtMs: number | null
}

/** The sources of a summary, direct and indirect. */
export type ReachedSources = {
  /** The numbers of all messages that the summary stands for, in order. */
  readonly messages: readonly number[]
  /** The ids of its direct source summaries. */
  readonly summaries: readonly string[]
  /** The ids of the summary itself and of all summaries that it reaches. */
  readonly reached: readonly string[]
  /** How many sources (summaries and messages) are named but not in the file. */
  readonly missing: number
}

/** Returns everything that a summary reaches through its sources. Cycles and broken links do not stop it. */
export function reachedSources(
  { messages, summaries, links, lineage, coverage }: Memory,
  start: number,
): ReachedSources {
  const reached = links.withSources([start])
  const elsewhere = links.messagesElsewhere(reached)
  const direct = (lineage.sources[start] ?? []).filter((node) => node !== start && !lineage.isMissing(node))
  return {
    messages: [...messages.idsIn(coverage.reach(start)), ...elsewhere.map(({ messageId }) => messageId)],
    summaries: direct.map((node) => summaries.at(node).id),
    reached: Array.from(reached, (node) => summaries.at(node).id),
    missing: missingSources(links, reached),
  }
}

/** Returns how many summaries and messages the reached summaries name that are nowhere in the file. */
function missingSources(links: Links, reached: ReadonlySet<number>): number {
  const summaries = new Set<string>()
  let messages = 0
  for (const node of reached) {
    for (const { kind, sourceId } of links.brokenOf(node)) if (kind === 'summary') summaries.add(sourceId)
    messages +=
      links.messagesOf(node).length - links.messagesElsewhere([node]).length - positionCount(links.rangesOf(node))
  }
  return summaries.size + messages
}

/** Yields the texts of messages: content, inputs and outputs of tools, and reasoning. */
export function* messageTexts(db: ReadDb, numbers: readonly number[]): Generator<SourceText> {
  const parts = new Map<number, SourceText[]>()
  for (const { id: number, ordinal: part, input, output, reasoning } of textsOfParts(db, numbers)) {
    const list = parts.get(number) ?? []
    const add = (field: SourceText['field'], text: string | null): void => {
      if (text) list.push({ id: messageNodeId(number), kind: 'message', field, part, text })
    }
    add('tool_input', input)
    add('tool_output', output)
    add('reasoning', reasoning)
    parts.set(number, list)
  }
  const contents = new Map(contentsOfMessages(db, numbers))
  for (const number of numbers) {
    const text = contents.get(number)
    if (text) yield { id: messageNodeId(number), kind: 'message', field: 'content', part: null, text }
    yield* parts.get(number) ?? []
  }
}

/**
 * Returns the texts of summaries, except those that an import made for messages which the agent never summarised on
 * their own: nobody had those texts before the import.
 */
export function summaryTexts(db: ReadDb, ids: readonly string[]): SourceText[] {
  const found = new Map(contentsOfSummaries(db, ids))
  return ids.flatMap((id): SourceText[] => {
    const text = found.get(id)
    return text && !isPlaceholder(text) ? [{ id, kind: 'summary', field: 'content', part: null, text }] : []
  })
}

/** Returns what is shown of sources, by id. */
export function sourceCards(db: ReadDb, ids: readonly string[]): Map<string, SourceCard> {
  const numbers = ids.filter((id) => id.startsWith('msg_')).map((id) => Number(id.slice('msg_'.length)))
  const messages = messageHeads(db, numbers).map(
    ({ id, conversationId, seq, role, createdAtMs }): SourceCard => ({
      id: messageNodeId(id),
      kind: 'message',
      conversationId,
      seq,
      role: knownRole(role) ?? 'system',
      depth: null,
      createdAtMs,
    }),
  )
  const summaries = summaryHeads(db, ids).map(
    ({ id, kind, conversationId, depth, createdAtMs }): SourceCard => ({
      id,
      kind,
      conversationId,
      seq: null,
      role: null,
      depth,
      createdAtMs,
    }),
  )
  return new Map([...messages, ...summaries].map((card) => [card.id, card]))
}
