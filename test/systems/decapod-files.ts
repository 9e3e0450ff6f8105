import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { FIXTURES } from '../sqlite/fixtures.ts'
import { changedCopy, WITHOUT_CONSTRAINTS } from './foreign-files.ts'

export const FOLDER = join(FIXTURES, 'decapod/small')
export const SMALL = join(FOLDER, 'lcm.db')
export const LEDGER = 'lcm.events.jsonl'

export type LedgerEvent = {
  actor: string
  content: string
  content_hash: string
  event_id: string
  kind: string
  metadata: { session_id?: string; source?: string }
  ts: string
}

export const lines = readFileSync(join(FOLDER, LEDGER), 'utf8').trimEnd().split('\n')
export const events = lines.map((text) => JSON.parse(text) as LedgerEvent)

/** Returns lines in the form of a ledger. */
export const ended = (texts: readonly string[]): string => texts.map((text) => `${text}\n`).join('')

/** A copy with its ledger, or what is left of it. */
export function copyWithLedger(ledger: string | null = ended(lines), sql = ''): string {
  const path = changedCopy(SMALL, (db) => db.exec(`${WITHOUT_CONSTRAINTS}; ${sql}`))
  if (ledger !== null) writeFileSync(join(dirname(path), LEDGER), ledger)
  return path
}

export const hashOf = (content: string): string => createHash('sha256').update(content, 'utf8').digest('hex')

/** A line as the system writes it. */
export const line = (content: string, more: Partial<LedgerEvent> = {}): string =>
  `${JSON.stringify({ actor: 'agent', content, content_hash: hashOf(content), event_id: `01${hashOf(content).slice(0, 24)}`, kind: 'message', metadata: {}, ts: '1772450000Z', ...more })}\n`
