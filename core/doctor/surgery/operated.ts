import type { SurgeryOperation, SurgeryPreview, WindowChange } from '../../contract/surgery.ts'
import type { WindowEntry } from '../../memory/draft.ts'
import { entryId } from '../../memory/draft-coverage.ts'
import type { WriteDb } from '../../sqlite/read-db.ts'
import type { FileDraft } from '../../systems/file-draft.ts'
import type { Batch } from '../apply/commit.ts'
import { changedRange, type SurgeryRecord } from '../apply/surgery-log.ts'
import { describeChanges, describeMade, fingerprintOf } from '../repair/describe-changes.ts'
import { bringInLine } from '../repair/numbers.ts'
import { shownChanges } from '../repair/shown-plan.ts'
import type { Rewritten } from './rewrite.ts'

/** An operation that was carried out on a model: what is shown, and what would be written. */
export type Operated = {
  readonly preview: SurgeryPreview
  readonly batches: readonly Batch[]
  readonly records: readonly SurgeryRecord[]
  /** That must not be locked. */
  readonly conversationIds: readonly number[]
  /** Before the rows are written. */
  readonly prepare?: (db: WriteDb) => void
}

/** A window as it was, with its tokens: what stood in it may be gone by now. */
export type WindowBefore = { readonly entries: readonly WindowEntry[]; readonly tokens: number }

/** What a rewrite or a dissolution has done to the model, as it is shown and written. */
export function toOperated(
  model: FileDraft,
  operation: SurgeryOperation,
  conversationId: number,
  done: Partial<Rewritten> & { readonly windowBefore: WindowBefore | null },
): Operated {
  const { nodes = [], kept = [], modelTokens = { input: 0, output: 0 }, windowBefore } = done
  bringInLine(model, model.touched)
  const changes = model.take()
  const windowAfter = model.window(conversationId)
  const title = titleOf(operation, nodes.length)
  const description = changes.length === 0 ? 'Nothing changes.' : describeChanges(changes)
  const record: SurgeryRecord = {
    conversationId,
    kind: operation.kind,
    nodeId: operation.id,
    summary: `${title}. ${describeMade(changes)}`,
    ...(windowBefore ? { window: { before: windowBefore.entries, after: windowAfter } } : {}),
    detail: {
      replaced: nodes.map(({ id, before, after }) => ({ id, before, tokens: after.tokens, model: after.model })),
    },
  }
  return {
    batches: [{ step: null, changes }],
    records: [record],
    conversationIds: [conversationId],
    preview: {
      previewId: fingerprintOf(operation, changes),
      operation,
      title,
      description,
      nodes: [...nodes],
      kept: [...kept],
      window: windowBefore ? windowChange(model, conversationId, windowBefore, windowAfter) : null,
      copies: [],
      messages: 0,
      rows: changes.length,
      changes: shownChanges(changes),
      warnings: nodes.length > 0 ? warningsOf(operation, model) : [],
      modelTokens,
    },
  }
}

function titleOf(operation: SurgeryOperation, written: number): string {
  switch (operation.kind) {
    case 'rewrite':
      return operation.subtree
        ? `Rewrite ${operation.id} and what it is made of: ${written} texts`
        : `Rewrite ${operation.id}`
    case 'dissolve':
      return `Dissolve ${operation.id} into its sources`
    case 'transplant':
      return `Transplant ${operation.id} to conversation ${operation.toConversationId}`
  }
}

/** What else a person may want to look at. */
function warningsOf(operation: SurgeryOperation, model: FileDraft): string[] {
  if (operation.kind !== 'rewrite') return []
  const withDependents = model.dependents().get(operation.id) ?? []
  if (withDependents.length === 0) return []
  return [
    `${withDependents.join(', ')} ${withDependents.length === 1 ? 'was' : 'were'} made from the old text and ${withDependents.length === 1 ? 'stays' : 'stay'} as written.`,
  ]
}

function windowChange(
  model: FileDraft,
  conversationId: number,
  before: WindowBefore,
  after: readonly WindowEntry[],
): WindowChange {
  const { from, to } = changedRange(before.entries, after)
  return {
    conversationId,
    removed: from.map(entryId),
    placed: to.map(entryId),
    tokensBefore: before.tokens,
    tokensAfter: windowTokens(model, after),
  }
}

export const windowTokens = (model: FileDraft, entries: readonly WindowEntry[]): number =>
  entries.reduce((sum, entry) => sum + (tokensOf(model, entry) ?? 0), 0)

function tokensOf(model: FileDraft, { messageId, summaryId }: WindowEntry): number | undefined {
  if (messageId !== null) return model.messages.tokensOf(messageId)
  return summaryId === null ? undefined : (model.summaries.get(summaryId)?.tokens ?? undefined)
}
