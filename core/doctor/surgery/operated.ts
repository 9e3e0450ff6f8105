import type { SurgeryOperation, SurgeryPreview, WindowChange } from '#core/contract/surgery.ts'
import type { WindowEntry } from '#core/memory/draft.ts'
import { entryId } from '#core/memory/draft-coverage.ts'
import type { WriteDb } from '#core/sqlite/read-db.ts'
import { changedRange, type SurgeryRecord } from '#core/systems/records/surgery-log.ts'
import type { FileDraft } from '#core/systems/rules/file-draft.ts'
import type { Batch } from '../apply/commit.ts'
import { describeChanges, describeMade, fingerprintOf } from '../repair/describe-changes.ts'
import { bringInLine } from '../repair/numbers.ts'
import { shownChanges } from '../repair/shown-plan.ts'
import type { Rewritten } from './rewrite.ts'

/** An operation that was carried out on a draft: what is shown, and what would be written. */
export type Operated = {
  readonly preview: SurgeryPreview
  readonly batches: readonly Batch[]
  readonly records: readonly SurgeryRecord[]
  /** Conversations that must not be locked. */
  readonly conversationIds: readonly number[]
  /** Is called before the rows are written. */
  readonly prepare?: (db: WriteDb) => void
}

/** A window as it was before. Its tokens are kept, because its summaries may be removed by now. */
export type WindowBefore = { readonly entries: readonly WindowEntry[]; readonly tokens: number }

/** Describes what a rewrite or a dissolution has done to the draft, as it is shown and written. */
export function toOperated(
  draft: FileDraft,
  operation: SurgeryOperation,
  conversationId: number,
  done: Partial<Rewritten> & { readonly windowBefore: WindowBefore | null },
): Operated {
  const { nodes = [], kept = [], modelTokens = { input: 0, output: 0 }, windowBefore } = done
  bringInLine(draft, draft.touched)
  const changes = draft.take()
  const windowAfter = draft.window(conversationId)
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
      window: windowBefore ? windowChange(draft, conversationId, windowBefore, windowAfter) : null,
      copies: [],
      messages: 0,
      rows: changes.length,
      changes: shownChanges(changes),
      warnings: nodes.length > 0 ? warningsOf(operation, draft) : [],
      modelTokens,
    },
  }
}

function titleOf(operation: SurgeryOperation, written: number): string {
  switch (operation.kind) {
    case 'rewrite':
      if (operation.text !== undefined) return `Edit ${operation.id} by hand`
      return operation.subtree
        ? `Rewrite ${operation.id} and what it is made of: ${written} texts`
        : `Rewrite ${operation.id}`
    case 'dissolve':
      return `Dissolve ${operation.id} into its sources`
    case 'transplant':
      return `Transplant ${operation.id} to conversation ${operation.toConversationId}`
  }
}

/** Returns warnings about related things that a person may want to check. */
function warningsOf(operation: SurgeryOperation, draft: FileDraft): string[] {
  if (operation.kind !== 'rewrite') return []
  const withDependents = draft.dependents().get(operation.id) ?? []
  if (withDependents.length === 0) return []
  return [
    `${withDependents.join(', ')} ${withDependents.length === 1 ? 'was' : 'were'} made from the old text and ${withDependents.length === 1 ? 'stays' : 'stay'} as written.`,
  ]
}

function windowChange(
  draft: FileDraft,
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
    tokensAfter: windowTokens(draft, after),
  }
}

export const windowTokens = (draft: FileDraft, entries: readonly WindowEntry[]): number =>
  entries.reduce((sum, entry) => sum + (tokensOf(draft, entry) ?? 0), 0)

function tokensOf(draft: FileDraft, { messageId, summaryId }: WindowEntry): number | undefined {
  if (messageId !== null) return draft.messages.tokensOf(messageId)
  return summaryId === null ? undefined : (draft.summaries.get(summaryId)?.tokens ?? undefined)
}
