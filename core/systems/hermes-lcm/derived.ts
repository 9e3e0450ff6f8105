import { startSha1 } from '#core/hashing.ts'
import type { SchemaProbe } from '#core/sqlite/schema-probe.ts'
import { isExactInteger } from '#core/sqlite/shown-values.ts'
import type { PreparableDb } from '#core/sqlite/uri-db.ts'
import { countOf, depthOf, secondsMs, textOf } from '../deriving/canonical.ts'
import { BEFORE_ALL, inPieces, inRanges } from '../deriving/derived-tables.ts'
import type { Source } from '../system.ts'
import { type HermesThread, hermesConversations } from './conversations.ts'
import { readPayloads } from './payloads.ts'
import { fillingHermesWindows, HERMES_WINDOW_TABLES } from './window.ts'

/**
 * What this system keeps in its head, or as JSON in a column, as TEMP tables: numbers of conversations, links, windows.
 * They hold no text, and of a message no more than its number: the rest is looked up in the file, so that an answer is
 * never older than the file. Each is one table that the views look into, for SQLite puts no join in place of a view.
 */
const TABLES = /* sql */ `
-- What the nodes were when they were read.
CREATE TEMP TABLE IF NOT EXISTS hermes_nodes_state (state TEXT NOT NULL);
CREATE TEMP TABLE IF NOT EXISTS hermes_conversations (
  conversation_id INTEGER PRIMARY KEY,
  key             TEXT NOT NULL UNIQUE,
  -- The session whose window the model sees, and the last message that is not in it word for word.
  window_session  TEXT,
  frontier        INTEGER,
  created_at      INTEGER,
  updated_at      INTEGER
);
-- own: what a message itself says of its conversation, '' where it says nothing.
CREATE TEMP TABLE IF NOT EXISTS hermes_threads (
  session_id      TEXT NOT NULL,
  own             TEXT NOT NULL,
  conversation_id INTEGER NOT NULL,
  messages        INTEGER NOT NULL,
  numbers         REAL NOT NULL,
  PRIMARY KEY (session_id, own)
) WITHOUT ROWID;
CREATE TEMP TABLE IF NOT EXISTS hermes_sessions (session_id TEXT PRIMARY KEY, conversation_id INTEGER) WITHOUT ROWID;
CREATE TEMP TABLE IF NOT EXISTS hermes_messages (message_id INTEGER PRIMARY KEY, conversation_id INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS temp.hermes_messages_history ON hermes_messages (conversation_id, message_id);
CREATE TEMP TABLE IF NOT EXISTS hermes_nodes (
  node_id         INTEGER PRIMARY KEY,
  summary_id      TEXT NOT NULL UNIQUE,
  session_id      TEXT NOT NULL,
  conversation_id INTEGER NOT NULL,
  kind            TEXT NOT NULL,
  depth           INTEGER NOT NULL,
  token_count     INTEGER NOT NULL,
  source_tokens   INTEGER NOT NULL,
  earliest_at     INTEGER,
  latest_at       INTEGER,
  created_at      INTEGER,
  -- The newest message that it was made from.
  last_message    INTEGER
);
CREATE INDEX IF NOT EXISTS temp.hermes_nodes_history ON hermes_nodes (conversation_id, depth, created_at);
CREATE TEMP TABLE IF NOT EXISTS hermes_node_messages (
  summary_id TEXT NOT NULL,
  ordinal    INTEGER NOT NULL,
  message_id INTEGER NOT NULL,
  PRIMARY KEY (summary_id, ordinal)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS temp.hermes_node_messages_message ON hermes_node_messages (message_id, summary_id);
CREATE TEMP TABLE IF NOT EXISTS hermes_node_sources (
  summary_id        TEXT NOT NULL,
  ordinal           INTEGER NOT NULL,
  source_summary_id TEXT NOT NULL,
  PRIMARY KEY (summary_id, ordinal)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS temp.hermes_node_sources_source ON hermes_node_sources (source_summary_id, summary_id);
CREATE TEMP TABLE IF NOT EXISTS hermes_files (
  file_id         TEXT PRIMARY KEY,
  conversation_id INTEGER NOT NULL,
  byte_size       INTEGER,
  storage_uri     TEXT NOT NULL,
  note            TEXT,
  created_at      INTEGER
) WITHOUT ROWID;
${HERMES_WINDOW_TABLES}`

