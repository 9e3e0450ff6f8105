import { realpathSync, statSync } from 'node:fs'
import { ledgerPath } from '../db/dialects/decapod-ledger.ts'
import { ledgerTimeMs } from '../ledger/ledger-line.ts'
import { ledgerState } from '../ledger/ledger-writer.ts'
import type { Check, CheckContext, Finding } from './check.ts'
import { type LedgerLine, readLedgerLines } from './ledger-file.ts'

const queries = {
  stored: /* sql */ `
    SELECT message_id AS messageId, conversation_id AS conversationId, content_hash AS hash FROM messages`,
  waiting: /* sql */ `SELECT key FROM main.ledger_outbox WHERE table_name = 'messages' AND op = 'insert'`,
  indexed: /* sql */ `SELECT CAST(content_hash AS TEXT) FROM main.originals_index WHERE content_hash IS NOT NULL`,
}

/** A message's number is that of its line where the ledger is what the memory is read from. */
function findingOf({ facts, info }: CheckContext, line: number, detail: string): Finding {
  const place = info.system === 'decapod' ? facts.messages.indexOf(line) : -1
  return {
    id: place < 0 ? null : facts.messageId(place),
    conversationId: place < 0 ? null : facts.messageConversation(place),
    detail: `line ${line}: ${detail}`,
  }
}

function* each(context: CheckContext, judge: (line: LedgerLine) => string | null): Generator<Finding | null> {
  for (const line of readLedgerLines(ledgerOf(context) ?? '')) {
    const detail = judge(line)
    yield detail === null ? null : findingOf(context, line.line, detail)
  }
}

const findWrongHashes = (context: CheckContext): Iterable<Finding | null> =>
  each(context, ({ isEvent, isTrue }) =>
    isEvent ? (isTrue ? null : 'its content is not what its hash says') : 'no event can be read',
  )

function findDuplicates(context: CheckContext): Iterable<Finding | null> {
  const first = new Map<string, number>()
  return each(context, ({ line, isEvent, eventId }) => {
    const before = first.get(eventId)
    if (isEvent && before === undefined) first.set(eventId, line)
    return isEvent && before !== undefined ? `the event ${eventId} stands in line ${before} already` : null
  })
}

function findTimeSteps(context: CheckContext): Iterable<Finding | null> {
  let latest = Number.NEGATIVE_INFINITY
  return each(context, ({ isEvent, time }) => {
    const at = isEvent ? ledgerTimeMs(time) : Number.NaN
    if (Number.isNaN(at)) return isEvent ? 'its time cannot be read' : null
    const isBack = at < latest
    latest = Math.max(latest, at)
    return isBack ? 'earlier than the line before it' : null
  })
}

/** Beside the database under a name of its own, or where a memory of ours says that it keeps one. */
function ledgerOf({ db, info }: CheckContext): string | null {
  if (info.system === 'decapod') return ledgerPath(realpathSync(info.path))
  return info.system === 'native' ? ledgerState(db).path : null
}

function* findBehind(context: CheckContext): Iterable<Finding | null> {
  if (context.info.system === 'native') return yield* findUnrecorded(context)
  const indexed = new Set(context.db.column<string>(queries.indexed))
  const seen = new Set<string>()
  yield* each(context, ({ isEvent, hash }) => {
    const isNew = isEvent && !seen.has(hash)
    seen.add(hash)
    return isNew && !indexed.has(hash) ? 'not in the index of the database' : null
  })
  for (const hash of indexed) {
    const detail = `the index names ${hash.slice(0, 16)}…, which the ledger does not hold`
    yield seen.has(hash) ? null : { id: null, conversationId: null, detail }
  }
}

/** Messages that neither the ledger nor its outbox has, and what only the ledger has. */
function* findUnrecorded(context: CheckContext): Iterable<Finding | null> {
  const { db } = context
  const recorded = new Set<string>()
  yield* each(context, ({ isEvent, kind, hash }) => {
    if (isEvent && kind !== 'event') recorded.add(hash)
    return null
  })
  const waiting = new Set(db.column<string>(queries.waiting).map((key) => (JSON.parse(key) as number[])[0]))
  const stored = new Set<string>()
  type Row = { messageId: number; conversationId: number; hash: string }
  for (const { messageId, conversationId, hash } of db.iterate<Row>(queries.stored)) {
    stored.add(hash)
    const isKnown = recorded.has(hash) || waiting.has(messageId)
    yield isKnown ? null : { id: `msg_${messageId}`, conversationId, detail: 'not in the ledger' }
  }
  for (const hash of recorded) {
    const detail = `the ledger holds ${hash.slice(0, 16)}…, which the database does not`
    yield stored.has(hash) ? null : { id: null, conversationId: null, detail }
  }
}

const noLedger = (context: CheckContext): string | null => {
  const path = ledgerOf(context)
  if (path === null) return `${context.info.systemLabel} keeps no ledger of this file.`
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? null : 'The ledger is not where it should be.'
}

export const ledgerChecks: readonly Check[] = [
  {
    id: 'ledger_hash',
    group: 'ledger',
    severity: 'error',
    phase: 'files',
    invariant: 'Every line of the ledger is an event whose content has its hash.',
    explanation: 'What was recorded was changed afterwards, or cut off: it cannot be relied on as a record any more.',
    repairable: false,
    notApplicable: noLedger,
    find: findWrongHashes,
  },
  {
    id: 'ledger_duplicate_event',
    group: 'ledger',
    severity: 'error',
    phase: 'files',
    invariant: 'Every event of the ledger has an id of its own.',
    explanation: 'A line was written twice, or the ledger was put together from several.',
    repairable: false,
    notApplicable: noLedger,
    find: findDuplicates,
  },
  {
    id: 'ledger_time_order',
    group: 'ledger',
    severity: 'warning',
    phase: 'files',
    invariant: 'The times of the ledger never go back.',
    explanation: 'Lines were put in later, or the clock was set back.',
    repairable: false,
    notApplicable: noLedger,
    find: findTimeSteps,
  },
  {
    id: 'ledger_behind',
    group: 'ledger',
    severity: 'warning',
    phase: 'files',
    invariant: 'The ledger and the database hold the same.',
    explanation: 'One of the two lacks what the other has: a write was cut off, or one was restored without the other.',
    repairable: true,
    consequenceOf: ['ledger_hash'],
    notApplicable: noLedger,
    find: findBehind,
  },
]
