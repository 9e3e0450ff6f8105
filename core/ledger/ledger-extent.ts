import { fstatSync } from 'node:fs'
import type { LedgerProblem } from '../contract/ledger.ts'
import { sha256 } from '../hashing.ts'
import { readAt } from '../read-at.ts'
import type { ReadDb, WriteDb } from '../sqlite/read-db.ts'
import { linesFrom } from '../systems/reading/file-lines.ts'
import { parseLine } from './ledger-line.ts'
import { ledgerMeta, setLedgerMeta } from './ledger-meta.ts'

const TAIL_BYTES = 4096

/** What a memory knows of the ledger that it wrote: its length, its beginning and its end. */
export type LedgerExtent = { readonly bytes: number; readonly head: string | null; readonly tail: string | null }

export type Problem = { readonly kind: LedgerProblem; readonly message: string }

export const extentOf = (db: ReadDb): LedgerExtent => ({
  bytes: Number(ledgerMeta(db, 'ledger_bytes') ?? 0) || 0,
  head: ledgerMeta(db, 'ledger_head') ?? null,
  tail: ledgerMeta(db, 'ledger_tail') ?? null,
})

export function saveExtent(db: WriteDb, { bytes, head, tail }: LedgerExtent): void {
  setLedgerMeta(db, 'ledger_bytes', String(bytes))
  setLedgerMeta(db, 'ledger_head', head ?? '')
  setLedgerMeta(db, 'ledger_tail', tail ?? '')
}

/** Measures an open ledger, up to its end or an earlier offset. */
export function measureLedger(file: number, bytes = fstatSync(file).size): LedgerExtent {
  return { bytes, head: headOf(file), tail: bytes === 0 ? null : tailOf(file, bytes) }
}

/**
 * Says whether an open file is the ledger that a memory wrote, because it has the same beginning and end up to the
 * length that the memory knows. What follows is not examined.
 */
export function compareExtent(file: number, path: string, known: LedgerExtent): Problem | null {
  const { size } = fstatSync(file)
  if (size < known.bytes) return cutOff(path, size, known.bytes)
  if (known.bytes === 0) return null
  if (known.head === null || known.tail === null) return unproven(path)
  if (headOf(file) !== known.head) return anothersLedger(path)
  return tailOf(file, known.bytes) === known.tail ? null : changed(path)
}

/** Hashes the first line when it is an event. Returns null when this is no ledger. */
function headOf(file: number): string | null {
  for (const { bytes } of linesFrom(file, 0)) {
    const line = bytes?.toString('utf8') ?? ''
    return typeof parseLine(line) === 'string' ? null : sha256(line)
  }
  return null
}

const tailOf = (file: number, end: number): string =>
  sha256(readBytes(file, Math.max(0, end - TAIL_BYTES), end).toString('latin1'))

export const readBytes = (file: number, from: number, to: number): Buffer => readAt(file, from, Math.max(0, to - from))

const BEGIN_ANEW = 'end it ("lcm ledger disable") and begin one in a file of its own ("lcm ledger enable FILE")'

const cutOff = (path: string, bytes: number, known: number): Problem => ({
  kind: 'cut_off',
  message: `The ledger ${path} has ${bytes} bytes where ${known} were written: it was cut off or replaced. Put the whole one back, or ${BEGIN_ANEW}. What is pending stays in the memory meanwhile.`,
})

const changed = (path: string): Problem => ({
  kind: 'changed',
  message: `The ledger ${path} is not as it was written: its last lines were changed. Put the right one back, or ${BEGIN_ANEW}. What is pending stays in the memory meanwhile.`,
})

const anothersLedger = (path: string): Problem => ({
  kind: 'foreign',
  message: `${path} is not the ledger of this memory: it does not begin with what was written first. Nothing is written there. Put the right one back, or ${BEGIN_ANEW}.`,
})

const unproven = (path: string): Problem => ({
  kind: 'not_agreed',
  message: `Nothing proves yet that ${path} is the ledger of this memory: have it compared and agree to it ("lcm ledger agree"), or ${BEGIN_ANEW}. What is pending stays in the memory meanwhile.`,
})

/** The problem that the ledger continues with lines that this memory did not write. */
export const aheadOf = (path: string): Problem => ({
  kind: 'ahead',
  message: `The ledger ${path} goes on after what this memory has written: a copy of the memory or an older version wrote there, or the memory was restored without it. Nothing is added. Keep that ledger as it is, and ${BEGIN_ANEW}.`,
})

export const keptByOther = (path: string, keeper: string): Problem => ({
  kind: 'foreign',
  message: `${path} is the ledger of ${keeper}, and a ledger belongs to one memory: nothing of this one is written there. To keep one of this memory, ${BEGIN_ANEW}.`,
})

export const notAgreed = (path: string, memory: string, named: string | null): Problem => ({
  kind: 'not_agreed',
  message: `This memory names ${path} as its ledger${named === null ? '' : `, the settings of this computer name ${named}`}. Nobody has agreed on this computer that this file writes there (a copy has to ask again), so nothing is written. Agree with "lcm ledger agree --db ${memory}", or ${BEGIN_ANEW}. What is pending stays in the memory meanwhile.`,
})
