import { createHash } from 'node:crypto'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { SqlParams, SqlValue } from '#core/sqlite/read-db.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { Random } from '#test/builders/random.ts'
import { FIXTURES } from '#test/sqlite/fixtures.ts'
import { changedCopy, WITHOUT_CONSTRAINTS } from '#test/systems/foreign-files.ts'

/** A sound memory of one form, and a way to damage it. */
export type World = {
  readonly form: 'native' | 'lossless-claw'
  readonly path: string
  readonly random: Random
  /** The names of the links between summaries. */
  readonly sources: { readonly table: string; readonly source: string }
  readonly rows: <T>(sql: string, params?: SqlParams) => T[]
  readonly damage: (sql: string, params?: SqlParams) => void
  readonly close: () => void
}

const WORDS = 'ledger cursor batch token refund quota policy lease shard receipt mandate voucher'.split(' ')

/** Two conversations with turns, tool calls, leaves over their beginnings and nodes above them. */
function grow(seed: number): TestMemory {
  const random = new Random(seed)
  const memory = buildMemory()
  for (let conversation = 0; conversation < 2; conversation += 1) {
    const id = memory.conversation()
    const messages = turns(memory, id, random)
    compact(memory, id, messages, random)
  }
  return memory
}

function sentence(random: Random): string {
  return Array.from({ length: random.int(14, 40) }, () => random.pick(WORDS)).join(' ')
}

function turns(memory: TestMemory, conversation: number, random: Random): number[] {
  const messages: number[] = []
  const length = random.int(18, 40)
  while (messages.length < length) {
    messages.push(memory.message(conversation, { role: 'user', content: sentence(random) }))
    const call = `call_${conversation}_${messages.length}`
    messages.push(
      memory.message(conversation, {
        role: 'assistant',
        content: sentence(random),
        parts: [
          { part_type: 'text', is_content: 1 },
          { part_type: 'tool', tool_call_id: call, tool_name: 'bash', tool_input: '{"command":"ls"}' },
        ],
      }),
      memory.message(conversation, {
        role: 'tool',
        content: sentence(random),
        parts: [{ part_type: 'tool', tool_call_id: call, tool_name: 'bash', is_content: 1 }],
      }),
      memory.message(conversation, { role: 'assistant', content: sentence(random) }),
    )
  }
  return messages
}

/** Leaves of whole turns, the last turn raw; then nodes of two or three, again and again. */
function compact(memory: TestMemory, conversation: number, messages: readonly number[], random: Random): void {
  let level: string[] = []
  const compacted = messages.length - 4
  for (let from = 0; from < compacted; ) {
    const to = Math.min(compacted, from + 4 * random.int(1, 3))
    const content = `Leaf ${conversation}.${from}: the ${random.pick(WORDS)}.`
    level.push(memory.leaf(conversation, messages.slice(from, to), { content }))
    from = to
  }
  while (level.length > 2) {
    const next: string[] = []
    while (level.length > 1) {
      const sources = level.splice(0, random.int(2, 4))
      const content = `Node ${sources.length}.${next.length}${random.int(0, 99)}`
      next.push(
        sources.length === 1 ? (sources[0] as string) : memory.condensed(conversation, sources, { content, tokens: 3 }),
      )
    }
    // What is left over stays in the window as it is.
    level = next.length > 1 ? next : []
  }
}

export function nativeWorld(seed: number): World {
  const memory = grow(seed)
  return {
    form: 'native',
    path: memory.path,
    random: new Random(seed + 1),
    sources: { table: 'summary_sources', source: 'source_summary_id' },
    rows: (sql, params) => memory.db.all(sql, params),
    damage: (sql, params) => memory.damage(sql, params),
    close: () => memory.close(),
  }
}

/** The same memory as lossless-claw would have written it. */
export function losslessWorld(seed: number): World {
  const memory = grow(seed)
  const path = changedCopy(join(FIXTURES, 'lossless-claw/legacy/v0.15.3.db'), (db) => translate(memory, db))
  memory.close()
  const db = new Database(path)
  db.exec(`${WITHOUT_CONSTRAINTS}; PRAGMA synchronous = OFF`)
  return {
    form: 'lossless-claw',
    path,
    random: new Random(seed + 1),
    sources: { table: 'summary_parents', source: 'parent_summary_id' },
    rows: (sql, params = {}) => db.prepare(sql).all(params) as never,
    damage: (sql, params = {}) => {
      db.prepare(sql).run(params)
    },
    close: () => {
      if (db.open) db.close()
    },
  }
}

const TRANSLATION = /* sql */ `
INSERT INTO conversations (conversation_id, session_id, session_key) SELECT conversation_id, session_id, session_id FROM n.conversations;
INSERT INTO messages (message_id, conversation_id, seq, role, content, token_count, identity_hash, created_at)
SELECT message_id, conversation_id, seq + 1, role, content, token_count, identity(role, content),
  strftime('%Y-%m-%d %H:%M:%S', created_at / 1000, 'unixepoch')
FROM n.messages;
INSERT INTO message_parts (part_id, message_id, session_id, part_type, ordinal, text_content, tool_call_id, tool_name, tool_input, metadata)
SELECT p.part_id, p.message_id, p.session_id, iif(m.role = 'tool', 'text', p.part_type), p.ordinal,
  iif(p.is_content, m.content, NULL), p.tool_call_id, p.tool_name, p.tool_input, '{"raw":{}}'
FROM n.message_parts AS p JOIN n.messages AS m ON m.message_id = p.message_id;
INSERT INTO summary_messages SELECT summary_id, message_id, ordinal FROM n.summary_messages;
INSERT INTO summary_parents SELECT summary_id, source_summary_id, ordinal FROM n.summary_sources;
INSERT INTO summaries (summary_id, conversation_id, kind, depth, content, token_count, earliest_at, latest_at, descendant_count,
  descendant_token_count, source_message_token_count)
SELECT summary_id, conversation_id, kind, depth, content, token_count,
  strftime('%Y-%m-%dT%H:%M:%fZ', earliest_at / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', latest_at / 1000.0, 'unixepoch'),
  descendant_count,
  (WITH RECURSIVE down (id) AS (
      SELECT source_summary_id FROM n.summary_sources WHERE summary_id = s.summary_id
      UNION ALL SELECT e.source_summary_id FROM down JOIN n.summary_sources AS e ON e.summary_id = down.id)
    SELECT coalesce(sum(o.token_count), 0) FROM down JOIN n.summaries AS o ON o.summary_id = down.id),
  source_token_count
FROM n.summaries AS s;
INSERT INTO context_items (conversation_id, ordinal, item_type, message_id, summary_id)
SELECT conversation_id, row_number() OVER (PARTITION BY conversation_id ORDER BY ordinal) - 1, item_type, message_id, summary_id
FROM n.context_items;
INSERT INTO messages_fts (rowid, content) SELECT message_id, content FROM messages;
INSERT INTO summaries_fts (summary_id, content) SELECT summary_id, content FROM summaries;
INSERT INTO summaries_fts_cjk (summary_id, content) SELECT summary_id, content FROM summaries;
`

function translate(memory: TestMemory, db: Database.Database): void {
  db.function('identity', (role, content) => identityOf(String(role), String(content)))
  db.exec('PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF')
  db.prepare('ATTACH :path AS n').run({ path: memory.path } satisfies Record<string, SqlValue>)
  db.exec(TRANSLATION)
  db.exec('DETACH n')
}

const identityOf = (role: string, content: string): string =>
  createHash('sha256').update(`${role}\0${content}`).digest('hex')