/** A list of ids that a damaged column cannot break: an empty one where it is no JSON array. */
const SOURCES = `json_each(CASE WHEN json_valid(n.source_ids)
    THEN iif(json_type(n.source_ids) = 'array', n.source_ids, '[]') ELSE '[]' END) AS j`
const IS_NUMBER = `(j.type = 'integer' OR (j.type = 'text' AND j.value <> '' AND j.value NOT GLOB '*[^0-9]*'))`

/** A number of a message that is read exactly. */
const IS_MESSAGE = `${IS_NUMBER} AND ${isExactInteger('CAST(j.value AS INTEGER)')}`

const sessionOf = (alias: string): string => `coalesce(${textOf(`${alias}.session_id`)}, '')`

/** At most this many threads are read one by one. With more of them, all messages are read in their order. */
const MOST_ONE_BY_ONE = 1000

/** Nodes that are read without a yield, with all their links. */
const NODES_AT_ONCE = 200
const SOME_NODES = `typeof(n.node_id) = 'integer' AND n.node_id > :last AND n.node_id <= :end`

const queries = {
  nodesState: /* sql */ `SELECT state FROM temp.hermes_nodes_state`,
  forgetNodesState: /* sql */ `DELETE FROM temp.hermes_nodes_state`,
  keepNodesState: /* sql */ `INSERT INTO temp.hermes_nodes_state (state) VALUES (:state)`,
  lastMessage: /* sql */ `SELECT max(message_id) FROM temp.hermes_messages`,
  thread: /* sql */ `INSERT INTO temp.hermes_threads (session_id, own, conversation_id, messages, numbers)
    VALUES (:session, :own, CAST(:conversation AS INTEGER), CAST(:messages AS INTEGER), :numbers)`,
  session: /* sql */ `INSERT INTO temp.hermes_sessions (session_id, conversation_id)
    VALUES (:session, CAST(:conversation AS INTEGER))`,
  known: /* sql */ `SELECT session_id AS session, own, conversation_id AS conversation, messages, numbers FROM temp.hermes_threads`,
  forgetSessions: /* sql */ `DELETE FROM temp.hermes_sessions`,
  forgetThreads: /* sql */ `DELETE FROM temp.hermes_threads`,
  forgetMessages: /* sql */ `DELETE FROM temp.hermes_messages`,
  messageCount: /* sql */ `SELECT count(*) FROM temp.hermes_messages`,
  nextMessage: /* sql */ `
    SELECT min(store_id) FROM main.messages WHERE store_id > :last AND typeof(store_id) = 'integer'`,
  /** Adds the messages of one thread, by an index of the file that holds all that is asked for. */
  messagesOf: (isOwn: string) => /* sql */ `
    INSERT OR IGNORE INTO temp.hermes_messages (message_id, conversation_id)
    SELECT m.store_id, CAST(:conversation AS INTEGER)
    FROM main.messages AS m
    WHERE ${isOwn} AND m.session_id = :session AND m.store_id > :last AND m.store_id <= :end
      AND typeof(m.store_id) = 'integer'`,
  /** Adds the messages of all threads, also of those whose names are no texts. */
  messages: (own: string) => /* sql */ `
    INSERT OR IGNORE INTO temp.hermes_messages (message_id, conversation_id)
    SELECT m.store_id, t.conversation_id FROM main.messages AS m
    CROSS JOIN temp.hermes_threads AS t ON t.session_id = ${sessionOf('m')} AND t.own = ${own}
    WHERE m.store_id > :last AND m.store_id <= :end AND typeof(m.store_id) = 'integer'`,
  nodes: (has: (column: string) => string) => /* sql */ `
    SELECT quote(node_id), session_id, ${['depth', 'token_count', 'source_token_count', 'source_type', 'created_at', 'earliest_at', 'latest_at', 'source_ids'].map((name) => `quote(${has(name)})`).join(', ')}
    FROM main.summary_nodes ORDER BY node_id`,
  clearNodes: /* sql */ `
    DELETE FROM temp.hermes_nodes;
    DELETE FROM temp.hermes_node_messages;
    DELETE FROM temp.hermes_node_sources;`,
  nodesEnd: /* sql */ `
    SELECT max(node_id) FROM (
      SELECT node_id FROM main.summary_nodes
      WHERE node_id > :last AND typeof(node_id) = 'integer' ORDER BY node_id LIMIT ${NODES_AT_ONCE}
    )`,
  /** Fills in the links of some nodes, then the nodes, which take their last message from the links. */
  fillNodes: (has: (column: string) => string) => [
    /* sql */ `
    INSERT OR IGNORE INTO temp.hermes_node_messages
    SELECT CAST(n.node_id AS TEXT), j.key, CAST(j.value AS INTEGER)
    FROM main.summary_nodes AS n CROSS JOIN ${SOURCES}
    WHERE ${SOME_NODES} AND n.source_type = 'messages' AND ${IS_MESSAGE}`,
    /* sql */ `
    INSERT OR IGNORE INTO temp.hermes_node_sources
    SELECT CAST(n.node_id AS TEXT), j.key, CAST(j.value AS TEXT)
    FROM main.summary_nodes AS n CROSS JOIN ${SOURCES}
    WHERE ${SOME_NODES} AND n.source_type = 'nodes' AND ${IS_NUMBER}`,
    // Where the messages of a session are gone, its nodes still tell its conversation.
    /* sql */ `
    INSERT OR IGNORE INTO temp.hermes_nodes
    SELECT n.node_id, CAST(n.node_id AS TEXT), ${sessionOf('n')}, s.conversation_id,
      CASE ${has('source_type')} WHEN 'nodes' THEN 'condensed' WHEN 'messages' THEN 'leaf'
        ELSE iif(${depthOf(has('depth'))} > 0, 'condensed', 'leaf') END,
      ${depthOf(has('depth'))}, ${countOf(has('token_count'))}, ${countOf(has('source_token_count'))},
      ${secondsMs(has('earliest_at'))}, ${secondsMs(has('latest_at'))}, ${secondsMs(has('created_at'))},
      (SELECT max(l.message_id) FROM temp.hermes_node_messages AS l WHERE l.summary_id = CAST(n.node_id AS TEXT))
    FROM main.summary_nodes AS n JOIN temp.hermes_sessions AS s ON s.session_id = ${sessionOf('n')}
    WHERE ${SOME_NODES}`,
  ],
}

