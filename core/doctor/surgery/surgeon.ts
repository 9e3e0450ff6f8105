import type { JobProgress } from '#core/contract/job.ts'
import type {
  SurgeryEvent,
  SurgeryInput,
  SurgeryOperation,
  SurgeryPreview,
  SurgeryResult,
} from '#core/contract/surgery.ts'
import { LcmError } from '#core/errors.ts'
import { stateBefore, withSources } from '#core/memory/draft-coverage.ts'
import type { MemoryRows } from '#core/memory/memory.ts'
import type { WriteDb } from '#core/sqlite/read-db.ts'
import { isNative } from '#core/systems/native/native.ts'
import { readingMemory } from '#core/systems/reading/read-memory.ts'
import { listSurgery } from '#core/systems/records/surgery-log.ts'
import { FileDraft } from '#core/systems/rules/file-draft.ts'
import { inSlices } from '#core/yielding.ts'
import { commitVerified, leftOut, planStale } from '../apply/commit.ts'
import { canonicalExtent } from '../apply/row-digest.ts'
import { verifiedBackup } from '../apply/verified-backup.ts'
import { dissolveNode, whyNotDissolved } from '../repair/dissolve-node.ts'
import type { RepairerOptions } from '../repair/repairer-options.ts'
import { rules } from '../rules/rules.ts'
import { type Operated, toOperated, windowTokens } from './operated.ts'
import { placeTexts } from './place-texts.ts'
import { rewriteTexts, writeByHand } from './rewrite.ts'
import { transplant } from './transplant.ts'

/** How often an operation is prepared again when another process has written meanwhile. */
const ATTEMPTS = 5

/** The file changed after an operation was prepared, so that it is prepared again. */
class Overtaken extends Error {
  override readonly name = 'Overtaken'
}

/** Changes single nodes by hand. Each change has a preview and a backup, and is kept only when no check gets worse. */
export class Surgeon {
  readonly #options: RepairerOptions

  constructor(options: RepairerOptions) {
    this.#options = options
  }

  /**
   * Returns what an operation would do to any file. A rewrite calls its summariser. Nothing is written.
   * @throws LcmError not_found, invalid_argument, cancelled
   */
  async *preview(operation: SurgeryOperation, signal: AbortSignal): AsyncGenerator<JobProgress, SurgeryPreview> {
    const { preview } = yield* this.#operate({ operation }, signal)
    return preview
  }

  /**
   * Carries out the operation that was previewed, or does nothing.
   * @throws LcmError read_only_dialect, read_only_file, not_found, invalid_argument, plan_stale, locked, cancelled
   */
  async *apply(input: SurgeryInput, signal: AbortSignal): AsyncGenerator<JobProgress, SurgeryResult> {
    const db = this.#options.requireWrite(input.operation.kind)
    const began = performance.now()
    const first = yield* this.#operate(input, signal)
    this.#refuseOther(first, input)
    // However often the operation is prepared again, the texts that were just made are the ones that are written.
    const again: SurgeryInput = { ...input, previewId: first.preview.previewId, nodes: [...first.preview.nodes] }
    if (first.batches.every(({ changes }) => changes.length === 0)) {
      const { operation } = input
      return {
        operation,
        preview: first.preview,
        backup: null,
        rolledBack: null,
        canonicalHash: '',
        durationMs: performance.now() - began,
      }
    }
    for (let attempt = 1; ; attempt += 1) {
      try {
        const done = yield* this.#commit(db, again, signal)
        return { operation: input.operation, ...done, durationMs: performance.now() - began }
      } catch (error) {
        if (!(error instanceof Overtaken)) throw error
        if (attempt === ATTEMPTS) {
          throw new LcmError(
            'locked',
            `${db.path} is being written to without a rest: nothing was changed. Try again.`,
            {
              path: db.path,
            },
          )
        }
      }
    }
  }

