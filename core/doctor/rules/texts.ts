import { createHash } from 'node:crypto'
import { type CountedPart, countMessageTokens } from '../../ingest/message-tokens.ts'
import { oncePerScan } from '../../systems/scanned-memory.ts'
import type { TokenRule } from '../../systems/system-facts.ts'
import { beforePlainEnd, exceptionsAmong, type MessageOf } from './exceptions.ts'
import { failureOf } from './markers.ts'
import type { Check, CheckContext, Finding, Inspector } from './rule.ts'

const queries = {
  parts: /* sql */ `
    SELECT part_type AS type, text_content AS text, tool_name AS toolName, tool_input AS toolInput,
      tool_output AS toolOutput, tool_error AS toolError, is_synthetic AS isSynthetic, metadata
    FROM message_parts
    WHERE message_id = :message
    ORDER BY ordinal`,
  /** Those before the first with a hash are of a release before it. The column is a system's, never of the file. */
  withoutHash: (column: string) => /* sql */ `
    SELECT message_id AS messageId, conversation_id AS conversationId
    FROM main.messages
    WHERE conversation_id = :conversation AND ${column} IS NULL AND seq > (
      SELECT n.seq FROM main.messages AS n
      WHERE n.conversation_id = :conversation AND n.${column} IS NOT NULL ORDER BY n.seq LIMIT 1)
    ORDER BY message_id`,
  summaryHashes: /* sql */ `SELECT summary_id, summary_hash FROM summaries`,
  messageHash: /* sql */ `SELECT content_hash FROM main.messages WHERE message_id = CAST(:id AS INTEGER)`,
}

type PartRow = Omit<CountedPart, 'isSynthetic'> & { readonly isSynthetic: number; readonly metadata: string | null }

/** Beyond these a stored number cannot come from counting the text by any rule known. */
const FACTOR = 3
const SLACK = 48

type Bounds = { readonly least: number; readonly most: number }
const isFar = (tokens: number, { least, most }: Bounds): boolean =>
  tokens > most * FACTOR + SLACK || (tokens + SLACK) * FACTOR < least

const rulesOf = ({ system, estimator }: CheckContext): readonly TokenRule[] => [
  ...system.tokenRules,
  (text) => estimator.count(text),
]

function boundsOf(rules: readonly TokenRule[], text: string): Bounds {
  const counts = rules.map((rule) => rule(text))
  return { least: Math.min(...counts), most: Math.max(...counts) }
}

function messageDrift(context: CheckContext): Inspector {
  const rules = rulesOf(context)
  return ({ place, tokens, content }) => {
    if (content === null || tokens === null || !(tokens >= 0)) return null
    const own = boundsOf(rules, content)
    if (tokens > 0 && !isFar(tokens, own)) return null
    // Calls and their arguments count as well, and some systems count reasoning and the wrapping.
    const parts = context.db.all<PartRow>(queries.parts, { message: context.facts.messages.ids[place] as number })
    const counted = parts.map((part) => ({ ...part, isSynthetic: part.isSynthetic === 1 }))
    const least = Math.min(...rules.map((count) => countMessageTokens({ name: 'heuristic', count }, content, counted)))
    const all = parts.reduce(
      (sum, part) =>
        sum +
        boundsOf(rules, `${part.text ?? ''}${part.toolInput ?? ''}${part.toolOutput ?? ''}${part.metadata ?? ''}`).most,
      own.most,
    )
    if (tokens === 0) return least > 0 ? `0 tokens for a text of about ${least}` : null
    return isFar(tokens, { least, most: Math.max(all, least) }) ? `${tokens} tokens for a text of about ${least}` : null
  }
}

function summaryDrift(context: CheckContext): Inspector {
  const rules = rulesOf(context)
  return ({ tokens, content }) => {
    if (content === null || tokens === null || !(tokens >= 0)) return null
    const bounds = boundsOf(rules, content)
    if (tokens === 0) return bounds.least > 0 ? `0 tokens for a text of about ${bounds.least}` : null
    return isFar(tokens, bounds) ? `${tokens} tokens for a text of about ${bounds.least}` : null
  }
}

function messageHash({ dialect }: CheckContext): Inspector {
  const { messageHash } = dialect
  return (row) => {
    if (!messageHash || row.content === null) return null
    // Rows of releases before the hash have none; one that lacks it among others is another matter.
    if (row.hash === null) return null
    return messageHash.of(row) === row.hash ? null : 'the text is not the one that was stored: its hash differs'
  }
}

function* findWithoutHash(context: CheckContext): Iterable<Finding | null> {
  const { db, dialect, facts } = context
  const sql = queries.withoutHash(dialect.messageHash?.column[1] ?? 'NULL')
  function* rows(): Generator<MessageOf | null> {
    for (const { conversationId } of facts.messages.ranges) {
      yield* db.iterate<MessageOf>(sql, { conversation: conversationId })
      yield null
    }
  }
  for (const few of exceptionsAmong(context, rows())) {
    for (const id of few ? beforePlainEnd(context, few) : []) {
      const detail = 'has no hash, unlike the other messages of its conversation'
      yield { id: `msg_${id}`, conversationId: few?.conversationId ?? null, detail }
    }
    yield null
  }
}

