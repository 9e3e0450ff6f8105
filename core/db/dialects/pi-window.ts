import type { PreparableDb } from '../uri-db.ts'

/** What pi-lcm puts before the messages may take this many tokens; its default, since the file does not say. */
const BUDGET_TOKENS = 8000
/** It counts 3.5 characters a token, and this much for the heading of each summary. */
const CHARS_PER_TOKEN = 3.5
const HEADING_TOKENS = { leaf: 30, condensed: 20 }
const TITLE = '## Conversation History (Lossless Context Management)'

const queries = {
  /** The newest summary of each depth is the last that was stored. */
  newest: /* sql */ `
    SELECT conversation_id AS conversationId, depth, max(summary_rowid) AS row
    FROM temp.derived_summaries
    WHERE conversation_id IS NOT NULL
    GROUP BY conversation_id, depth
    ORDER BY conversation_id, depth DESC`,
  summary: /* sql */ `
    SELECT summary_id AS id, token_count AS tokens FROM temp.derived_summaries WHERE summary_rowid = :row`,
  counts: /* sql */ `
    SELECT (SELECT count(*) FROM temp.derived_messages WHERE conversation_id = :conversation) AS messages,
      (SELECT count(*) FROM temp.derived_summaries WHERE conversation_id = :conversation) AS summaries`,
  place: /* sql */ `
    INSERT INTO temp.derived_context_items (conversation_id, ordinal, item_type, summary_id)
    VALUES (CAST(:conversation AS INTEGER), CAST(:ordinal AS INTEGER), 'summary', :id)`,
  messages: (notCompacted: string) => /* sql */ `
    INSERT INTO temp.derived_context_items (conversation_id, ordinal, item_type, message_id)
    SELECT d.conversation_id,
      (SELECT count(*) FROM temp.derived_context_items AS i
        WHERE i.conversation_id = d.conversation_id AND i.item_type = 'summary')
        + row_number() OVER (PARTITION BY d.conversation_id ORDER BY d.seq, d.message_id) - 1,
      'message', d.message_id
    FROM temp.derived_messages AS d
    WHERE NOT EXISTS (SELECT 1 FROM temp.derived_summary_messages AS e WHERE e.message_id = d.message_id)
      AND ${notCompacted}`,
}

type Newest = { readonly conversationId: number; readonly depth: number; readonly row: number }

/**
 * Fills the windows by pi-lcm's own rule: the newest summary of each depth from the deepest up, until one does not fit;
 * the newest leaf if it fits; then every message that is no source and is not marked as compacted.
 * @param hasMark whether the file marks what was compacted
 */
export function fillPiWindow(db: PreparableDb, hasMark: boolean): void {
  const byConversation = Map.groupBy(db.all<Newest>(queries.newest), (row) => row.conversationId)
  for (const [conversation, newest] of byConversation) {
    const found = newest.flatMap(({ depth, row }) => {
      const summary = db.get<{ id: string; tokens: number }>(queries.summary, { row })
      return summary ? [{ ...summary, depth }] : []
    })
    const counts = db.get<{ messages: number; summaries: number }>(queries.counts, { conversation })
    const shown = piSummaries(found, titleTokens({ messages: 0, summaries: 0, ...counts, depth: found[0]?.depth ?? 0 }))
    shown.forEach(({ id }, ordinal) => {
      db.run(queries.place, { conversation, ordinal, id })
    })
  }
  const notCompacted = hasMark
    ? `coalesce((SELECT m.is_compacted FROM main.messages AS m WHERE m.rowid = d.message_id), 0) = 0`
    : '1'
  db.run(queries.messages(notCompacted))
}

/** Those of the newest summaries, deepest first, that pi-lcm puts into the window. */
function piSummaries<S extends { readonly depth: number; readonly tokens: number }>(
  newest: readonly S[],
  usedTokens: number,
): S[] {
  const shown: S[] = []
  let used = usedTokens
  for (const summary of newest.filter(({ depth }) => depth > 0)) {
    const needed = summary.tokens + HEADING_TOKENS.condensed
    if (used + needed > BUDGET_TOKENS) break
    shown.push(summary)
    used += needed
  }
  const leaf = newest.find(({ depth }) => depth === 0)
  if (leaf && used + leaf.tokens + HEADING_TOKENS.leaf <= BUDGET_TOKENS) shown.push(leaf)
  return shown
}

function titleTokens(counts: { messages: number; summaries: number; depth: number }): number {
  const line = `${counts.messages} messages stored | ${counts.summaries} summaries | DAG depth ${counts.depth}`
  return Math.ceil(`${TITLE}\n${line}\n`.length / CHARS_PER_TOKEN)
}
