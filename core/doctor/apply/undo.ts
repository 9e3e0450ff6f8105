import { existsSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { refuseLocked } from '#core/compaction/conversation-lock.ts'
import type { JobProgress } from '#core/contract/job.ts'
import type { Backup } from '#core/contract/repair.ts'
import type { UndoInput, UndoResult } from '#core/contract/surgery.ts'
import { LcmError } from '#core/errors.ts'
import type { WindowEntry } from '#core/memory/draft.ts'
import { listBackups } from '#core/sqlite/backup.ts'
import { fillIndexes } from '#core/sqlite/fill-indexes.ts'
import type { ReadDb, WriteDb } from '#core/sqlite/read-db.ts'
import { withoutTriggers } from '#core/sqlite/take-triggers.ts'
import { isNative } from '#core/systems/native/native.ts'
import { openMemory } from '#core/systems/opening/open.ts'
import { recordSurgery } from '#core/systems/records/surgery-log.ts'
import { FileDraft } from '#core/systems/rules/file-draft.ts'
import { inSlices, withoutYielding } from '#core/yielding.ts'
import type { RepairerOptions } from '../repair/repairer-options.ts'
import { putBack } from '../repair/settle.ts'
import { COPY_PREFIX } from './message-copies.ts'
import { canonicalExtent, canonicalHash } from './row-digest.ts'
import { writeRows } from './rows.ts'
import { verifiedBackup } from './verified-backup.ts'

/** Tables of derived rows, which are restored as they were, with their keys, in the order in which rows are removed. */
const DERIVED = {
  context_items: 'conversation_id, ordinal',
  summary_sources: 'summary_id, source_summary_id',
  summary_messages: 'summary_id, message_id',
  summaries: 'summary_rowid',
  large_files: 'file_id',
} as const
const TABLES = Object.keys(DERIVED) as (keyof typeof DERIVED)[]
/** Triggers that are left out: indexes are filled again at the end, and copies of messages may be removed. */
const OFF = ['*_index_*', '*_undeletable']
/** Tables that record what happened. Lost rows are restored, and no row is removed. */
const LOGS = ['compaction_runs', 'compaction_events'] as const
/** Tables that refer to messages. Their rows are removed first. */
const OF_MESSAGES = ['context_items', 'summary_messages', 'message_parts', 'messages'] as const

const queries = {
  /** Canonical columns: what the backup holds of them has to be here as it is there. */
  changed: /* sql */ `
    SELECT b.message_id FROM kept.messages AS b
    LEFT JOIN main.messages AS m ON m.message_id = b.message_id
    WHERE m.message_id IS NOT NULL AND (m.conversation_id, m.seq, m.role, m.created_at, m.content)
      IS NOT (b.conversation_id, b.seq, b.role, b.created_at, b.content)
    LIMIT 1`,
  otherConversation: /* sql */ `
    SELECT b.conversation_id FROM kept.conversations AS b
    JOIN main.conversations AS m ON m.conversation_id = b.conversation_id
    WHERE m.session_id <> b.session_id OR m.importer <> b.importer
    LIMIT 1`,
  lostConversations: /* sql */ `
    INSERT INTO main.conversations SELECT * FROM kept.conversations
    WHERE conversation_id NOT IN (SELECT conversation_id FROM main.conversations)`,
  lostMessages: /* sql */ `
    INSERT INTO main.messages SELECT * FROM kept.messages
    WHERE message_id NOT IN (SELECT message_id FROM main.messages)`,
  lostParts: /* sql */ `
    INSERT INTO main.message_parts SELECT * FROM kept.message_parts AS p
    WHERE part_id NOT IN (SELECT part_id FROM main.message_parts)
      AND NOT EXISTS (SELECT 1 FROM main.message_parts AS o WHERE o.message_id = p.message_id AND o.ordinal = p.ordinal)`,
  /** Copies that a transplant made since: their originals are where they always were. */
  copies: /* sql */ `
    SELECT message_id FROM main.messages
    WHERE external_id LIKE '${COPY_PREFIX}%' AND message_id NOT IN (SELECT message_id FROM kept.messages)`,
  newMessages: /* sql */ `
    SELECT message_id FROM main.messages WHERE message_id NOT IN (SELECT message_id FROM kept.messages)`,
  tokens: /* sql */ `
    UPDATE main.messages SET token_count = (SELECT b.token_count FROM kept.messages AS b WHERE b.message_id = messages.message_id)
    WHERE EXISTS (SELECT 1 FROM kept.messages AS b
      WHERE b.message_id = messages.message_id AND b.token_count <> messages.token_count)`,
  windows: /* sql */ `
    SELECT conversation_id AS conversationId, ordinal, message_id AS messageId, summary_id AS summaryId,
      created_at AS placedAtMs
    FROM main.context_items
    ORDER BY conversation_id, ordinal`,
  removeOther: (table: keyof typeof DERIVED) => /* sql */ `
    DELETE FROM main.${table} WHERE (${DERIVED[table]}) IN (
      SELECT ${DERIVED[table]} FROM (SELECT * FROM main.${table} EXCEPT SELECT * FROM kept.${table}))`,
  addMissing: (table: keyof typeof DERIVED) => /* sql */ `
    INSERT INTO main.${table} SELECT * FROM kept.${table} EXCEPT SELECT * FROM main.${table}`,
  addLost: (log: (typeof LOGS)[number]) => /* sql */ `INSERT OR IGNORE INTO main.${log} SELECT * FROM kept.${log}`,
  removeMessages: (table: (typeof OF_MESSAGES)[number]) => /* sql */ `
    DELETE FROM main.${table} WHERE message_id IN (SELECT value FROM json_each(:ids))`,
}

/**
 * Restores what is derived (summaries, links, windows, runs) from a backup of the same file, in one transaction of the
 * open database, so that whoever has it open sees one state or the other. Messages that came since stay, and stand in
 * their windows. https://www.sqlite.org/lang_attach.html
 */
export class Undo {
  readonly #options: RepairerOptions

  constructor(options: RepairerOptions) {
    this.#options = options
  }

  /** Newest first. */
  backups(folder?: string): Backup[] {
    return listBackups(this.#options.info.path, folder)
  }

  /**
   * @throws LcmError read_only_dialect, read_only_file, not_found, invalid_argument when it is no backup of this file,
   * file_corrupt when it is not sound, locked, cancelled
   */
  async *run(input: UndoInput, signal: AbortSignal): AsyncGenerator<JobProgress, UndoResult> {
    const { info, clock } = this.#options
    const began = performance.now()
    const db = this.#options.requireWrite('restore')
    const restored = this.#find(input)
    yield { done: 0, total: 3, unit: 'steps', note: 'looking at the backup' }
    await this.#verify(restored, signal)
    const request = { path: info.path, folder: input.backupFolder, nowMs: clock() }
    const { backup } = yield* verifiedBackup(request, signal)
    if (signal.aborted) throw new LcmError('cancelled', 'Cancelled before anything was changed; the backup was kept.')
    yield { done: 2, total: 3, unit: 'steps', note: 'restoring' }
    const { rows, keptMessages } = this.#attached(db, restored.path, () => this.#restore(db, restored))
    return { restored, backup, rows, keptMessages, durationMs: performance.now() - began }
  }

  #find({ backup, backupFolder }: UndoInput): Backup {
    const known = this.backups(backupFolder)
    const path = [resolve(backup), join(dirname(this.#options.info.path), basename(backup))].find(
      (candidate) => known.some((one) => one.path === candidate) || existsSync(candidate),
    )
    const found = known.find((one) => one.path === path || basename(one.path) === backup)
    if (found) return found
    if (path !== undefined) return { path, bytes: 0, atMs: 0 }
    throw new LcmError('not_found', `There is no backup ${JSON.stringify(backup)}: "lcm backups" lists them.`, {
      backup,
    })
  }

  /** Opens a backup for reading only, so that it never changes. It has to be sound, native and of this version. */
  async #verify(backup: Backup, signal: AbortSignal): Promise<void> {
    const memory = await openMemory(backup.path, { readOnly: true })
    try {
      const version = memory.read.value<number>('PRAGMA user_version')
      const own = this.#options.db.value<number>('PRAGMA user_version')
      if (!isNative(memory.info) || version !== own) {
        throw new LcmError(
          'invalid_argument',
          `${backup.path} is of another version or system and cannot be restored into this file: open it as it is.`,
        )
      }
      await inSlices(canonicalHash(memory.read, canonicalExtent(memory.read)), signal)
    } finally {
      memory.close()
    }
  }

  #attached<T>(db: WriteDb, path: string, body: () => T): T {
    db.run('ATTACH :path AS kept', { path })
    try {
      return body()
    } finally {
      db.exec('DETACH kept')
    }
  }

  #restore(db: WriteDb, restored: Backup): Pick<UndoResult, 'rows' | 'keptMessages'> {
    const { clock, owner } = this.#options
    return db.transaction(() => {
      refuseLocked(db, null, clock())
      refuseOther(db, restored.path)
      db.exec('PRAGMA defer_foreign_keys = ON')
      const before = windowsOf(db)
      const rows = withoutTriggers(db, OFF, () => copyRows(db))
      const kept = putNewMessagesBack(db)
      fillIndexes(db, ['message', 'summary'])
      const after = windowsOf(db)
      for (const conversationId of new Set([...before.keys(), ...after.keys()])) {
        const window = { before: before.get(conversationId) ?? [], after: after.get(conversationId) ?? [] }
        const summary = `Restored from ${basename(restored.path)}.`
        recordSurgery(db, { conversationId, kind: 'undo', nodeId: null, summary, window }, owner, clock())
      }
      return { rows: Object.fromEntries(Object.entries(rows).filter(([, count]) => count > 0)), keptMessages: kept }
    })
  }
}

