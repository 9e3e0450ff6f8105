import { join } from 'node:path'
import type { Preset } from '#core/contract/settings.ts'
import { setIn } from '../places.ts'
import { isBehindDeeper, type KnownException } from '../rules/known-exceptions.ts'
import { type Finding, oncePerScan, type ScanContext } from '../rules/scanned-memory.ts'
import { count, text, type ValueRule } from '../rules/value-rules.ts'
import type { OwnSettings } from '../system.ts'
import {
  indexOfMessages,
  indexTrigger,
  jsonByRow,
  type MissingEnd,
  type OwnIndex,
  type SystemFacts,
  usualFacts,
} from '../system-facts.ts'
import { payloadsBeside } from './stored-payloads.ts'

const queries = {
  unreadable: /* sql */ `
    SELECT CAST(node_id AS TEXT) FROM main.summary_nodes
    WHERE CASE WHEN json_valid(source_ids) THEN json_type(source_ids) <> 'array' ELSE 1 END
      OR source_type NOT IN ('messages', 'nodes') OR source_type IS NULL`,
  oddKinds: /* sql */ `
    SELECT s.summary_id AS id, s.conversation_id AS conversationId,
      'made from "' || substr(coalesce(n.source_type, ''), 1, 40) || '", which is no kind of source' AS detail
    FROM main.summary_nodes AS n
    JOIN temp.summaries AS s ON s.summary_rowid = n.node_id
    WHERE (n.source_type IS NULL OR n.source_type NOT IN ('messages', 'nodes'))
      AND (:conversation IS NULL OR s.conversation_id = :conversation)`,
  /** Nodes that were made before their session began: they moved over from the one before it. */
  carried: /* sql */ `
    SELECT CAST(n.node_id AS TEXT) FROM main.summary_nodes AS n
    WHERE NOT coalesce(n.latest_at >= (SELECT min(m.timestamp) FROM main.messages AS m WHERE m.session_id = n.session_id), 0)`,
  /** Conversations without a current session: their last one is over. */
  idle: /* sql */ `
    SELECT c.conversation_id
    FROM temp.hermes_conversations AS c JOIN main.lcm_lifecycle_state AS l ON l.conversation_id = c.key
    WHERE l.current_session_id IS NULL`,
  /** Messages and nodes of sessions that are over. */
  endedMessages: /* sql */ `
    SELECT h.message_id
    FROM temp.hermes_messages AS h
    JOIN temp.hermes_conversations AS c ON c.conversation_id = h.conversation_id
    JOIN main.messages AS m ON m.store_id = h.message_id
    WHERE m.session_id <> c.window_session OR c.conversation_id IN (SELECT value FROM json_each(:idle))`,
  endedNodes: /* sql */ `
    SELECT n.summary_id
    FROM temp.hermes_nodes AS n
    JOIN temp.hermes_conversations AS c ON c.conversation_id = n.conversation_id
    WHERE n.session_id <> c.window_session`,
  sessions: /* sql */ `SELECT count(DISTINCT session_id) FROM main.messages`,
  rollovers: /* sql */ `SELECT count(*) FROM main.lcm_lifecycle_state WHERE last_rollover_at IS NOT NULL`,
  lastNode: /* sql */ `SELECT seq FROM main.sqlite_sequence WHERE name = 'summary_nodes'`,
}

/** Depth from which on nodes outlive their session by the default rule of retention; another can be chosen. */
const KEPT_DEPTH = 2

const retentionOf = oncePerScan(({ db, probe }: ScanContext) => {
  const count = (sql: string): number => db.value<number>(sql) ?? 0
  const hasRollovers = probe.has('lcm_lifecycle_state', 'last_rollover_at') && count(queries.rollovers) > 0
  return {
    hasRolledOver: hasRollovers || count(queries.sessions) > 1,
    lastNode: count(queries.lastNode),
    unreadable: new Set(db.column<string>(queries.unreadable)),
    carried: new Set(probe.has('summary_nodes', 'latest_at') ? db.column<string>(queries.carried) : []),
  }
})

/** The window is that of one session. What was said in those before it, and what was made of it, is in none any more. */
const endedOf = oncePerScan((context: ScanContext) => {
  const { db, probe } = context
  const knowsIdle = retentionOf(context).hasRolledOver && probe.has('lcm_lifecycle_state', 'current_session_id')
  const idle = JSON.stringify(knowsIdle ? db.column<number>(queries.idle) : [])
  return {
    messages: new Set(db.column<number>(queries.endedMessages, { idle })),
    nodes: new Set(db.column<string>(queries.endedNodes)),
  }
})

/** What is true of files of hermes-lcm and LCM-X. */
export const facts: SystemFacts = {
  ...usualFacts,
  storedNumbers: ['sourceTokens', 'ranges'],
  payloads: payloadsBeside,
  jsonColumns: [
    jsonByRow('summary_nodes', 'source_ids', 'summary', 'array'),
    jsonByRow('messages', 'tool_calls', 'message', 'any'),
  ],
  triggers: [
    ...['insert', 'update', 'delete'].map((on) => indexTrigger(`msg_fts_${on}`, ['messages_fts'])),
    ...['insert', 'delete'].map((on) => indexTrigger(`nodes_fts_${on}`, ['nodes_fts'])),
  ],
  /** When a session follows another, shallow nodes of the old one are deleted: what was made of them stays. */
  isPruned: (context: ScanContext, { summary, sourceId }: MissingEnd): boolean => {
    if (summary < 0 || !/^\d+$/.test(sourceId)) return false
    const { hasRolledOver, lastNode, carried } = retentionOf(context)
    const { id, depth } = context.memory.summaries.at(summary)
    return hasRolledOver && (depth >= KEPT_DEPTH || carried.has(id)) && Number(sourceId) <= lastNode
  },
  isUncoveredByDesign: (context: ScanContext, message: number): boolean =>
    endedOf(context).messages.has(context.memory.messages.ids[message] as number),
  isOrphanByDesign: (context: ScanContext, summary: number): boolean =>
    endedOf(context).nodes.has(context.memory.summaries.at(summary).id),
  isUnreadableLineage: (context: ScanContext, summaryId: string): boolean =>
    retentionOf(context).unreadable.has(summaryId),
  oddKinds: (context: ScanContext): Iterable<Finding> =>
    context.db.iterate<Finding>(queries.oddKinds, { conversation: context.conversationId }),
}

