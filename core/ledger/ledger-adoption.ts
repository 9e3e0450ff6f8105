import { closeSync, fstatSync, openSync, statSync } from 'node:fs'
import { LcmError } from '../errors.ts'
import { fileError } from '../sqlite/memory-file.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import {
  aheadOf,
  compareExtent,
  extentOf,
  keptByOther,
  type LedgerExtent,
  measureLedger,
  readBytes,
} from './ledger-extent.ts'
import { readLedgerLines } from './ledger-lines.ts'
import { ledgerMeta } from './ledger-meta.ts'
import { type LedgerPermission, noFile, throwRefused } from './ledger-permission.ts'
import { pendingMessageIds } from './outbox.ts'

const LINE_FEED = 0x0a

const queries = {
  hashes: /* sql */ `SELECT message_id AS id, content_hash AS hash FROM messages`,
}

/**
 * Proves by its content that a file is the ledger of a memory: it begins and ends as the memory has noted. A memory of
 * an older version noted neither, and then both must hold the same messages.
 * @throws LcmError ledger_refused, file_missing, file_not_readable
 */
export function proveLedger(db: ReadDb, path: string, { memory, consents }: LedgerPermission): LedgerExtent {
  const keeper = consents.keeperOf(path, memory)
  if (keeper !== null) throwRefused(keptByOther(path, keeper), path)
  const known = extentOf(db)
  const file = openExisting(path, known)
  if (file === null) return known
  try {
    if (known.bytes === 0 || known.head !== null) {
      const problem = compareExtent(file, path, known)
      if (problem !== null) throwRefused(problem, path)
    }
    const { size } = fstatSync(file)
    // After a crash the writer finds out how much of its batch was written.
    if (size > known.bytes && ledgerMeta(db, 'ledger_batch') === undefined) throwRefused(aheadOf(path), path)
    if (known.bytes === 0 || known.head !== null) return known
    const endsLine = readBytes(file, known.bytes - 1, known.bytes)[0] === LINE_FEED
    const upTo = measureLedger(file, Math.min(size, known.bytes))
    if (size < known.bytes || !endsLine || upTo.head === null || !holdSameMessages(db, path, known.bytes)) {
      throw new LcmError(
        'ledger_refused',
        `${path} is not proved to be the ledger of this memory: they do not hold the same messages ("lcm ledger verify ${path} --db ${memory}" names them). Nothing is written there. End it ("lcm ledger disable") and begin one in a file of its own ("lcm ledger enable FILE").`,
        { path },
      )
    }
    return upTo
  } finally {
    closeSync(file)
  }
}

/** Returns null when the ledger has not been begun, so that it may be missing. */
function openExisting(path: string, known: LedgerExtent): number | null {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found && !found.isFile()) throwRefused(noFile(path), path)
    if (!found && known.bytes === 0) return null
    return openSync(path, 'r')
  } catch (error) {
    throw fileError(error, path)
  }
}

function holdSameMessages(db: ReadDb, path: string, end: number): boolean {
  const recorded = new Set<string>()
  for (const { isEvent, isTrue, kind, hash, start } of readLedgerLines(path)) {
    if (start >= end) break
    if (!isEvent || !isTrue) return false
    if (kind !== 'event') recorded.add(hash)
  }
  const pending = pendingMessageIds(db)
  const stored = new Set<string>()
  for (const { id, hash } of db.iterate<{ id: number; hash: string }>(queries.hashes)) {
    stored.add(hash)
    if (!recorded.has(hash) && !pending.has(id)) return false
  }
  return [...recorded].every((hash) => stored.has(hash))
}