const HASH_BYTES = 32

/** Hashes of messages by their places, 32 bytes each: as texts a million would take ten times as much. */
const messageHashes = oncePerScan(({ facts }: CheckContext) => Buffer.alloc(facts.messages.length * HASH_BYTES))

function keepHash(context: CheckContext): Inspector {
  const hashes = messageHashes(context)
  return ({ place, hash }) => {
    if (place >= 0 && hash !== null) hashes.write(hash, place * HASH_BYTES, HASH_BYTES, 'hex')
    return null
  }
}

/** SHA-256 of the sources' hashes joined by commas, a bar, and the text. */
function summaryHash(context: CheckContext): Inspector {
  const { links, summaries, extents } = context.facts
  const ofSummary = new Map(context.db.iterateRaw<[string, string]>(queries.summaryHashes))
  const hashes = messageHashes(context)
  const { messages } = context.facts
  // Of other conversations than the one that was asked for, texts were not read.
  const ofMessage = (place: number): string =>
    context.conversationId === null || messages.conversationAt(place) === context.conversationId
      ? hashes.toString('hex', place * HASH_BYTES, (place + 1) * HASH_BYTES)
      : (context.db.value<string>(queries.messageHash, { id: messages.ids[place] ?? null }) ?? '')
  return ({ place, content }) => {
    if (content === null || extents.isWhole[place] === 0) return null
    const own = Array.from(links.messagesOf(place), ofMessage)
    const sources = (links.sources[place] ?? []).map((source) => ofSummary.get(summaries.at(source).id) ?? '')
    const hash = createHash('sha256')
      .update(`${[...own, ...sources].join(',')}|${content}`)
      .digest('hex')
    return hash === ofSummary.get(summaries.at(place).id)
      ? null
      : 'its text or its sources are not those that it was stored with'
  }
}

const noHash = ({ info, dialect, probe }: CheckContext): string | null =>
  dialect.messageHash && probe.has(...dialect.messageHash.column)
    ? null
    : `${info.systemLabel} does not record a hash of every message.`

export const textChecks: readonly Check[] = [
  {
    id: 'content_hash',
    group: 'content',
    severity: 'error',
    phase: 'text',
    invariant: 'The text of every message has the hash that was stored with it.',
    explanation:
      'The text of these messages, or the hash that is kept of it, was changed or taken away after they were stored. A system that recognises messages by it takes them for others.',
    repairable: false,
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
    repairable: true,
    consequenceOf: [
      'fresh_tail_compacted',
      'content_hash',
      'duplicate_edge',
      'double_coverage',
      'source_order',
      'cross_conversation_edge',
      'summary_without_source',
      'empty_summary',
      'fallback_summary',
      'truncated_summary',
      'token_drift',
    ],
    notApplicable: ({ info }) =>
      info.system === 'native' ? null : `${info.systemLabel} does not record a hash of every summary.`,
    messageTexts: keepHash,
    summaryTexts: summaryHash,
  },
  {
    id: 'token_drift',
    group: 'content',
    severity: 'warning',
    phase: 'text',
    invariant: 'The stored number of tokens is near what its system, or this one, counts in the text.',
    explanation:
      'Triggers and budgets are computed from these numbers: the window is fuller, or emptier, than everybody believes.',
    repairable: true,
    consequenceOf: ['empty_summary', 'content_hash', 'invalid_value'],
    messageTexts: messageDrift,
    summaryTexts: summaryDrift,
  },
  {
    id: 'empty_summary',
    group: 'content',
    severity: 'error',
    phase: 'text',
    invariant: 'Every summary says something.',
    explanation: 'An empty summary stands for history in the window: the model is told nothing of it.',
    repairable: true,
    summaryTexts:
      () =>
      ({ content, kind }) =>
        content !== null && content.trim() === '' ? `${kind} without text` : null,
  },
  {
    id: 'fallback_summary',
    group: 'content',
    severity: 'warning',
    phase: 'text',
    invariant: 'A summary is what a model made of its sources.',
    explanation:
      'The summariser failed and something else was stored in its place: a cut-off text, raw reasoning or a copy. What the model is told of this history is not a summary of it.',
    repairable: true,
    summaryTexts:
      () =>
      ({ content, model }) => {
        const failure = failureOf(content ?? '', model)
        return failure?.isFallback ? failure.detail : null
      },
  },
  {
    id: 'truncated_summary',
    group: 'content',
    severity: 'warning',
    phase: 'text',
    invariant: 'A summary is not cut off.',
    explanation: 'The text was cut to a length: whatever came after, or in the middle, is not told.',
    repairable: true,
    consequenceOf: ['fallback_summary'],
    summaryTexts:
      () =>
      ({ content, model }) => {
        const failure = failureOf(content ?? '', model)
        return failure?.isCut ? failure.detail : null
      },
  },
]