export const valueRules: readonly ValueRule[] = [
  count('summary_nodes', 'depth', 'its depth is'),
  count('summary_nodes', 'token_count', 'its number of tokens is'),
  text('summary_nodes', 'summary', 'its text is'),
  text('messages', 'role', 'its role is'),
  count('messages', 'token_estimate', 'its number of tokens is'),
]

export const ownIndexes: readonly OwnIndex[] = [
  indexOfMessages('t.store_id', 't.content'),
  {
    name: 'nodes_fts',
    of: 'summary_nodes',
    rowid: 't.node_id',
    text: 't.summary',
    node: '(SELECT s.summary_id FROM temp.summaries AS s WHERE s.summary_rowid = t.node_id)',
    conversation: '(SELECT s.conversation_id FROM temp.summaries AS s WHERE s.summary_rowid = t.node_id)',
  },
]

/** One more than a quarter of the code points. */
export function countTokens(of: string): number {
  let codePoints = of.length
  for (let index = 0; index < of.length; index += 1) if ((of.charCodeAt(index) & 0xfc00) === 0xdc00) codePoints -= 1
  return Math.floor(codePoints / 4) + 1
}

/** More than its messages went into a leaf, so the stored number may be too large, and is never too small. */
function isMoreThanMessages({ memory }: ScanContext, { id }: Finding): boolean {
  const index = memory.summaries.nodeOf(id ?? '')
  if (index < 0) return false
  const { kind, recordedTokens } = memory.summaries.at(index)
  return kind === 'leaf' && (recordedTokens ?? 0) > (memory.extents.messageTokens[index] as number)
}

/** Where a place is the number of the message in the whole file: all that are missing are of other conversations. */
function isTakenElsewhere({ memory: { messages } }: ScanContext, { id }: Finding): boolean {
  const place = messages.positionOf(Number(id?.slice('msg_'.length)))
  if (place < 1) return false
  for (let seq = (messages.seqs[place - 1] as number) + 1; seq < (messages.seqs[place] as number); seq += 1) {
    if (messages.positionOf(seq) < 0) return false
  }
  return true
}

const hermesPruned = (label: string): string =>
  `${label} deletes the shallow summaries of a session that has ended and keeps the deeper ones that were made of them. Those stand; they cannot be expanded to the end.`

const hermesEnded = (label: string): string =>
  `${label} shows the current session alone, with the deep summaries of those before it. What was said in a session that has ended is kept, and is not shown any more.`

export const knownExceptions: readonly KnownException[] = [
  {
    rule: 'descendant_count',
    why: (label) =>
      `${label} sends the summaries before the messages of a first summary along with them, and counts them among its sources. The number is larger than that of the messages, and right.`,
    matches: isMoreThanMessages,
  },
  {
    rule: 'sequence_gap',
    why: (label) =>
      `${label} numbers the messages of all its sessions in one row. The numbers between are of other conversations; none is missing.`,
    matches: isTakenElsewhere,
  },
  { rule: 'coverage_gap', why: hermesEnded },
  { rule: 'orphan_summary', why: hermesEnded },
  { rule: 'dangling_edge', why: hermesPruned },
  { rule: 'foreign_keys', why: hermesPruned },
  {
    rule: 'context_order',
    why: (label) =>
      `${label} sends its system message first, then the summaries, the deepest first, whatever time they are of. The copy keeps the order that the model saw.`,
    matches: isBehindDeeper,
  },
  {
    rule: 'fresh_tail_compacted',
    why: (label) =>
      `${label} shows the messages behind the one up to which it has compacted, and it had compacted them all. The next message is in the window again.`,
  },
]

/** Its defaults, from its code and documentation. */
export const preset: Preset = {
  name: 'hermes-lcm',
  label: 'hermes-lcm',
  settings: {
    softThreshold: 0.75,
    freshTailCount: 64,
    leafChunkTokens: 20_000,
    condensedMinFanout: 4,
    maxDepth: 1,
    maxActiveMessages: 0,
  },
  note: 'The budget is the window of the model in use, and the length of a summary follows that of its sources: both are as configured here. Every message counts 4 tokens and every tool call 3 more than its text. LCM-X compacts from 0.35 on, keeps 32 messages and condenses to depth 3.',
}

export const ownSettings: OwnSettings = {
  files: ({ home, env }) => [join(setIn(env, 'HERMES_HOME') ?? join(home, '.hermes'), 'config.yaml')],
  format: 'yaml',
  sections: [
    {
      at: ['lcm'],
      names: {
        context_threshold: 'LCM_CONTEXT_THRESHOLD',
        fresh_tail_count: 'LCM_FRESH_TAIL_COUNT',
        leaf_chunk_tokens: 'LCM_LEAF_CHUNK_TOKENS',
        condensation_fanin: 'LCM_CONDENSED_MIN_FANOUT',
        incremental_max_depth: 'LCM_MAX_DEPTH',
      },
    },
    // What its host goes by where the engine names no threshold.
    { at: ['compression'], names: { threshold: 'LCM_CONTEXT_THRESHOLD' } },
  ],
}