/** From the attached backup. Returns how many rows of each table were written or taken out. */
function copyRows(db: WriteDb): Record<string, number> {
  const rows: Record<string, number> = { messages: removeCopies(db) }
  for (const table of TABLES) rows[table] = db.run(queries.removeOther(table))
  rows.conversations = db.run(queries.lostConversations)
  rows.messages = (rows.messages ?? 0) + db.run(queries.lostMessages) + db.run(queries.tokens)
  db.run(queries.lostParts)
  for (const table of TABLES.toReversed()) rows[table] = (rows[table] ?? 0) + db.run(queries.addMissing(table))
  for (const table of LOGS) rows[table] = db.run(queries.addLost(table))
  return rows
}

function windowsOf(db: ReadDb): Map<number, WindowEntry[]> {
  const rows = db.all<WindowEntry & { conversationId: number }>(queries.windows)
  return Map.groupBy(rows, (row) => row.conversationId)
}

function refuseOther(db: WriteDb, path: string): void {
  const conversation = db.value<number>(queries.otherConversation)
  const message = db.value<number>(queries.changed)
  if (conversation === undefined && message === undefined) return
  const what = message === undefined ? `conversation ${conversation}` : `msg_${message}`
  throw new LcmError(
    'invalid_argument',
    `${path} is no backup of this file: ${what} is another there. Open the backup as a file of its own.`,
    { path },
  )
}

/** Returns how many messages that were. */
function removeCopies(db: WriteDb): number {
  const ids = JSON.stringify(db.column<number>(queries.copies))
  const removed = OF_MESSAGES.map((table) => db.run(queries.removeMessages(table), { ids }))
  return removed.at(-1) ?? 0
}

/** Returns how many messages came since the backup. */
function putNewMessagesBack(db: WriteDb): number {
  const fresh = new Set(db.column<number>(queries.newMessages))
  if (fresh.size === 0) return 0
  const draft = withoutYielding(FileDraft.read(db))
  const windows = new Set([...fresh].map((id) => draft.messages.conversationAt(draft.messages.positionOf(id))))
  putBack(draft, (position) => fresh.has(draft.messages.idAt(position)), windows)
  writeRows(db, draft.take())
  return fresh.size
}
