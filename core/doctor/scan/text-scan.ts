import type { Finding } from '../../systems/scanned-memory.ts'
import type { Inspector, Rule, RuleContext, TextRow } from '../rules/rule.ts'

/** What one rule finds in one text. */
export type TextFinding = { readonly rule: Rule; readonly finding: Finding }

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

type Asked = { readonly rule: Rule; readonly inspect: Inspector }

/** Reads every text once and asks all rules about it; null after every text, so that the reader may pause. */
export function* scanTexts(context: RuleContext, rules: readonly Rule[]): Generator<TextFinding | null> {
  const ofMessages = askedOf(rules, (rule) => rule.messageTexts?.(context))
  const ofSummaries = askedOf(rules, (rule) => rule.summaryTexts?.(context))
  // Messages first: what a summary was made from is known then.
  if (ofMessages.length > 0) yield* messages(context, ofMessages)
  if (ofSummaries.length > 0) yield* summaries(context, ofSummaries)
}

function askedOf(rules: readonly Rule[], inspectorOf: (rule: Rule) => Inspector | null | undefined): Asked[] {
  return rules.flatMap((rule) => {
    const inspect = inspectorOf(rule)
    return inspect ? [{ rule, inspect }] : []
  })
}

function* messages(context: RuleContext, asked: readonly Asked[]): Generator<TextFinding | null> {
  const { db, system, facts, probe, conversationId } = context
  const hasHash = system.facts.messageHash !== null && probe.has(...system.facts.messageHash.column)
  const sql = messagesSql(hasHash ? (system.facts.messageHash?.sql ?? 'NULL') : 'NULL')
  for (const row of db.iterateRaw<MessageRow & readonly never[]>(sql, { conversation: conversationId })) {
    const [id, conversation, kind, tokens, hash, content] = row as MessageRow
    const place = facts.messages.positionOf(id)
    const text = { id: `msg_${id}`, conversationId: conversation, place, tokens, hash, content, kind, model: null }
    for (const found of ask(asked, text)) yield found
    yield null
  }
}

function* summaries(context: RuleContext, asked: readonly Asked[]): Generator<TextFinding | null> {
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
  for (const { rule, inspect } of asked) {
    const detail = inspect(row)
    if (detail === null) continue
    found ??= []
    found.push({ rule, finding: { id: row.id, conversationId: row.conversationId, detail } })
  }
  return found ?? NOTHING
}
