import { ROLES, type Role } from '#core/contract/ids.ts'
import type { Messages } from '#core/memory/messages.ts'
import { nextKey } from '#core/sqlite/keyset.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { readSnapshot } from '#core/sqlite/read-snapshot.ts'
import { changeStamp } from '#core/systems/reading/change-stamp.ts'
import { summariesAboveMessages } from '#core/systems/reading/covers.ts'
import type { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { messageNodeId } from '#core/systems/reading/node-id.ts'
import { readPruned } from '#core/systems/reading/pruned-outputs.ts'
import { readingMessagesOf } from '#core/systems/reading/read-messages.ts'
import { messagesHolding, messagesLike, searchedTexts } from '#core/systems/reading/texts.ts'
import { conversationsWithMessages } from '#core/systems/records/conversations.ts'
import { rowCount } from '#core/systems/records/counts.ts'
import {
  highestMessage,
  knownRole,
  type MessageHead,
  messageHeads,
  messagesAfter,
} from '#core/systems/records/messages.ts'
import { windowsOfMessages } from '#core/systems/records/window-entries.ts'
import type { TimeSlice } from '#core/yielding.ts'
import type { Fields } from '../query/matcher.ts'
import { type Catalogue, CatalogueBuilder } from './catalogue.ts'
import { type Corpus, coverOf, type HitRow, type TextIndex } from './corpus.ts'

/** How many new messages are read into the catalogue at a time. */
const AT_ONCE = 10_000

/** Messages: their text, the arguments and results of tools, and reasoning. Rows are message numbers. */
export class MessageCorpus implements Corpus {
  readonly kind = 'message'
  readonly fields = ['content', 'tool_input', 'tool_output', 'reasoning'] as const
  readonly #index: () => TextIndex | null
  readonly #db: ReadDb
  readonly #reader: Pick<MemoryReader, 'known'> | null
  #known: { readonly stamp: string; readonly catalogue: Catalogue } | null = null
  /** The messages of which something was pruned, by their conversation. */
  #pruned: { readonly stamp: string; readonly of: Map<number, ReadonlySet<number>> } | null = null

  /** @param reader where messages that were read for other views are found */
  constructor(db: ReadDb, index: () => TextIndex | null, reader: Pick<MemoryReader, 'known'> | null = null) {
    this.#db = db
    this.#reader = reader
    this.#index = index
  }

  get index(): TextIndex | null {
    return this.#index()
  }

  get known(): Catalogue | null {
    return this.#known?.stamp === changeStamp(this.#db) ? this.#known.catalogue : null
  }

  excerpt(rows: readonly number[]): Catalogue {
    const some = new CatalogueBuilder(null, rows.length)
    for (const head of messageHeads(this.#db, rows)) add(some, head)
    return some.build()
  }

  rowCount(): number {
    return rowCount(this.#db, 'messages')
  }

  newestRow(): number {
    return highestMessage(this.#db)
  }

  async catalogue(slice: TimeSlice): Promise<Catalogue> {
    const stamp = changeStamp(this.#db)
    if (this.#known?.stamp === stamp) return this.#known.catalogue
    const catalogue = (await this.#extended(slice)) ?? (await this.#load(slice))
    this.#known = { stamp, catalogue }
    return catalogue
  }

  /**
   * Returns the known catalogue with the messages that were appended since, or null when messages changed in another
   * way.
   */
  async #extended(slice: TimeSlice): Promise<Catalogue | null> {
    const before = this.#known?.catalogue
    if (!before) return null
    const length = rowCount(this.#db, 'messages')
    if (length < before.length) return null
    const all = new CatalogueBuilder(before, length - before.length)
    let last = before.rows.at(-1) ?? Number.NEGATIVE_INFINITY
    for (let read = AT_ONCE; read === AT_ONCE; ) {
      const added = messagesAfter(this.#db, last, AT_ONCE)
      for (const head of added) {
        add(all, head)
        last = nextKey(this.#db, 'the numbers of messages', last, head.id)
      }
      read = added.length
      await slice.yieldIfOver()
    }
    if (all.length < length) return null
    return all.length === before.length ? before : all.build()
  }

  async #load(slice: TimeSlice): Promise<Catalogue> {
    const all = new CatalogueBuilder(null, rowCount(this.#db, 'messages'))
    for (const conversation of conversationsWithMessages(this.#db)) {
      const known = this.#reader?.known(conversation)
      const messages = known ?? (await this.#read(conversation, slice))
      for (let position = 0; position < messages.length; position += 1) {
        const atMs = messages.createdAtMs[position] as number
        const time = Number.isNaN(atMs) ? null : atMs
        const id = messages.ids[position] as number
        all.add(id, conversation, messages.roleAt(position), time, messages.tokensAt(position))
      }
      await slice.yieldIfOver()
    }
    return all.build()
  }

  async #read(conversation: number, slice: TimeSlice): Promise<Messages> {
    const reading = readingMessagesOf(this.#db, conversation)
    for (;;) {
      const step = reading.next()
      if (step.done) return step.value
      await slice.yieldIfOver()
    }
  }

  holding(rows: readonly number[], text: string): number[] {
    return messagesHolding(this.#db, rows, text)
  }

  liking(rows: readonly number[], pattern: string): number[] {
    return messagesLike(this.#db, rows, pattern)
  }

  texts(rows: readonly number[]): Map<number, Fields> {
    return searchedTexts(this.#db, rows)
  }

  ids(rows: readonly number[]): Map<number, string> {
    return new Map(messageHeads(this.#db, rows).map(({ id }) => [id, messageNodeId(id)]))
  }

  hits(rows: readonly number[]): Map<number, HitRow> {
    return readSnapshot(this.#db, () => {
      const found = messageHeads(this.#db, rows)
      const covers = summariesAboveMessages(this.#db, found)
      const windows = Map.groupBy(windowsOfMessages(this.#db, rows), ({ id }) => id)
      const prunedOf = this.#prunedNow()
      return new Map(
        found.map(({ id: row, conversationId, seq, role, createdAtMs }): [number, HitRow] => {
          const inWindow = windows.get(row)?.some((window) => window.conversationId === conversationId) ?? false
          const isPruned = prunedOf(conversationId).has(row)
          return [
            row,
            {
              id: messageNodeId(row),
              kind: 'message',
              conversationId,
              seq,
              role: knownRole(role),
              depth: null,
              createdAtMs,
              ...coverOf(covers.get(row) ?? [], inWindow && !isPruned),
              ...(isPruned ? { isPruned: true } : {}),
            },
          ]
        }),
      )
    })
  }

  /** Gives the messages of a conversation of which something was pruned, in the present state of the file. */
  #prunedNow(): (conversationId: number) => ReadonlySet<number> {
    const stamp = changeStamp(this.#db)
    if (this.#pruned?.stamp !== stamp) this.#pruned = { stamp, of: new Map() }
    const { of } = this.#pruned
    return (conversationId) => {
      const known = of.get(conversationId)
      if (known) return known
      const pruned = new Set(readPruned(this.#db, conversationId).map(({ messageId }) => messageId))
      of.set(conversationId, pruned)
      return pruned
    }
  }
}

/** A message with a role that is none of ROLES is filtered as if it had the first one. */
const add = (to: CatalogueBuilder, { id, conversationId, role, createdAtMs, tokens }: MessageHead): void =>
  to.add(id, conversationId, Math.max(0, ROLES.indexOf(role as Role)), createdAtMs, tokens)