  /** Returns what was done by hand or by a repair, newest first. The list is empty for files of other systems. */
  events(conversationId: number | null): SurgeryEvent[] {
    return isNative(this.#options.info) ? listSurgery(this.#options.db, conversationId) : []
  }

  async *#commit(
    db: WriteDb,
    input: SurgeryInput,
    signal: AbortSignal,
  ): AsyncGenerator<JobProgress, Pick<SurgeryResult, 'preview' | 'backup' | 'rolledBack' | 'canonicalHash'>> {
    const { clock, integrity, owner, info } = this.#options
    const dataVersion = db.dataVersion()
    const { report, readRows } = yield* integrity.examine(undefined, signal, { asked: rules, kept: [] })
    const operated = yield* this.#operate(input, signal, readRows())
    this.#refuseOther(operated, input)
    const extent = canonicalExtent(db)
    const stored = yield* verifiedBackup({ path: info.path, folder: input.backupFolder, nowMs: clock() }, signal)
    if (signal.aborted) throw new LcmError('cancelled', 'Cancelled before anything was changed; the backup was kept.')
    yield { done: 0, total: 1, unit: 'steps', note: 'writing, then scanning again' }
    const { preview, batches, records, conversationIds, prepare } = operated
    const { worse } = commitVerified(
      { db, integrity, clock, owner },
      {
        batches,
        statements: [],
        conversationIds,
        records: records.map((record) => ({ ...record, detail: { ...record.detail, backup: stored.backup.path } })),
        ...(prepare ? { prepare } : {}),
      },
      {
        dataVersion,
        counts: new Map(report.checks.map((check) => [check.id, check.count])),
        canonical: { extent, hash: stored.canonicalHash },
        without: leftOut(info.bytes),
        isAccepted: (id) => report.checks.find((check) => check.id === id)?.severity === 'info',
      },
      () => {
        throw new Overtaken()
      },
    )
    return {
      preview,
      backup: stored.backup,
      rolledBack: worse === null ? null : [...worse],
      canonicalHash: stored.canonicalHash,
    }
  }

  #refuseOther({ preview }: Operated, { previewId }: SurgeryInput): void {
    if (previewId === undefined || previewId === preview.previewId) return
    throw planStale(this.#options.db.path, null, 'it would change other rows now than those that were shown')
  }

  async *#operate(
    { operation, nodes }: Pick<SurgeryInput, 'operation' | 'nodes'>,
    signal: AbortSignal,
    rows: Generator<void, MemoryRows> = readingMemory(this.#options.db),
  ): AsyncGenerator<JobProgress, Operated> {
    const { db, estimator, info } = this.#options
    yield { done: 0, total: 0, unit: 'steps', note: 'reading' }
    const draft = await inSlices(FileDraft.read(db, rows), signal)
    const stored = draft.summaries.get(operation.id)
    if (!stored) {
      throw new LcmError(
        'not_found',
        `There is no summary ${JSON.stringify(operation.id)} in ${info.path}: "lcm tree" lists them.`,
        {
          id: operation.id,
        },
      )
    }
    switch (operation.kind) {
      case 'rewrite': {
        if (operation.text !== undefined) {
          if (operation.subtree)
            throw new LcmError('invalid_argument', 'A text by hand is for one summary: leave out the subtree.', {
              id: operation.id,
            })
          const written = writeByHand(draft, operation.id, operation.text, estimator)
          return toOperated(draft, operation, stored.conversationId, { ...written, windowBefore: null })
        }
        if (nodes) return placeTexts(draft, operation, nodes, estimator)
        const ids = operation.subtree ? withSources(draft, [operation.id]) : new Set([operation.id])
        const written = yield* rewriteTexts(draft, ids, this.#rewriteTools(operation), signal)
        return toOperated(draft, operation, stored.conversationId, { ...written, windowBefore: null })
      }
      case 'dissolve': {
        const reason = whyNotDissolved(draft, operation.id)
        if (reason !== null) throw new LcmError('invalid_argument', reason, { id: operation.id })
        const entries = draft.window(stored.conversationId)
        const windowBefore = { entries, tokens: windowTokens(draft, entries) }
        dissolveNode(draft, operation.id, stateBefore(draft))
        return toOperated(draft, operation, stored.conversationId, { windowBefore })
      }
      case 'transplant':
        return transplant(draft, operation, info.path)
    }
  }

  #rewriteTools({ summarizer, prompt, targetTokens }: Extract<SurgeryOperation, { kind: 'rewrite' }>) {
    const { estimator, settings, summarizers } = this.#options
    const asked = prompt === null ? summarizers : summarizers.withPrompt(prompt)
    return { estimator, settings, targetTokens, chain: asked.chainFor(summarizer) }
  }
}
