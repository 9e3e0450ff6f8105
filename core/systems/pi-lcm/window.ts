import type { PreparableDb } from '#core/sqlite/uri-db.ts'
import { withoutYielding } from '#core/yielding.ts'
import { BEFORE_ALL, clearDerived, inPieces } from '../deriving/derived-tables.ts'

/** Tokens that the summaries before the messages may have. This is the default of pi-lcm, because the file does not say. */
const BUDGET_TOKENS = 8000
/** pi-lcm counts 3.5 characters a token, and this many tokens for the heading of each summary. */
const CHARS_PER_TOKEN = 3.5
const HEADING_TOKENS = { leaf: 30, condensed: 20 }
const TITLE = '## Conversation History (Lossless Context Management)'

const queries = {
  /** The newest summary of each depth is the last that was stored. */
  newest: /* sql */ `
    SELECT depth, max(summary_rowid) AS row
    FROM temp.derived_summaries
    WHERE conversation_id = CAST(:conversation AS INTEGER)
    GROUP BY depth
    ORDER BY depth DESC`,
  summary: /* sql */ `
    SELECT summary_id AS id, token_count AS tokens FROM temp.derived_summaries WHERE summary_rowid = :row`,
  counts: /* sql */ `
    SELECT (SELECT count(*) FROM temp.derived_messages WHERE conversation_id = :conversation) AS messages,
      (SELECT count(*) FROM temp.derived_summaries WHERE conversation_id = :conversation) AS summaries`,
  place: /* sql */ `
    INSERT INTO temp.derived_context_items (conversation_id, ordinal, item_type, summary_id)
    VALUES (CAST(:conversation AS INTEGER), CAST(:ordinal AS INTEGER), 'summary', :id)`,
  placed: /* sql */ `
    SELECT summary_id FROM temp.derived_context_items
    WHERE conversation_id = :conversation AND summary_id IS NOT NULL ORDER BY ordinal`,
  conversations: /* sql */ `SELECT conversation_id FROM temp.derived_conversations ORDER BY conversation_id`,
  pieceEnd: /* sql */ `
    SELECT max(message_id) FROM (
      SELECT message_id FROM temp.derived_messages WHERE message_id > CAST(:last AS INTEGER) ORDER BY message_id LIMIT 4000
    )`,
  forgetUncovered: /* sql */ `DELETE FROM temp.pi_uncovered`,
  uncovered: (isMarked: string) => /* sql */ `
    INSERT INTO temp.pi_uncovered (message_id, is_marked)
    SELECT d.message_id, ${isMarked} FROM temp.derived_messages AS d LEFT JOIN main.messages AS m ON m.rowid = d.message_id
    WHERE d.message_id > CAST(:last AS INTEGER) AND d.message_id <= CAST(:end AS INTEGER)
      AND NOT EXISTS (SELECT 1 FROM temp.derived_summary_messages AS e WHERE e.message_id = d.message_id)`,
  marked: (isMarked: string) => /* sql */ `
    SELECT u.message_id FROM temp.pi_uncovered AS u LEFT JOIN main.messages AS m ON m.rowid = u.message_id
    WHERE u.is_marked <> ${isMarked}`,
  mark: /* sql */ `
    UPDATE temp.pi_uncovered SET is_marked = 1 - is_marked WHERE message_id = CAST(:message AS INTEGER)
    RETURNING (SELECT d.conversation_id FROM temp.derived_messages AS d WHERE d.message_id = pi_uncovered.message_id)`,
  /** Conversations with new messages, and whether all of them stand behind the known ones. */
  grown: /* sql */ `
    SELECT n.conversation_id AS conversation,
      min(n.seq) > coalesce((SELECT max(d.seq) FROM temp.derived_messages AS d
        WHERE d.conversation_id = n.conversation_id AND d.message_id <= CAST(:last AS INTEGER)), min(n.seq) - 1) AS isAppended
    FROM temp.derived_messages AS n WHERE n.message_id > CAST(:last AS INTEGER) GROUP BY n.conversation_id`,
  forget: /* sql */ `DELETE FROM temp.derived_context_items WHERE conversation_id = CAST(:conversation AS INTEGER)`,
  size: /* sql */ `
    SELECT coalesce(max(ordinal) + 1, 0) FROM temp.derived_context_items
    WHERE conversation_id = CAST(:conversation AS INTEGER)`,
  /** Adds the next messages after a place behind those that are in the window already. */
  messages: /* sql */ `
    INSERT INTO temp.derived_context_items (conversation_id, ordinal, item_type, message_id)
    SELECT conversation_id, row_number() OVER (ORDER BY seq, message_id) - 1 + CAST(:size AS INTEGER), 'message',
      message_id
    FROM (
      SELECT d.conversation_id, d.seq, d.message_id
      FROM temp.derived_messages AS d CROSS JOIN temp.pi_uncovered AS u ON u.message_id = d.message_id
      WHERE u.is_marked = 0 AND d.conversation_id = CAST(:conversation AS INTEGER)
        AND d.message_id > CAST(:known AS INTEGER) AND (d.seq, d.message_id) > (:seq, :message)
      ORDER BY d.seq, d.message_id
      LIMIT CAST(:limit AS INTEGER)
    )`,
  lastPlace: /* sql */ `
    SELECT d.seq, d.message_id AS message
    FROM temp.derived_context_items AS c JOIN temp.derived_messages AS d ON d.message_id = c.message_id
    WHERE c.conversation_id = CAST(:conversation AS INTEGER)
    ORDER BY c.ordinal DESC LIMIT 1`,
}

