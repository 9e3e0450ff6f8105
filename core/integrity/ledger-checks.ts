import { existsSync } from 'node:fs'
import type { Check, CheckContext, Finding } from './check.ts'
import { type LedgerLine, ledgerPathOf, ledgerTimeMs, readLedgerLines } from './ledger-file.ts'

const queries = {
  indexed: /* sql */ `SELECT CAST(content_hash AS TEXT) FROM main.originals_index WHERE content_hash IS NOT NULL`,
}

/** A message's number is that of its line where the ledger is what the memory is read from. */
function findingOf({ facts }: CheckContext, line: number, detail: string): Finding {
  const place = facts.messages.indexOf(line)
  return {
    id: place < 0 ? null : facts.messageId(place),
    conversationId: place < 0 ? null : facts.messageConversation(place),
    detail: `line ${line}: ${detail}`,
  }
}

function* each(context: CheckContext, judge: (line: LedgerLine) => string | null): Generator<Finding | null> {
  for (const line of readLedgerLines(ledgerPathOf(context.info.path))) {
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

function* findBehind(context: CheckContext): Iterable<Finding | null> {
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

const noLedger = ({ info }: CheckContext): string | null => {
  if (info.system !== 'decapod') return `${info.systemLabel} keeps no ledger beside this file.`
  return existsSync(ledgerPathOf(info.path)) ? null : 'The ledger is not beside the database.'
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
