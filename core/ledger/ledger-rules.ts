import { realpathSync, statSync } from 'node:fs'
import { eventTimeMs } from '../clock.ts'
import { sha256 } from '../hashing.ts'
import { isNative } from '../systems/native/native.ts'
import { everyContentHash } from '../systems/records/messages.ts'
import type { Rule, RuleContext } from '../systems/rules/rule.ts'
import type { Finding } from '../systems/rules/scanned-memory.ts'
import { ChainCheck } from './ledger-chain.ts'
import { extentOf } from './ledger-extent.ts'
import { type LedgerLine, readLedgerLines } from './ledger-lines.ts'
import { ledgerMeta } from './ledger-meta.ts'
import { statedLedger } from './ledger-permission.ts'
import { pendingMessageIds, readBatch } from './outbox.ts'
import { toEvents } from './to-events.ts'

const queries = {
  indexed: /* sql */ `SELECT CAST(content_hash AS TEXT) FROM main.originals_index WHERE content_hash IS NOT NULL`,
}

/** Where a memory is read from its ledger, the number of a message is that of its line. */
function findingOf({ memory, system }: RuleContext, line: number, detail: string): Finding {
  const position = system.ledger !== null ? memory.messages.positionOf(line) : -1
  return {
    id: position < 0 ? null : memory.messageId(position),
    conversationId: position < 0 ? null : memory.messageConversation(position),
    detail: `line ${line}: ${detail}`,
  }
}

function* each(context: RuleContext, judge: (line: LedgerLine) => string | null): Generator<Finding | null> {
  for (const line of readLedgerLines(ledgerOf(context) ?? '')) {
    const detail = judge(line)
    yield detail === null ? null : findingOf(context, line.line, detail)
  }
}

const findWrongHashes = (context: RuleContext): Iterable<Finding | null> =>
  each(context, ({ isEvent, isTrue }) =>
    isEvent ? (isTrue ? null : 'its content is not what its hash says') : 'no event can be read',
  )

function findBrokenChain(context: RuleContext): Iterable<Finding | null> {
  const chain = new ChainCheck()
  return each(context, ({ isEvent, isTrue, text, previous }) => {
    if (isEvent) return chain.add({ text, previous, isSound: isTrue })
    chain.skip()
    return null
  })
}

function findDuplicates(context: RuleContext): Iterable<Finding | null> {
  const first = new Map<string, number>()
  return each(context, ({ line, isEvent, eventId }) => {
    const before = first.get(eventId)
    if (isEvent && before === undefined) first.set(eventId, line)
    return isEvent && before !== undefined ? `the event ${eventId} stands in line ${before} already` : null
  })
}

function findTimeSteps(context: RuleContext): Iterable<Finding | null> {
  let latest = Number.NEGATIVE_INFINITY
  return each(context, ({ isEvent, time }) => {
    const at = isEvent ? eventTimeMs(time) : Number.NaN
    if (Number.isNaN(at)) return isEvent ? 'its time cannot be read' : null
    const isBack = at < latest
    latest = Math.max(latest, at)
    return isBack ? 'earlier than the line before it' : null
  })
}

/** The path of the ledger: the one that the system gives it, or the one that a native file names and this machine allows. */
function ledgerOf({ db, info, ledger, system }: RuleContext): string | null {
  if (system.ledger !== null) return system.ledger.pathOf(realpathSync(info.path))
  const path = isNative(info) ? statedLedger(db) : null
  // A path that is not allowed is not even looked at.
  return path !== null && ledger?.isAllowed(path) ? path : null
}