/** Messages that are no source of a summary, and whether the file marks them as compacted all the same. */
export const PI_WINDOW_TABLES = /* sql */ `
CREATE TEMP TABLE IF NOT EXISTS pi_uncovered (message_id INTEGER PRIMARY KEY, is_marked INTEGER NOT NULL);
`

type Newest = { readonly depth: number; readonly row: number }

/**
 * Fills the windows by the rule of pi-lcm. First comes the newest summary of each depth from the deepest up, until one
 * does not fit. Then comes the newest leaf if it fits, and then every message that is no source and is not marked as
 * compacted.
 * @param hasMark whether the file marks what was compacted
 */
export function* fillingPiWindows(db: PreparableDb, hasMark: boolean): Generator<void> {
  clearDerived(db, 'window')
  db.run(queries.forgetUncovered)
  yield* findingUncovered(db, hasMark, BEFORE_ALL)
  for (const conversation of db.column<number>(queries.conversations)) {
    yield* filling(db, conversation)
    yield
  }
}

/**
 * Brings the windows in step when summaries and links have not changed. The window of a conversation is filled again
 * when a message was marked or unmarked, or when messages were not only added at the end.
 * @param last the last message that was there before
 */
export function followPiWindows(db: PreparableDb, hasMark: boolean, last: number): void {
  const anew = new Set<number>()
  for (const message of db.column<number>(queries.marked(markOf(hasMark)))) {
    anew.add(db.value<number>(queries.mark, { message }) ?? 0)
  }
  withoutYielding(findingUncovered(db, hasMark, last))
  const grown = db.all<{ conversation: number; isAppended: number }>(queries.grown, { last })
  for (const { conversation, isAppended } of grown) {
    // More messages make the window's title longer, which may leave no room for a summary.
    const isSame =
      isAppended === 1 && String(db.column(queries.placed, { conversation })) === String(shownIn(db, conversation))
    if (!isSame) anew.add(conversation)
    else if (!anew.has(conversation)) {
      withoutYielding(addingMessages(db, conversation, db.value<number>(queries.size, { conversation }) ?? 0, last))
    }
  }
  for (const conversation of anew) {
    db.run(queries.forget, { conversation })
    withoutYielding(filling(db, conversation))
  }
}

function* filling(db: PreparableDb, conversation: number): Generator<void> {
  const ids = shownIn(db, conversation)
  place(db, conversation, ids)
  yield* addingMessages(db, conversation, ids.length, BEFORE_ALL)
}

/** Messages that are added to a window without a pause. Each is a row and two entries of indexes. */
const MESSAGES_AT_ONCE = 4000

/**
 * Adds messages to a window in the order of the conversation.
 * @param size how many entries the window has already
 * @param known the last message that is not to be added
 */
function* addingMessages(db: PreparableDb, conversation: number, size: number, known: number): Generator<void> {
  type Place = { readonly seq: number; readonly message: number }
  let place: Place | undefined = { seq: Number.NEGATIVE_INFINITY, message: 0 }
  for (let end = size; place; place = db.get<Place>(queries.lastPlace, { conversation })) {
    const added = db.run(queries.messages, { conversation, known, size: end, limit: MESSAGES_AT_ONCE, ...place })
    if (added < MESSAGES_AT_ONCE) return
    end += added
    yield
  }
}

const findingUncovered = (db: PreparableDb, hasMark: boolean, last: number): Generator<void> =>
  inPieces(
    db,
    (id) => db.value(queries.pieceEnd, { last: id }),
    last,
    (range) => db.run(queries.uncovered(markOf(hasMark)), range),
  )

/** SQL that is 1 for a message `m` that is marked. */
const markOf = (hasMark: boolean): string => (hasMark ? 'coalesce(m.is_compacted, 0) <> 0' : '0')

function place(db: PreparableDb, conversation: number, ids: readonly string[]): void {
  ids.forEach((id, ordinal) => {
    db.run(queries.place, { conversation, ordinal, id })
  })
}

/** Returns the ids of the summaries that a window begins with. */
function shownIn(db: PreparableDb, conversation: number): string[] {
  const found = db.all<Newest>(queries.newest, { conversation }).flatMap(({ depth, row }) => {
    const summary = db.get<{ id: string; tokens: number }>(queries.summary, { row })
    return summary ? [{ ...summary, depth }] : []
  })
  if (found.length === 0) return []
  const counts = db.get<{ messages: number; summaries: number }>(queries.counts, { conversation })
  const title = titleTokens({ messages: 0, summaries: 0, ...counts, depth: found[0]?.depth ?? 0 })
  return piSummaries(found, title).map(({ id }) => id)
}

/** Returns those of the newest summaries, deepest first, that pi-lcm puts into the window. */
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
