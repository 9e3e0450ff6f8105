import { summaryHash } from '#core/memory/summary-hash.ts'
import { isNative } from '#core/systems/native/native.ts'
import { exactMessageId } from '#core/systems/reading/node-id.ts'
import { contentHashes } from '#core/systems/records/messages.ts'
import { summaryHashes } from '#core/systems/records/summaries.ts'
import { type Fix, namedSummaries } from '#core/systems/rules/fix.ts'
import type { Inspector, Rule, RuleContext } from '#core/systems/rules/rule.ts'
import type { Finding } from '#core/systems/rules/scanned-memory.ts'
import { oncePerScan } from '#core/systems/rules/scanned-memory.ts'
import { plural } from '#core/text.ts'
import { rehash } from '../repair/numbers.ts'
import { type MessageOf, rareMessages, withoutPlainEnd } from './rare-messages.ts'
import { restoreLinks } from './restored-links.ts'

const queries = {
  /** Messages before the first one with a hash are of an older release. The column is named by a system, never by the file. */
  withoutHash: (column: string) => /* sql */ `
    SELECT message_id AS messageId, conversation_id AS conversationId
    FROM main.messages
    WHERE conversation_id = :conversation AND ${column} IS NULL AND seq > (
      SELECT n.seq FROM main.messages AS n
      WHERE n.conversation_id = :conversation AND n.${column} IS NOT NULL ORDER BY n.seq LIMIT 1)
    ORDER BY message_id`,
}

function messageHash({ system }: RuleContext): Inspector {
  const { messageHash } = system.facts
  return (row) => {
    if (!messageHash || row.content === null) return null
    // Rows of older releases have no hash. A single row without one is found by `findWithoutHash`.
    if (row.hash === null) return null
    return messageHash.of(row) === row.hash ? null : 'the text is not the one that was stored: its hash differs'
  }
}

function* findWithoutHash(context: RuleContext): Iterable<Finding | null> {
  const { db, system, memory } = context
  const sql = queries.withoutHash(system.facts.messageHash?.column[1] ?? 'NULL')
  function* rows(): Generator<MessageOf | null> {
    for (const { conversationId } of memory.messages.ranges) {
      yield* db.iterate<MessageOf>(sql, { conversation: conversationId })
      yield null
    }
  }
  for (const few of rareMessages(context, rows())) {
    for (const id of few ? withoutPlainEnd(context, few) : []) {
      const detail = 'has no hash, unlike the other messages of its conversation'
      yield { id: exactMessageId(id), conversationId: few?.conversationId ?? null, detail }
    }
    yield null
  }
}

const HASH_BYTES = 32

/** Hashes of messages by position, 32 bytes each. Kept as texts, a million of them would take ten times as much. */
const messageHashes = oncePerScan(({ memory }: RuleContext) => Buffer.alloc(memory.messages.length * HASH_BYTES))

function keepHash(context: RuleContext): Inspector {
  const hashes = messageHashes(context)
  return ({ position, hash }) => {
    // A damaged file may hold another value in the place of a hash.
    if (position >= 0 && typeof hash === 'string') hashes.write(hash, position * HASH_BYTES, HASH_BYTES, 'hex')
    return null
  }
}

function compareHash(context: RuleContext): Inspector {
  const { links, summaries, extents } = context.memory
  const ofSummary = hashesNow(context)
  const hashes = messageHashes(context)
  const { messages } = context.memory
  // When one conversation was asked for, texts of others were not read.
  const ofMessage = (position: number): string =>
    context.conversationId === null || messages.conversationAt(position) === context.conversationId
      ? hashes.toString('hex', position * HASH_BYTES, (position + 1) * HASH_BYTES)
      : storedHash(context, position)
  return ({ position, content }) => {
    if (content === null || extents.isWhole[position] === 0) return null
    const own = Array.from(links.messagesOf(position), ofMessage)
    const sources = (links.sources[position] ?? []).map((source) => ofSummary(summaries.at(source).id) ?? '')
    return summaryHash([...own, ...sources], content) === ofSummary(summaries.at(position).id)
      ? null
      : 'its text or its sources are not those that it was stored with'
  }
}

