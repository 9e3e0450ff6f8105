import type { Role } from '../../contract/ids.ts'
import { isPlaceholder } from '../../ingest/transcripts/imported-node-text.ts'
import type { Links } from '../../memory/links.ts'
import type { Memory } from '../../memory/memory.ts'
import { positionCount } from '../../memory/position-ranges.ts'
import type { ReadDb } from '../../sqlite/read-db.ts'
import { messageNodeId } from '../../systems/node-id.ts'
import { knownRole, messageHeads } from '../../systems/records/messages.ts'
import { summaryHeads } from '../../systems/records/summaries.ts'
import { contentsOfMessages, contentsOfSummaries, textsOfParts } from '../../systems/texts.ts'
import type { SourceText } from './passage-index.ts'

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

/** What a summary rests on. */
export type ReachedSources = {
  /** Numbers of all messages that it stands for, in order. */
  readonly messages: readonly number[]
  /** Ids of the summaries that it was made from directly. */
  readonly summaries: readonly string[]
  /** Ids of the summary itself and of all summaries that it reaches. */
  readonly reached: readonly string[]
  /** Sources that are named, but not in the file: summaries and messages. */
  readonly missing: number
}

/** Everything that a summary reaches through its sources; cycles and dangling links end nothing but themselves. */
export function reachedSources(
  { messages, summaries, links, lineage, coverage }: Memory,
  start: number,
): ReachedSources {
  const reached = links.beneath([start])
  const elsewhere = links.messagesElsewhere(reached)
  const direct = (lineage.sources[start] ?? []).filter((node) => node !== start && !lineage.isMissing(node))
  return {
    messages: [...messages.idsIn(coverage.reach(start)), ...elsewhere.map(({ messageId }) => messageId)],
    summaries: direct.map((node) => summaries.at(node).id),
    reached: Array.from(reached, (node) => summaries.at(node).id),
    missing: missingSources(links, reached),
  }
}

/** Summaries and messages that are named by those that are reached, and are nowhere in the file. */
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

/** The texts of some messages: content, what tools were given and gave, reasoning. */
export function* messageTexts(db: ReadDb, numbers: readonly number[]): Generator<SourceText> {
  const parts = new Map<number, SourceText[]>()
  for (const [number, part, input, output, reasoning] of textsOfParts(db, numbers)) {
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
 * The texts of some summaries. Not those that an import put between for messages of which the agent wrote no summary
 * alone: nobody had them before the import.
 */
export function summaryTexts(db: ReadDb, ids: readonly string[]): SourceText[] {
  const found = new Map(contentsOfSummaries(db, ids))
  return ids.flatMap((id): SourceText[] => {
    const text = found.get(id)
    return text && !isPlaceholder(text) ? [{ id, kind: 'summary', field: 'content', part: null, text }] : []
  })
}

/** What is shown of some sources, by id. */
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
