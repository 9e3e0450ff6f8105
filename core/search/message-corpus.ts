import { ROLES, type Role } from '../contract/ids.ts'
import { GrowingMessages } from '../memory/growing-messages.ts'
import type { Messages } from '../memory/messages.ts'
import { nextKey } from '../sqlite/keyset.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { readSnapshot } from '../sqlite/read-snapshot.ts'
import { changeStamp } from '../systems/change-stamp.ts'
import { coversOfMessages } from '../systems/covers.ts'
import type { HistoryIndex } from '../systems/history-index.ts'
import { messageNodeId } from '../systems/node-id.ts'
import { readPruned } from '../systems/pruned-outputs.ts'
import { appendingNewer } from '../systems/read-messages.ts'
import type { TimeSlice } from '../yielding.ts'
import { type Catalogue, CatalogueBuilder } from './catalogue.ts'
import { type Corpus, coverOf, type HitRow, type TextIndex } from './corpus.ts'
import type { Fields } from './matcher.ts'

const roleCode = `CASE role ${ROLES.map((role, code) => `WHEN '${role}' THEN ${code}`).join(' ')} ELSE 0 END`

const queries = {
  extent: /* sql */ `SELECT count(*) AS length FROM messages`,
  /** Jumps from conversation to conversation in the index, and finds those that no conversation row names, too. */
  conversations: /* sql */ `
    WITH RECURSIVE found (id) AS (
      SELECT min(conversation_id) FROM messages
      UNION ALL
      SELECT (SELECT min(conversation_id) FROM messages WHERE conversation_id > found.id)
      FROM found
      WHERE found.id IS NOT NULL
    )
    SELECT id FROM found WHERE id IS NOT NULL`,
  length: /* sql */ `SELECT count(*) FROM messages WHERE conversation_id = :conversation`,
  added: /* sql */ `
    SELECT message_id, conversation_id, ${roleCode}, created_at, token_count
    FROM messages
    WHERE message_id > :last
    ORDER BY message_id
    LIMIT CAST(:limit AS INTEGER)`,
  newest: /* sql */ `SELECT max(message_id) FROM messages`,
  excerpt: /* sql */ `
    SELECT message_id, conversation_id, ${roleCode}, created_at, token_count
    FROM messages
    WHERE message_id IN (SELECT value FROM json_each(:ids))`,
  contents: /* sql */ `
    SELECT message_id, content FROM messages WHERE message_id IN (SELECT value FROM json_each(:ids))`,
  holding: /* sql */ `
    SELECT message_id FROM messages
    WHERE message_id IN (SELECT value FROM json_each(:ids)) AND instr(content, :text) > 0
    UNION
    SELECT message_id FROM message_parts
    WHERE message_id IN (SELECT value FROM json_each(:ids)) AND is_synthetic = 0
      AND (instr(tool_input, :text) > 0 OR instr(tool_output, :text) > 0
        OR (part_type = 'reasoning' AND instr(text_content, :text) > 0))`,
  liking: /* sql */ `
    SELECT message_id FROM messages
    WHERE message_id IN (SELECT value FROM json_each(:ids)) AND content LIKE :pattern ESCAPE char(92)`,
  likingInParts: /* sql */ `
    SELECT message_id FROM message_parts
    WHERE message_id IN (SELECT value FROM json_each(:ids)) AND is_synthetic = 0
      AND (tool_input LIKE :pattern ESCAPE char(92) OR tool_output LIKE :pattern ESCAPE char(92)
        OR (part_type = 'reasoning' AND text_content LIKE :pattern ESCAPE char(92)))`,
  /** As in the view message_text, which the indexes are made from. */
  partTexts: /* sql */ `
    SELECT message_id, tool_input, tool_output, CASE part_type WHEN 'reasoning' THEN text_content END
    FROM message_parts
    WHERE message_id IN (SELECT value FROM json_each(:ids)) AND is_synthetic = 0
      AND (tool_input IS NOT NULL OR tool_output IS NOT NULL OR part_type = 'reasoning')
    ORDER BY message_id, ordinal`,
  hits: /* sql */ `
    SELECT
      m.message_id AS row,
      m.conversation_id AS conversationId,
      m.seq,
      m.role,
      m.created_at AS createdAtMs,
      EXISTS (
        SELECT 1 FROM context_items AS c
        WHERE c.message_id = m.message_id AND c.conversation_id = m.conversation_id
      ) AS inWindow
    FROM messages AS m
    WHERE m.message_id IN (SELECT value FROM json_each(:ids))`,
}

/** New messages read into the catalogue at a time. */
const STRETCH = 10_000

type Extent = { readonly length: number }
type AddedRow = [
  messageId: number,
  conversationId: number,
  role: number,
  createdAtMs: number | null,
  tokens: number | null,
]
type HitData = Pick<HitRow, 'conversationId' | 'seq' | 'createdAtMs'> & {
  readonly row: number
  readonly role: Role
  readonly inWindow: number
}

