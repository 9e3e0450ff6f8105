import { monotonicFactory } from 'ulid'
import { sha256 } from '../hashing.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { afterLine, lineHash } from './ledger-chain.ts'
import { type LedgerEvent, toLine } from './ledger-line.ts'
import type { Row } from './tables.ts'

/** One change of a row. `row` is null when it was deleted. */
export type Change = {
  readonly table: string
  readonly op: 'insert' | 'update' | 'delete'
  readonly key: readonly (string | number | null)[]
  readonly row: Row | null
}

/** Changes are put together into one event up to this size. */
const MAX_EVENT_BYTES = 256 * 1024
const ACTOR = 'lcm-inspector'

const queries = {
  message: /* sql */ `
    SELECT m.*, c.session_id AS sessionId, c.importer AS importer
    FROM messages AS m LEFT JOIN conversations AS c ON c.conversation_id = m.conversation_id
    WHERE m.message_id = CAST(:id AS INTEGER)`,
  part: /* sql */ `SELECT * FROM message_parts WHERE part_id = :id`,
}

type MessageRow = Row & {
  readonly role: string
  readonly content: string
  readonly sessionId: string | null
  readonly importer: string | null
}

export type Unstamped = Omit<LedgerEvent, 'event_id' | 'ts' | 'content_hash'>

/**
 * Converts changes to events: a new message is an event of its own, verbatim, and all other changes are put together in
 * order as JSON. The messages of a batch come first. Equal changes give equal events.
 */
export function* toEvents(db: ReadDb, changes: readonly Change[]): Generator<Unstamped> {
  const others: Change[] = []
  for (const change of changes) {
    if (change.table === 'messages' && change.op === 'insert') {
      const message = db.get<MessageRow>(queries.message, { id: change.key[0] ?? null })
      if (message) yield messageEvent(message)
    } else others.push(change)
  }
  let list: unknown[] = []
  let bytes = 0
  for (const change of others) {
    const whole = completed(db, change)
    const entry = [whole.table, whole.op, whole.key, whole.row]
    list.push(entry)
    bytes += JSON.stringify(entry).length
    if (bytes < MAX_EVENT_BYTES) continue
    yield changesEvent(list)
    list = []
    bytes = 0
  }
  if (list.length > 0) yield changesEvent(list)
}

function messageEvent({ content, sessionId, importer, content_hash: _, ...row }: MessageRow): Unstamped {
  return {
    actor: row.role,
    content,
    kind: row.role === 'tool' ? 'tool_result' : 'message',
    metadata: {
      ...(sessionId === null ? {} : { session_id: sessionId }),
      ...(importer === null ? {} : { source: importer }),
      lcm: row,
    },
  }
}

const changesEvent = (changes: readonly unknown[]): Unstamped => ({
  actor: ACTOR,
  content: JSON.stringify({ changes }),
  kind: 'event',
  metadata: { lcm: { changes: changes.length } },
})

/** A part is recorded by its id. Its row never changes and is read now. */
function completed(db: ReadDb, change: Change): Change {
  if (change.table !== 'message_parts' || change.op !== 'insert') return change
  const row = change.row ?? db.get<Row>(queries.part, { id: change.key[0] ?? null })
  const filled = row && Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))
  return { ...change, row: filled ?? null }
}

/** Returns a function that turns events into lines, with id, hash, time and the hash of the line before. Times never go back. */
export function lineWriter(
  clock: () => number,
  after: { readonly ts: string | null; readonly line: string | null },
): (event: Unstamped) => string {
  const ulid = monotonicFactory()
  let seconds = after.ts === null ? 0 : Math.floor(Number.parseFloat(after.ts)) || 0
  let previous = after.line === null ? null : lineHash(after.line)
  return (event) => {
    const nowMs = clock()
    seconds = Math.max(seconds, Math.floor(nowMs / 1000))
    const stamped = { ...event, content_hash: sha256(event.content), event_id: ulid(nowMs), ts: `${seconds}Z` }
    const line = toLine(afterLine(stamped, previous))
    previous = lineHash(line)
    return line
  }
}
