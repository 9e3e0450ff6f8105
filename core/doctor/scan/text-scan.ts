import type { SqlValue } from '#core/sqlite/read-db.ts'
import { everyMessageText, everySummaryText } from '#core/systems/reading/texts.ts'
import type { Inspector, Rule, RuleContext, TextRow } from '#core/systems/rules/rule.ts'
import type { Finding } from '#core/systems/rules/scanned-memory.ts'

/** What one rule finds in one text. */
export type TextFinding = { readonly rule: Rule; readonly finding: Finding }

type TextRule = { readonly rule: Rule; readonly inspect: Inspector }

/** Reads every text once and asks all rules about it; null after every text, so that the reader can yield. */
export function* scanTexts(context: RuleContext, rules: readonly Rule[]): Generator<TextFinding | null> {
  const ofMessages = askedOf(rules, (rule) => rule.messageTexts?.(context))
  const ofSummaries = askedOf(rules, (rule) => rule.summaryTexts?.(context))
  // Messages come first, because rules about a summary need the hashes of its messages.
  if (ofMessages.length > 0) yield* messages(context, ofMessages)
  if (ofSummaries.length > 0) yield* summaries(context, ofSummaries)
}

function askedOf(rules: readonly Rule[], inspectorOf: (rule: Rule) => Inspector | null | undefined): TextRule[] {
  return rules.flatMap((rule) => {
    const inspect = inspectorOf(rule)
    return inspect ? [{ rule, inspect }] : []
  })
}

function* messages(context: RuleContext, asked: readonly TextRule[]): Generator<TextFinding | null> {
  const { db, system, memory, probe, conversationId } = context
  const hasHash = system.facts.messageHash !== null && probe.has(...system.facts.messageHash.column)
  const hashSql = hasHash ? (system.facts.messageHash?.sql ?? null) : null
  const rows = everyMessageText(db, conversationId, hashSql)
  for (const [id, conversation, kind, tokens, hash, stored] of rows) {
    const content = asText(stored)
    const position = memory.messages.positionOf(id)
    const text = { id: `msg_${id}`, conversationId: conversation, position, tokens, hash, content, kind, model: null }
    for (const found of ask(asked, text)) yield found
    yield null
  }
}

function* summaries(context: RuleContext, asked: readonly TextRule[]): Generator<TextFinding | null> {
  const { db, memory, conversationId } = context
  for (const [id, conversation, kind, tokens, model, stored] of everySummaryText(db, conversationId)) {
    const content = asText(stored)
    const position = memory.summaries.nodeOf(id)
    // This summary was written after the memory was read.
    if (position < 0) continue
    const text = { id, conversationId: conversation, position, tokens, hash: null, content, kind, model }
    for (const found of ask(asked, text)) yield found
    yield null
  }
}

/** A damaged file may hold another value in the place of a text, which has a check of its own (`invalid_value`). */
const asText = (stored: SqlValue): string | null =>
  stored === null || typeof stored === 'string' ? stored : String(stored)

const NOTHING: readonly TextFinding[] = []

function ask(asked: readonly TextRule[], row: TextRow): readonly TextFinding[] {
  let found: TextFinding[] | null = null
  for (const { rule, inspect } of asked) {
    const detail = inspect(row)
    if (detail === null) continue
    found ??= []
    found.push({ rule, finding: { id: row.id, conversationId: row.conversationId, detail } })
  }
  return found ?? NOTHING
}