/** Messages: their text, the arguments and results of tools, and reasoning. Rows are message numbers. */
export class MessageCorpus implements Corpus {
  readonly kind = 'message'
  readonly fields = ['content', 'tool_input', 'tool_output', 'reasoning'] as const
  readonly #index: () => TextIndex | null
  readonly #db: ReadDb
  readonly #histories: Pick<HistoryIndex, 'known'> | null
  #known: { readonly stamp: string; readonly catalogue: Catalogue } | null = null

  /** @param histories where messages that were read for other views are found */
  constructor(db: ReadDb, index: () => TextIndex | null, histories: Pick<HistoryIndex, 'known'> | null = null) {
    this.#db = db
    this.#histories = histories
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
    for (const [row, conversation, role, atMs, tokens] of this.#db.iterateRaw<AddedRow>(queries.excerpt, {
      ids: JSON.stringify(rows),
    })) {
      some.add(row, conversation, role, atMs, tokens ?? 0)
    }
    return some.build()
  }

  newestRow(): number {
    return this.#db.value<number>(queries.newest) ?? 0
  }

  async catalogue(slice: TimeSlice): Promise<Catalogue> {
    const stamp = changeStamp(this.#db)
    if (this.#known?.stamp === stamp) return this.#known.catalogue
    const catalogue = (await this.#extended(slice)) ?? (await this.#load(slice))
    this.#known = { stamp, catalogue }
    return catalogue
  }

  /** What was known, with what was appended since; null when something else happened. */
  async #extended(slice: TimeSlice): Promise<Catalogue | null> {
    const before = this.#known?.catalogue
    const extent = this.#db.get<Extent>(queries.extent)
    if (!before || !extent || extent.length < before.length) return null
    const all = new CatalogueBuilder(before, extent.length - before.length)
    let last = before.rows.at(-1) ?? Number.NEGATIVE_INFINITY
    for (let read = STRETCH; read === STRETCH; ) {
      read = 0
      for (const row of this.#db.iterateRaw<AddedRow>(queries.added, { last, limit: STRETCH })) {
        const [id, conversation, role, atMs, tokens] = row
        all.add(id, conversation, role, atMs, tokens ?? 0)
        last = nextKey(this.#db, 'the numbers of messages', last, id)
        read += 1
      }
      await slice.yieldIfOver()
    }
    if (all.length < extent.length) return null
    return all.length === before.length ? before : all.build()
  }

  async #load(slice: TimeSlice): Promise<Catalogue> {
    const all = new CatalogueBuilder(null, this.#db.get<Extent>(queries.extent)?.length ?? 0)
    for (const conversation of this.#db.column<number>(queries.conversations)) {
      const known = this.#histories?.known(conversation)
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
    const length = this.#db.value<number>(queries.length, { conversation }) ?? 0
    const columns = new GrowingMessages(length).begin(conversation)
    for (const _ of appendingNewer(this.#db, conversation, columns)) await slice.yieldIfOver()
    return columns.view()
  }

  holding(rows: readonly number[], text: string): number[] {
    return this.#db.column(queries.holding, { ids: JSON.stringify(rows), text })
  }

  liking(rows: readonly number[], pattern: string): number[] {
    const found = new Set(this.#db.column<number>(queries.liking, { ids: JSON.stringify(rows), pattern }))
    const ids = JSON.stringify(rows.filter((row) => !found.has(row)))
    return [...found, ...this.#db.column<number>(queries.likingInParts, { ids, pattern })]
  }

  texts(rows: readonly number[]): Map<number, Fields> {
    const ids = JSON.stringify(rows)
    const texts = new Map<number, string[][]>()
    for (const [row, content] of this.#db.iterateRaw<[number, string]>(queries.contents, { ids })) {
      texts.set(row, [[content], [], [], []])
    }
    const parts = this.#db.iterateRaw<[number, ...(string | null)[]]>(queries.partTexts, { ids })
    for (const [row, ...some] of parts) {
      some.forEach((text, field) => {
        if (text !== null) texts.get(row)?.[field + 1]?.push(text)
      })
    }
    return new Map(Array.from(texts, ([row, lists]) => [row, lists.map((list) => list.join('\n'))]))
  }

  hits(rows: readonly number[]): Map<number, HitRow> {
    return readSnapshot(this.#db, () => {
      const found = this.#db.all<HitData>(queries.hits, { ids: JSON.stringify(rows) })
      const covers = coversOfMessages(
        this.#db,
        found.map(({ row, conversationId }) => ({ id: row, conversationId })),
      )
      const conversations = new Set(found.map(({ conversationId }) => conversationId))
      const pruned = new Set(
        Array.from(conversations, (id) => readPruned(this.#db, id)).flatMap((outputs) =>
          outputs.map(({ messageId }) => messageId),
        ),
      )
      return new Map(
        found.map(({ row, role, inWindow, ...data }): [number, HitRow] => [
          row,
          {
            ...data,
            id: messageNodeId(row),
            kind: 'message',
            role: ROLES.includes(role) ? role : null,
            depth: null,
            ...coverOf(covers.get(row) ?? [], inWindow === 1 && !pruned.has(row)),
            ...(pruned.has(row) ? { isPruned: true } : {}),
          },
        ]),
      )
    })
  }
}