/** Others may have written summaries since the memory was read. What differs from it is kept beside it. */
function hashesNow({ db, memory: { summaries } }: RuleContext): (id: string) => string | null | undefined {
  const inMemory = (id: string): string | null | undefined => summaries.rows[summaries.nodeOf(id)]?.hash
  const others = new Map<string, string | null>()
  for (const [id, hash] of summaryHashes(db)) if (hash !== inMemory(id)) others.set(id, hash)
  return (id) => (others.has(id) ? others.get(id) : inMemory(id))
}

function storedHash({ db, memory }: RuleContext, position: number): string {
  const id = memory.messages.ids[position]
  return (id === undefined ? null : contentHashes(db, [id]).get(id)) ?? ''
}

const noHash = ({ info, system, probe }: RuleContext): string | null =>
  system.facts.messageHash && probe.has(...system.facts.messageHash.column)
    ? null
    : `${info.systemLabel} does not record a hash of every message.`

const setHashes: Fix = {
  name: 'summary_hash',
  stage: 'hashes',
  reads: ['hash', 'edges', 'text', 'summaries'],
  *apply(context) {
    const { draft } = context
    const named = namedSummaries(context)
    const before = new Map(draft.summaries)
    rehash(draft, new Set(named))
    const nodes = [...before].filter(([id, was]) => draft.summaries.get(id) !== was).map(([id]) => id)
    if (nodes.length === 0) return
    const isCertain = nodes.every((id) => idSays(draft.summaries.get(id)?.hash ?? '', id))
    yield {
      title: `Compute the hash of ${plural(nodes.length, 'summary', 'summaries')} again`,
      rule: isCertain
        ? 'Their ids follow from sources and texts as they are: only the stored hashes were wrong. Hashes of dependents follow.'
        : 'Sources and texts are taken as they are. Hashes of dependents follow.',
      risk: isCertain ? 'safe' : 'rewrite',
      nodes,
      cannotRestore: isCertain
        ? null
        : 'If a text or a list of sources was changed since it was made, what it was before is not recorded.',
    }
  },
}

/** Our ids begin with the hash of what a summary was made from. */
const idSays = (hash: string, id: string): boolean => id === `sum_${hash.slice(0, 16)}`

export const hashRules = [
  {
    id: 'content_hash',
    // While a repair is written, all messages are compared with their backup anyway.
    isLeftOutOfCommit: () => true,
    group: 'content',
    severity: 'error',
    phase: 'text',
    invariant: 'The text of every message has the hash that was stored with it.',
    explanation:
      'The text of these messages, or the hash that is kept of it, was changed or taken away after they were stored. A system that recognises messages by it takes them for others.',
    advice:
      'Compare with the transcript or a backup. Messages are never changed by the app, not even to put them right.',
    cannotRestore: 'The text that was stored first is not in the file any more.',
    consequenceOf: ['invalid_value'],
    notApplicable: noHash,
    messageTexts: messageHash,
    find: findWithoutHash,
  },
  {
    id: 'summary_hash',
    group: 'content',
    severity: 'error',
    phase: 'text',
    invariant: 'The text and the sources of every summary have the hash that was stored with it.',
    explanation: 'These summaries, or what they were made from, were changed after they were stored.',
    fixes: [restoreLinks, setHashes],
    consequenceOf: [
      'fresh_tail_compacted',
      'content_hash',
      'duplicate_edge',
      'double_coverage',
      'source_order',
      'cross_conversation_edge',
      'summary_without_source',
      'empty_summary',
      'skeletal_summary',
      'fallback_summary',
      'truncated_summary',
      'token_drift',
    ],
    notApplicable: ({ info }) =>
      isNative(info) ? null : `${info.systemLabel} does not record a hash of every summary.`,
    messageTexts: keepHash,
    summaryTexts: compareHash,
  },
] as const satisfies readonly Rule[]
