import { sha256 } from '../../hashing.ts'
import { type CountedPart, countMessageTokens } from '../../ingest/message-tokens.ts'
import { isNative } from '../../systems/native/native.ts'
import { messageNumber } from '../../systems/node-id.ts'
import type { Finding } from '../../systems/scanned-memory.ts'
import { oncePerScan } from '../../systems/scanned-memory.ts'
import type { TokenRule } from '../../systems/system-facts.ts'
import { recount, rehash } from '../repair/numbers.ts'
import { type Fix, type FixContext, isIn, namedSummaries, plural } from './fix.ts'
import { failureOf } from './markers.ts'
import { type MessageOf, rareMessages, withoutPlainEnd } from './rare-messages.ts'
import { restoreLinks } from './restored-links.ts'
import { rewritingFailed } from './rewriting.ts'
import type { Inspector, Rule, RuleContext } from './rule.ts'

const queries = {
  summaryTexts: /* sql */ `
    SELECT summary_id AS id, content FROM summaries WHERE summary_id IN (SELECT value FROM json_each(:ids))`,
  messageTexts: /* sql */ `
    SELECT message_id AS id, content FROM messages WHERE message_id IN (SELECT value FROM json_each(:ids))`,
  toolParts: /* sql */ `
    SELECT message_id AS id, tool_name AS toolName, tool_input AS toolInput, tool_output AS toolOutput,
      tool_error AS toolError
    FROM message_parts
    WHERE message_id IN (SELECT value FROM json_each(:ids)) AND part_type = 'tool' AND is_synthetic = 0`,
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

const rulesOf = ({ system, estimator }: RuleContext): readonly TokenRule[] => [
  ...system.tokenRules,
  (text) => estimator.count(text),
]

function boundsOf(rules: readonly TokenRule[], text: string): Bounds {
  const counts = rules.map((rule) => rule(text))
  return { least: Math.min(...counts), most: Math.max(...counts) }
}

function messageDrift(context: RuleContext): Inspector {
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

function summaryDrift(context: RuleContext): Inspector {
  const rules = rulesOf(context)
  return ({ tokens, content }) => {
    if (content === null || tokens === null || !(tokens >= 0)) return null
    const bounds = boundsOf(rules, content)
    if (tokens === 0) return bounds.least > 0 ? `0 tokens for a text of about ${bounds.least}` : null
    return isFar(tokens, bounds) ? `${tokens} tokens for a text of about ${bounds.least}` : null
  }
}

function messageHash({ system }: RuleContext): Inspector {
  const { messageHash } = system.facts
  return (row) => {
    if (!messageHash || row.content === null) return null
    // Rows of releases before the hash have none; one that lacks it among others is another matter.
    if (row.hash === null) return null
    return messageHash.of(row) === row.hash ? null : 'the text is not the one that was stored: its hash differs'
  }
}

function* findWithoutHash(context: RuleContext): Iterable<Finding | null> {
  const { db, system, facts } = context
  const sql = queries.withoutHash(system.facts.messageHash?.column[1] ?? 'NULL')
  function* rows(): Generator<MessageOf | null> {
    for (const { conversationId } of facts.messages.ranges) {
      yield* db.iterate<MessageOf>(sql, { conversation: conversationId })
      yield null
    }
  }
  for (const few of rareMessages(context, rows())) {
    for (const id of few ? withoutPlainEnd(context, few) : []) {
      const detail = 'has no hash, unlike the other messages of its conversation'
      yield { id: `msg_${id}`, conversationId: few?.conversationId ?? null, detail }
    }
    yield null
  }
}

const HASH_BYTES = 32

/** Hashes of messages by their places, 32 bytes each: as texts a million would take ten times as much. */
const messageHashes = oncePerScan(({ facts }: RuleContext) => Buffer.alloc(facts.messages.length * HASH_BYTES))

function keepHash(context: RuleContext): Inspector {
  const hashes = messageHashes(context)
  return ({ place, hash }) => {
    if (place >= 0 && hash !== null) hashes.write(hash, place * HASH_BYTES, HASH_BYTES, 'hex')
    return null
  }
}

/** SHA-256 of the sources' hashes joined by commas, a bar, and the text. */
function summaryHash(context: RuleContext): Inspector {
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
    const hash = sha256(`${[...own, ...sources].join(',')}|${content}`)
    return hash === ofSummary.get(summaries.at(place).id)
      ? null
      : 'its text or its sources are not those that it was stored with'
  }
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
    const { model } = context
    const named = namedSummaries(context)
    const before = new Map(model.summaries)
    rehash(model, new Set(named))
    const nodes = [...before].filter(([id, was]) => model.summaries.get(id) !== was).map(([id]) => id)
    if (nodes.length === 0) return
    const isCertain = nodes.every((id) => idSays(model.summaries.get(id)?.hash ?? '', id))
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

const setTokens: Fix = {
  name: 'token_drift',
  stage: 'tokens',
  reads: ['tokens', 'text', 'summaries'],
  *apply(context) {
    const { model, estimator, db } = context
    const findings = context.findings.flatMap(({ id }) => id ?? [])
    const summaries = findings.filter((id) => model.summaries.has(id))
    const messages = findings.flatMap((id) => messageNumber(id) ?? []).filter((id) => model.messages.has(id))
    for (const row of db.all<{ id: string; content: string }>(queries.summaryTexts, {
      ids: JSON.stringify(summaries),
    })) {
      model.set(row.id, { tokens: estimator.count(model.summaries.get(row.id)?.content ?? row.content) })
    }
    for (const [id, tokens] of countMessages(context, messages)) model.setMessageTokens(id, tokens)
    const above = new Set(messages)
    const dependents = [...model.summaries.keys()].filter((id) =>
      model.messageLinks(id).some(({ to }) => above.has(to)),
    )
    if (dependents.length > 0) recount(model, isIn(context), ['sourceTokens'])
    if (summaries.length + messages.length === 0) return
    yield {
      title: `Count the tokens of ${plural(summaries.length + messages.length, 'text')} again`,
      rule: 'Token counts are estimates; no text changes. Sums of dependents follow.',
      risk: 'safe',
      nodes: findings,
    }
  },
}

function* countMessages({ db, estimator }: FixContext, wanted: readonly number[]): Iterable<[number, number]> {
  const ids = JSON.stringify(wanted)
  type Part = {
    id: number
    toolName: string | null
    toolInput: string | null
    toolOutput: string | null
    toolError: string | null
  }
  const parts = Map.groupBy(db.all<Part>(queries.toolParts, { ids }), (part) => part.id)
  for (const { id, content } of db.all<{ id: number; content: string }>(queries.messageTexts, { ids })) {
    const own = (parts.get(id) ?? []).map((part) => ({ type: 'tool' as const, ...part }))
    yield [id, countMessageTokens(estimator, content, own)]
  }
}

export const textRules = [
  {
    id: 'content_hash',
    // All messages are compared as a whole while a repair is written.
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
      'fallback_summary',
      'truncated_summary',
      'token_drift',
    ],
    notApplicable: ({ info }) =>
      isNative(info) ? null : `${info.systemLabel} does not record a hash of every summary.`,
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
    fixes: [setTokens],
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
    fixes: [rewritingFailed('empty_summary', 'it says nothing')],
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
    fixes: [rewritingFailed('fallback_summary', 'a failed summarisation stands in its place')],
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
    fixes: [rewritingFailed('truncated_summary', 'its text was cut off')],
    consequenceOf: ['fallback_summary'],
    summaryTexts:
      () =>
      ({ content, model }) => {
        const failure = failureOf(content ?? '', model)
        return failure?.isCut ? failure.detail : null
      },
  },
] as const satisfies readonly Rule[]
