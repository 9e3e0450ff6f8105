import { createHash } from 'node:crypto'
import { openNative } from '../../core/sqlite/native.ts'
import type { WriteDb } from '../../core/sqlite/read-db.ts'
import { Random } from '../builders/random.ts'

export type StrataMemorySpec = { readonly messages: number; readonly seed: number }

/** A summary, or a message as the ground of one: `first` and `last` count messages from 0, times are milliseconds. */
type Node = {
  readonly id: string
  readonly first: number
  readonly last: number
  readonly fromMs: number
  readonly toMs: number
  readonly stored: number
  readonly below: number
}

const START_MS = Date.UTC(2026, 1, 11, 6)
const TAIL = 64
const MOST_DEPTHS = 3
/** Seq of the messages that no summary covers, as a share of the history. */
const GAP_AT = 0.291

const queries = {
  conversation: `INSERT INTO conversations (conversation_id, session_id, title, created_at, updated_at)
    VALUES (1, 'strata', 'main · agent', :at, :at)`,
  message: `INSERT INTO messages (message_id, conversation_id, seq, role, token_count, created_at, external_id, content_hash, content)
    VALUES (:seq + 1, 1, :seq, :role, :tokens, :at, 'e' || :seq, :hash, :content)`,
  summary: `INSERT INTO summaries (summary_id, conversation_id, kind, depth, token_count, source_token_count, descendant_count,
      earliest_at, latest_at, created_at, level, summary_hash, content)
    VALUES (:id, 1, :kind, :depth, :tokens, :stored, :below, :fromMs, :toMs, :at, :level, :hash, :content)`,
  ground: `INSERT INTO summary_messages (summary_id, message_id, ordinal) VALUES (:id, :message, :ordinal)`,
  source: `INSERT INTO summary_sources (summary_id, source_summary_id, ordinal) VALUES (:id, :source, :ordinal)`,
  item: `INSERT INTO context_items (conversation_id, ordinal, item_type, message_id, summary_id, created_at)
    VALUES (1, :ordinal, :type, :message, :summary, :at)`,
  run: `INSERT INTO compaction_runs (run_id, conversation_id, reason, mode, summarizer, configuration, owner, started_at, finished_at, tokens_before)
    VALUES (:id, 1, 'threshold', 'full', 'deterministic', '{}', 'test', :at, :at, 150000)`,
}

/**
 * Writes a conversation that has been compacted again and again: leaves of some forty messages, condensed nodes over
 * four to nine sources, the newest of each depth in the window, and a gap of three messages that nothing covers. It has
 * little text: this is for drawing.
 */
export function writeStrataMemory(path: string, { messages, seed }: StrataMemorySpec): void {
  const db = openNative(path)
  const random = new Random(seed)
  try {
    db.transaction(() => {
      db.run(queries.conversation, { at: START_MS })
      const ground = writeMessages(db, random, messages)
      let open = writeLevel(db, random, ground.slice(0, messages - TAIL), 0)
      const window: Node[] = []
      for (let depth = 1; depth <= MOST_DEPTHS; depth++) {
        const kept = Math.min(open.length, random.int(4, 12))
        window.unshift(...open.slice(open.length - kept))
        open = writeLevel(db, random, open.slice(0, open.length - kept), depth)
      }
      writeWindow(db, [...open, ...window], ground.slice(messages - TAIL))
      for (let run = 0; run < 24; run++)
        db.run(queries.run, { id: `run_${run}`, at: ground[Math.floor(((run + 1) / 26) * messages)]?.toMs ?? START_MS })
    })
  } finally {
    db.close()
  }
}

function writeMessages(db: WriteDb, random: Random, count: number): Node[] {
  let at = START_MS
  const perWeek = (7 * 86_400_000) / count
  return Array.from({ length: count }, (_, seq) => {
    at += Math.round(perWeek * random.next() * 2)
    const role = random.pick(['user', 'assistant', 'assistant', 'tool', 'tool'])
    const tokens = role === 'user' ? random.int(8, 120) : Math.round(20 * 1.5 ** (random.next() ** 2 * 14))
    const content = `${role} ${seq}: ${random.pick(['the token refresh', 'a stale lease', 'the retry queue'])}`
    db.run(queries.message, { seq, role, tokens, at, hash: hashOf(content), content })
    return { id: `msg_${seq + 1}`, first: seq, last: seq, fromMs: at, toMs: at, stored: tokens, below: -1 }
  })
}

/** Groups neighbours under one node each, and writes those. */
function writeLevel(db: WriteDb, random: Random, sources: readonly Node[], depth: number): Node[] {
  const gap = Math.floor(sources.length * GAP_AT)
  const nodes: Node[] = []
  for (let from = 0; from < sources.length; ) {
    const wanted = depth === 0 ? random.int(20, 60) : random.int(4, 10)
    const isBeforeGap = depth === 0 && from < gap && from + wanted >= gap
    const group = sources.slice(from, isBeforeGap ? gap : from + wanted)
    from += group.length + (isBeforeGap ? 3 : 0)
    if (group.length > 0) nodes.push(writeSummary(db, random, group, depth))
  }
  return nodes
}

function writeSummary(db: WriteDb, random: Random, sources: readonly Node[], depth: number): Node {
  const [first, last] = [sources[0], sources.at(-1)]
  if (first === undefined || last === undefined) throw new Error('a summary of nothing')
  const hash = hashOf(`${depth} ${first.first} ${last.last}`)
  const id = `sum_${hash.slice(0, 16)}`
  const stored = sources.reduce((sum, source) => sum + source.stored, 0)
  const below = sources.reduce((sum, source) => sum + source.below + 1, 0)
  db.run(queries.summary, {
    id,
    kind: depth === 0 ? 'leaf' : 'condensed',
    depth,
    tokens: Math.max(60, Math.round((stored / (4 + 8 * random.next())) * 0.6 ** depth)),
    stored,
    below,
    fromMs: first.fromMs,
    toMs: last.toMs,
    at: last.toMs + 60_000,
    level: random.chance(0.9) ? 'normal' : random.chance(0.7) ? 'aggressive' : 'deterministic',
    hash,
    content: `Messages ${first.first} to ${last.last}.`,
  })
  sources.forEach((source, ordinal) => {
    if (depth === 0) db.run(queries.ground, { id, message: source.first + 1, ordinal })
    else db.run(queries.source, { id, source: source.id, ordinal })
  })
  return { id, first: first.first, last: last.last, fromMs: first.fromMs, toMs: last.toMs, stored, below }
}

function writeWindow(db: WriteDb, summaries: readonly Node[], tail: readonly Node[]): void {
  const at = START_MS
  summaries.forEach((node, ordinal) => {
    db.run(queries.item, { ordinal, type: 'summary', message: null, summary: node.id, at })
  })
  tail.forEach((node, order) => {
    const ordinal = summaries.length + order
    db.run(queries.item, { ordinal, type: 'message', message: node.first + 1, summary: null, at })
  })
}

const hashOf = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex')