function* findBehind(context: RuleContext): Iterable<Finding | null> {
  if (isNative(context.info)) return yield* findUnrecorded(context)
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

/** Messages that neither the ledger nor its outbox has, and changes that wait because the ledger cannot be continued. */
function* findUnrecorded(context: RuleContext): Iterable<Finding | null> {
  const { db } = context
  const state = context.ledger?.state()
  if (state && state.blocked !== null && state.pending > 0) {
    const detail = `${state.pending} changes wait in the memory. ${state.blocked}`
    yield { id: null, conversationId: null, detail }
  }
  if (noLedger(context) !== null) return
  const recorded = recordedIn(context)
  const waiting = pendingMessageIds(db)
  for (const [messageId, conversationId, hash] of everyContentHash(db)) {
    const isKnown = recorded.has(hash) || waiting.has(messageId)
    yield isKnown ? null : { id: `msg_${messageId}`, conversationId, detail: 'not in the ledger' }
  }
}

/** What only the ledger has, and lines that stand after all that this memory has written. */
function* findAhead(context: RuleContext): Iterable<Finding | null> {
  const { db } = context
  const { bytes: known } = extentOf(db)
  const stored = new Set<string>()
  for (const [, , hash] of everyContentHash(db)) stored.add(hash)
  const expected = expectedHashes(db)
  for (const { line, start, isEvent, kind, hash } of readLedgerLines(ledgerOf(context) ?? '')) {
    const isStray = isEvent && start >= known && !expected.has(hash)
    const isMissing = isEvent && kind !== 'event' && !stored.has(hash) && !expected.has(hash)
    if (!isStray && !isMissing) yield null
    else if (isMissing) yield findingOf(context, line, 'a message that the database does not hold')
    else yield findingOf(context, line, 'not written by this memory: it stands after all that it has written')
  }
}

/** Hashes of a batch that was begun. Events of it that are in the ledger were written by this memory. */
function expectedHashes(db: RuleContext['db']): ReadonlySet<string> {
  const last = ledgerMeta(db, 'ledger_batch')
  if (last === undefined) return new Set()
  return new Set([...toEvents(db, readBatch(db, Number(last)))].map(({ content }) => sha256(content)))
}

/** Finds a ledger that belongs to another memory, by its keeper on this machine or by its first line. */
function* findForeign({ info, ledger }: RuleContext): Iterable<Finding | null> {
  if (!isNative(info) || ledger === null) return
  const { problem, blocked } = ledger.state()
  yield problem === 'foreign' ? { id: null, conversationId: null, detail: blocked ?? '' } : null
}

function recordedIn(context: RuleContext): ReadonlySet<string> {
  const recorded = new Set<string>()
  for (const { isEvent, kind, hash } of readLedgerLines(ledgerOf(context) ?? '')) {
    if (isEvent && kind !== 'event') recorded.add(hash)
  }
  return recorded
}

const keepsNone = ({ db, info, system }: RuleContext): string | null =>
  system.ledger !== null || (isNative(info) && statedLedger(db) !== null)
    ? null
    : `${info.systemLabel} keeps no ledger of this file.`

const noLedger = (context: RuleContext): string | null => {
  const none = keepsNone(context)
  if (none !== null) return none
  const path = ledgerOf(context)
  if (path === null)
    return 'Nobody has agreed on this computer to the ledger that this memory names ("lcm ledger status").'
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ? null : 'The ledger is not where it should be.'
  } catch {
    return 'The ledger cannot be reached.'
  }
}

const foreignLedger = ({ ledger }: RuleContext): string | null =>
  ledger?.state().problem === 'foreign' ? 'The ledger is that of another memory.' : null

const nativeLedger = (context: RuleContext): string | null =>
  isNative(context.info) ? noLedger(context) : `${context.info.systemLabel} has no ledger of its own here.`

const NEW_LEDGER =
  'Verify the ledger, then end it and begin a new one in a file of its own, which holds all that the database has. The old one stays as it is.'

/** A ledger is only written when the transaction is committed. */
const always = (): boolean => true

export const ledgerRules = [
  {
    id: 'ledger_hash',
    group: 'ledger',
    severity: 'error',
    phase: 'files',
    invariant: 'Every line of the ledger is an event whose content has its hash.',
    explanation: 'What was recorded was changed afterwards, or cut off: it cannot be relied on as a record any more.',
    advice: NEW_LEDGER,
    notApplicable: noLedger,
    find: findWrongHashes,
  },
  {
    id: 'ledger_chain',
    group: 'ledger',
    severity: 'error',
    phase: 'files',
    invariant: 'Every line of the ledger follows the line that it names.',
    explanation:
      'A line was removed, put in or replaced after it was written. Ledgers of older versions and other programs name no lines, and of those it cannot be told.',
    advice: NEW_LEDGER,
    notApplicable: noLedger,
    find: findBrokenChain,
  },
  {
    id: 'ledger_duplicate_event',
    group: 'ledger',
    severity: 'error',
    phase: 'files',
    invariant: 'Every event of the ledger has an id of its own.',
    explanation: 'A line was written twice, or the ledger was put together from several.',
    advice: NEW_LEDGER,
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
    advice: NEW_LEDGER,
    notApplicable: noLedger,
    find: findTimeSteps,
  },
  {
    id: 'ledger_behind',
    isLeftOutOfCommit: always,
    group: 'ledger',
    severity: 'warning',
    phase: 'files',
    invariant: 'The ledger holds all that the database holds.',
    explanation:
      'The ledger lacks what the database has: it was cut off, cannot be written, or was restored without the database.',
    advice: NEW_LEDGER,
    isSettledByCommand: true,
    consequenceOf: ['ledger_hash'],
    notApplicable: (context) => (isNative(context.info) ? keepsNone(context) : noLedger(context)),
    find: findBehind,
  },
  {
    id: 'ledger_ahead',
    isLeftOutOfCommit: always,
    group: 'ledger',
    severity: 'warning',
    phase: 'files',
    invariant: 'The ledger holds nothing that this memory did not write.',
    explanation:
      'The ledger goes on where this memory does not: a copy of the memory wrote into it, or the memory was restored without it.',
    advice: NEW_LEDGER,
    isSettledByCommand: true,
    consequenceOf: ['ledger_hash'],
    notApplicable: (context) => nativeLedger(context) ?? foreignLedger(context),
    find: findAhead,
  },
  {
    id: 'ledger_foreign',
    isLeftOutOfCommit: always,
    group: 'ledger',
    severity: 'error',
    phase: 'files',
    invariant: 'The ledger of a memory is its own.',
    explanation: 'The ledger that this memory names is that of another memory. Nothing of this one is written there.',
    advice: NEW_LEDGER,
    isSettledByCommand: true,
    notApplicable: (context) => keepsNone(context) ?? (isNative(context.info) ? null : nativeLedger(context)),
    find: findForeign,
  },
] as const satisfies readonly Rule[]
