import { mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { newestFirst } from '#core/browse/conversation-order.ts'
import { isDatabaseAddress } from '#core/database-address.ts'
import { LcmError } from '#core/errors.ts'
import type { Lcm } from '#core/lcm.ts'
import { loadSettings } from '#core/settings/settings-store.ts'
import { fileError } from '#core/sqlite/memory-file.ts'
import { isNative } from '#core/systems/native/native.ts'
import { printNote } from './output/output.ts'
import { oneLine } from './output/text.ts'

/** The options of every command on a memory. */
export type MemoryOptions = { readonly db?: string; readonly newer?: boolean }

/**
 * Opens `--db` (or the configured memory), runs the command on it, and closes it, also when the command fails. The core
 * is loaded only now, so that `--help` and `--version` start quickly.
 */
export async function withMemory<T>(
  options: MemoryOptions,
  body: (lcm: Lcm) => T | Promise<T>,
  open: { readonly create?: boolean; readonly readOnly?: boolean } = {},
): Promise<T> {
  const { openLcm } = await import('#core/lcm.ts')
  const settings = loadSettings(process.env)
  if (open.create && options.db === undefined) makeFolderOf(settings.databasePath)
  const lcm = await openLcm(options.db ?? settings.databasePath, {
    settings,
    allowNewer: options.newer ?? false,
    ...open,
  })
  if (!open.readOnly) {
    noteUnusedLedger(lcm)
    noteUnusedEstimator(lcm)
  }
  try {
    return await body(lcm)
  } finally {
    lcm.close()
  }
}

/**
 * `LCM_LEDGER_PATH` applies to the configured memory only. A note says so, because nobody should believe that another
 * one is recorded there.
 */
export function noteUnusedLedger({ info, settings }: Lcm): void {
  const { ledgerPath, databasePath } = settings
  if (ledgerPath === null || info.path === resolve(databasePath)) return
  printNote(
    `LCM_LEDGER_PATH (${ledgerPath}) is not used: it belongs to the configured memory, ${resolve(databasePath)}, and this is ${info.path}. "lcm ledger enable" keeps one for this memory.`,
  )
}

/** A memory keeps the estimator of its first message. A note says when another one is configured. */
function noteUnusedEstimator({ info, settings, estimator }: Lcm): void {
  const { tokenEstimator } = settings
  if (tokenEstimator === 'heuristic' || tokenEstimator === estimator.name || !isNative(info)) return
  printNote(
    `LCM_TOKEN_ESTIMATOR (${tokenEstimator}) is not used: the tokens of ${info.path} are counted by ${estimator.name}, and two ways in one memory could not be compared.`,
  )
}

/** Creates the folder of the configured memory on first use, because its path is not a typing error. */
export function makeFolderOf(path: string): void {
  // The address of a database has no folder; opening it as a file says what to do.
  if (isDatabaseAddress(path)) return
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  } catch (error) {
    throw fileError(error, dirname(path))
  }
}

/**
 * Returns the conversation that a command works on: the given one, or the only one.
 * @throws LcmError conversation_required when there are several, not_found when there is no such one
 */
export function chooseConversation(lcm: Lcm, given: number | undefined): number {
  const rows = lcm.stats.listed()
  if (given !== undefined) {
    if (rows.some((row) => row.conversationId === given)) return given
    throw new LcmError('not_found', `There is no conversation ${given} in ${lcm.info.path}: "lcm stats" lists them.`)
  }
  const [only] = rows
  if (rows.length === 1 && only) return only.conversationId
  if (rows.length === 0) throw holdsNothing(lcm)
  const ids = rows.slice(0, 12).map((row) => row.conversationId)
  throw new LcmError(
    'conversation_required',
    `${lcm.info.path} holds ${rows.length} conversations: choose one with --conversation (${ids.join(', ')}${rows.length > 12 ? ', …' : ''}).`,
  )
}

/**
 * Returns the given conversation, or the one that was last active, which is then named on standard error.
 * @throws LcmError not_found
 */
export function chooseOrNewest(lcm: Lcm, given: number | undefined): number {
  if (given !== undefined) return chooseConversation(lcm, given)
  const rows = lcm.stats.listed()
  const [newest] = rows.toSorted(newestFirst)
  if (newest === undefined) throw holdsNothing(lcm)
  if (rows.length > 1) {
    const title = oneLine(newest.title ?? newest.sessionId, 60)
    printNote(
      `this is conversation ${newest.conversationId} (${title}), the newest of ${rows.length}: choose another with --conversation.`,
    )
  }
  return newest.conversationId
}

const holdsNothing = ({ info }: Lcm): LcmError =>
  new LcmError('not_found', `${info.path} holds no conversation yet: import a transcript first.`)