/** Brings the TEMP tables in step with the file. Where rows were only added, those alone are read. */
export function* derivingHermes({ db, probe, realPath, isStill }: Source): Generator<void> {
  db.exec(TABLES)
  const threads = readThreads(db, probe)
  yield
  const { sessions, stamp } = hermesConversations(db, probe, threads)
  const after = yield* fillingMessages(db, probe, threads)
  db.exec(queries.forgetSessions)
  for (const [session, conversation] of sessions) db.run(queries.session, { session, conversation })
  const nodes = yield* fillingNodes(db, probe, isStill ? null : stamp)
  yield* fillingHermesWindows(db, `${stamp} ${nodes}`, after)
  readPayloads(db, probe, realPath)
}

/** Counts the messages by session, and by conversation where they name theirs. */
function readThreads(db: PreparableDb, probe: SchemaProbe): HermesThread[] {
  const own = probe.has('messages', 'conversation_id')
  const known = db.value<number>(queries.lastMessage) ?? null
  const rows = db.all<HermesThread>(
    /* sql */ `SELECT coalesce(${textOf('session_id')}, '') AS session,
        coalesce(${own ? textOf('conversation_id') : `''`}, '') AS own,
        count(*) AS messages, total(store_id) AS numbers, min(store_id) AS first, max(store_id) AS last,
        count(*) FILTER (WHERE store_id <= CAST(:known AS INTEGER)) AS knownMessages,
        total(store_id) FILTER (WHERE store_id <= CAST(:known AS INTEGER)) AS knownNumbers
      FROM main.messages GROUP BY ${own ? 'conversation_id, ' : ''}session_id`,
    { known },
  )
  return mergeThreads(rows)
}

/** Joins threads whose keys are damaged and became the same text. */
function mergeThreads(rows: readonly HermesThread[]): HermesThread[] {
  const threads = new Map<string, HermesThread>()
  for (const row of rows) {
    const key = JSON.stringify([row.session, row.own])
    const other = threads.get(key)
    threads.set(key, other ? mergedThread(other, row) : row)
  }
  return [...threads.values()]
}

const mergedThread = (a: HermesThread, b: HermesThread): HermesThread => ({
  ...a,
  messages: a.messages + b.messages,
  numbers: a.numbers + b.numbers,
  first: Math.min(a.first, b.first),
  last: Math.max(a.last, b.last),
  knownMessages: a.knownMessages + b.knownMessages,
  knownNumbers: a.knownNumbers + b.knownNumbers,
})

