import type { Check, CheckContext, Finding, Inspector, TextRow } from '../rules/rule.ts'

/** What one check finds in one text. */
export type TextFinding = { readonly check: Check; readonly finding: Finding }

type MessageRow = readonly [
  id: number,
  conversation: number,
  role: string,
  tokens: number | null,
  hash: string | null,
  content: string | null,
]
type SummaryRow = readonly [
  id: string,
  conversation: number,
  kind: string,
  tokens: number | null,
  model: string | null,
  content: string | null,
]

/** `hash` is the system's expression, never text of the file. */
const messagesSql = (hash: string): string => /* sql */ `
  SELECT m.message_id, m.conversation_id, m.role, m.token_count, ${hash}, m.content
  FROM messages AS m
  WHERE :conversation IS NULL OR m.conversation_id = :conversation`

const queries = {
  summaries: /* sql */ `
    SELECT s.summary_id, s.conversation_id, s.kind, s.token_count, s.model, s.content
    FROM summaries AS s
    WHERE :conversation IS NULL OR s.conversation_id = :conversation`,
}

type Asked = { readonly check: Check; readonly inspect: Inspector }

/** Reads every text once and asks all checks about it; null after every text, so that the reader may pause. */
export function* scanTexts(context: CheckContext, checks: readonly Check[]): Generator<TextFinding | null> {
  const ofMessages = askedOf(checks, (check) => check.messageTexts?.(context))
  const ofSummaries = askedOf(checks, (check) => check.summaryTexts?.(context))
  // Messages first: what a summary was made from is known then.
  if (ofMessages.length > 0) yield* messages(context, ofMessages)
  if (ofSummaries.length > 0) yield* summaries(context, ofSummaries)
}

function askedOf(checks: readonly Check[], inspectorOf: (check: Check) => Inspector | null | undefined): Asked[] {
  return checks.flatMap((check) => {
    const inspect = inspectorOf(check)
    return inspect ? [{ check, inspect }] : []
  })
}

function* messages(context: CheckContext, asked: readonly Asked[]): Generator<TextFinding | null> {
  const { db, dialect, facts, probe, conversationId } = context
  const hasHash = dialect.messageHash !== null && probe.has(...dialect.messageHash.column)
  const sql = messagesSql(hasHash ? (dialect.messageHash?.sql ?? 'NULL') : 'NULL')
  for (const row of db.iterateRaw<MessageRow & readonly never[]>(sql, { conversation: conversationId })) {
    const [id, conversation, kind, tokens, hash, content] = row as MessageRow
    const place = facts.messages.positionOf(id)
    const text = { id: `msg_${id}`, conversationId: conversation, place, tokens, hash, content, kind, model: null }
    for (const found of ask(asked, text)) yield found
    yield null
  }
}

function* summaries(context: CheckContext, asked: readonly Asked[]): Generator<TextFinding | null> {
  const { db, facts, conversationId } = context
  const sql = queries.summaries
  for (const row of db.iterateRaw<SummaryRow & readonly never[]>(sql, { conversation: conversationId })) {
    const [id, conversation, kind, tokens, model, content] = row as SummaryRow
    const place = facts.summaries.nodeOf(id)
    // Written since the facts were read.
    if (place < 0) continue
    const text = { id, conversationId: conversation, place, tokens, hash: null, content, kind, model }
    for (const found of ask(asked, text)) yield found
    yield null
  }
}

const NOTHING: readonly TextFinding[] = []

function ask(asked: readonly Asked[], row: TextRow): readonly TextFinding[] {
  let found: TextFinding[] | null = null
  for (const { check, inspect } of asked) {
    const detail = inspect(row)
    if (detail === null) continue
    found ??= []
    found.push({ check, finding: { id: row.id, conversationId: row.conversationId, detail } })
  }
  return found ?? NOTHING
}