/** Returns the number of the last message that was known before; −Infinity when all are read anew. */
function* fillingMessages(
  db: PreparableDb,
  probe: SchemaProbe,
  threads: readonly HermesThread[],
): Generator<void, number> {
  const key = (thread: { session: string; own: string }): string => JSON.stringify([thread.session, thread.own])
  type Known = { session: string; own: string; conversation: number; messages: number; numbers: number }
  const known = new Map(db.all<Known>(queries.known).map((thread) => [key(thread), thread]))
  const isOlder = (thread: HermesThread): boolean => {
    const before = known.get(key(thread))
    if (!before) return thread.knownMessages === 0
    return (
      before.conversation === thread.conversation &&
      before.messages === thread.knownMessages &&
      before.numbers === thread.knownNumbers
    )
  }
  const names = new Set(threads.map(key))
  const isGrown = known.size > 0 && threads.every(isOlder) && [...known.keys()].every((name) => names.has(name))
  const last = isGrown ? db.value<number>(queries.lastMessage) : undefined

  db.exec(queries.forgetThreads)
  for (const { session, own, conversation, messages, numbers } of threads) {
    db.run(queries.thread, { session, own, conversation, messages, numbers })
  }
  if (last === undefined) db.exec(queries.forgetMessages)
  const after = last ?? Number.NEGATIVE_INFINITY
  yield* addingMessages(db, probe, threads, Math.max(after, BEFORE_ALL))
  return after
}

/** Adds the messages after one, thread by thread where the file has an index for that. */
function* addingMessages(
  db: PreparableDb,
  probe: SchemaProbe,
  threads: readonly HermesThread[],
  after: number,
): Generator<void> {
  const hasOwn = probe.has('messages', 'conversation_id')
  const grown = threads.filter(({ last }) => !(last <= after))
  const isFew = grown.length <= MOST_ONE_BY_ONE
  if (isFew && probe.isIndexed('messages', hasOwn ? 'conversation_id' : 'session_id')) {
    const ofThread = queries.messagesOf(hasOwn ? 'm.conversation_id = :own' : '1')
    for (const { session, own, conversation, first, last } of grown) {
      if (!Number.isFinite(first) || !Number.isFinite(last)) continue
      yield* inRanges(
        db,
        (id) => (id >= last ? null : Math.max(first, id + 1)),
        after,
        (range) => db.run(ofThread, { ...range, session, own, conversation }),
      )
    }
    const expected = threads.reduce((sum, { messages }) => sum + messages, 0)
    if (db.value<number>(queries.messageCount) === expected) return
  }
  const ofAll = queries.messages(hasOwn ? `coalesce(${textOf('m.conversation_id')}, '')` : `''`)
  yield* inRanges(
    db,
    (id) => db.value(queries.nextMessage, { last: id }),
    after,
    (range) => db.run(ofAll, range),
  )
}

/**
 * Fills in the links and figures of all nodes, which are few.
 * @param stamp what tells one state of the conversations from another, or null when there is only one
 * @returns what tells one state of the nodes from another
 */
function* fillingNodes(db: PreparableDb, probe: SchemaProbe, stamp: string | null): Generator<void, string> {
  const has = (column: string): string => (probe.has('summary_nodes', column) ? `n.${column}` : 'NULL')
  const state = stamp === null ? '' : yield* readingNodesState(db, probe, stamp)
  if (db.value(queries.nodesState) === state) return state
  db.exec(queries.clearNodes)
  const fill = queries.fillNodes(has)
  yield* inPieces(
    db,
    (node) => db.value(queries.nodesEnd, { last: node }),
    BEFORE_ALL,
    (piece) => {
      for (const sql of fill) db.run(sql, piece)
    },
  )
  db.run(queries.forgetNodesState)
  db.run(queries.keepNodesState, { state })
  return state
}

function* readingNodesState(db: PreparableDb, probe: SchemaProbe, stamp: string): Generator<void, string> {
  const column = (name: string): string => (probe.has('summary_nodes', name) ? name : 'NULL')
  const hash = startSha1().update(stamp)
  let rows = 0
  for (const row of db.iterateRows(queries.nodes(column))) {
    hash.update(JSON.stringify(row))
    rows += 1
    if (rows % NODES_AT_ONCE === 0) yield
  }
  return hash.digest('hex')
}
