import type { RowChange } from '#core/contract/repair.ts'
import type { SurgeryOperation } from '#core/contract/surgery.ts'
import { LcmError } from '#core/errors.ts'
import { sha256 } from '#core/hashing.ts'
import { bottomUp, messagesUnder, withSources } from '#core/memory/draft-coverage.ts'
import { diffSummary } from '#core/memory/row-changes.ts'
import type { DraftSummary } from '#core/memory/summaries.ts'
import { conversationHead } from '#core/systems/records/conversations.ts'
import type { FileDraft } from '#core/systems/rules/file-draft.ts'
import { copiedMessages, copyMessages, nextMessageId } from '../apply/message-copies.ts'
import { describeChanges, describeMade, fingerprintOf } from '../repair/describe-changes.ts'
import { shownChanges } from '../repair/shown-plan.ts'
import { type Operated, windowTokens } from './operated.ts'

type Transplant = Extract<SurgeryOperation, { kind: 'transplant' }>
type Copies = { readonly messages: ReadonlyMap<number, number>; readonly summaries: ReadonlyMap<string, string> }

/**
 * Copies a summary with everything that it covers into another conversation. Summaries get new ids, and their messages
 * become new messages at the end of that conversation, each with the id of its original. The original is not changed.
 * The summary becomes the last entry of the target's window, and the other entries keep their ordinals.
 * @throws LcmError not_found, invalid_argument for the same conversation, missing sources, or a summary that is there
 * already
 */
export function transplant(draft: FileDraft, operation: Transplant, path: string): Operated {
  const { id, toConversationId } = operation
  const source = draft.summaries.get(id) as DraftSummary
  const head = conversationHead(draft.db, toConversationId)
  if (!head) {
    throw new LcmError('not_found', `There is no conversation ${toConversationId} in ${path}: "lcm stats" lists them.`)
  }
  if (source.conversationId === toConversationId) {
    throw new LcmError(
      'invalid_argument',
      `${id} is in conversation ${toConversationId} already: choose another one.`,
      { id },
    )
  }
  const nodes = wholeSubtree(draft, id)
  const messages = [...new Set(messagesUnder(draft, nodes))].toSorted(bySeq(draft))
  refuseDuplicates(draft, operation, source, nodes, messages)
  const copies = copiesOf(draft, toConversationId, nodes, messages)
  const changes = [
    ...summaryRows(draft, operation, nodes, copies),
    ...edgeRows(draft, nodes, copies),
    windowRow(draft, operation, copies),
  ]
  const title = `Transplant ${id} to conversation ${toConversationId}`
  const copied = `messages: ${messages.length} copied, each with its parts.`
  const before = draft.window(toConversationId)
  const placed = copies.summaries.get(id) ?? ''
  const after = [...before, { ordinal: 0, messageId: null, summaryId: placed, placedAtMs: null }]
  return {
    batches: [{ step: null, changes }],
    conversationIds: [source.conversationId, toConversationId],
    prepare: (db) =>
      copyMessages(db, copies.messages, {
        from: source.conversationId,
        to: toConversationId,
        sessionId: head.sessionId,
      }),
    records: [
      {
        conversationId: toConversationId,
        kind: 'transplant',
        nodeId: placed,
        summary: `${title}. ${copied} ${describeMade(changes)}`,
        window: { before, after },
        detail: { from: id, fromConversationId: source.conversationId, copies: Object.fromEntries(copies.summaries) },
      },
    ],
    preview: {
      // The numbers of the new rows may differ from the preview. What is copied, and to which conversation, must not.
      previewId: fingerprintOf(
        operation,
        nodes.map((node) => [node, draft.summaries.get(node)?.hash ?? null]),
        messages,
      ),
      operation,
      title,
      description: `${copied} ${describeChanges(changes)}`,
      nodes: [],
      kept: [],
      window: {
        conversationId: toConversationId,
        removed: [],
        placed: [placed],
        tokensBefore: windowTokens(draft, before),
        tokensAfter: windowTokens(draft, before) + (source.tokens ?? 0),
      },
      copies: nodes.map((node) => ({ from: node, to: copies.summaries.get(node) ?? '' })),
      messages: messages.length,
      rows: changes.length + messages.length,
      changes: shownChanges(changes),
      warnings: [
        'Messages are never changed or moved: the target gets copies at its end, the original conversation keeps its own.',
      ],
      modelTokens: { input: 0, output: 0 },
    },
  }
}

/** Returns every summary that a node reaches through its sources, sources first. */
function wholeSubtree(draft: FileDraft, id: string): string[] {
  const all = withSources(draft, [id])
  const order = bottomUp(draft).filter((one) => all.has(one))
  const isWhole = (one: string): boolean =>
    !draft.isEmpty(one) &&
    draft.sourceLinks(one).every(({ to }) => all.has(to)) &&
    draft.messageLinks(one).every(({ to }) => draft.messages.has(to))
  const broken = order.length < all.size ? id : order.find((one) => !isWhole(one))
  if (broken === undefined) return order
  throw new LcmError(
    'invalid_argument',
    `${broken} has sources that are missing or lead in a circle: repair its links first.`,
    {
      id: broken,
    },
  )
}

const bySeq =
  (draft: FileDraft) =>
  (a: number, b: number): number =>
    (draft.messages.seqOf(a) ?? 0) - (draft.messages.seqOf(b) ?? 0)

/** The hash covers sources and text, so an equal hash in the target means the same summary. */
function refuseDuplicates(
  { db, summaries }: FileDraft,
  { id, toConversationId }: Transplant,
  source: DraftSummary,
  nodes: readonly string[],
  messages: readonly number[],
): void {
  const hashes = new Set(nodes.flatMap((node) => summaries.get(node)?.hash ?? []))
  const same = [...summaries.values()].filter(
    ({ conversationId, hash }) => conversationId === toConversationId && hash !== null && hashes.has(hash),
  )
  const there = [
    ...same.map((summary) => summary.id),
    ...copiedMessages(db, toConversationId, source.conversationId, messages).map((message) => `msg_${message}`),
  ]
  if (there.length === 0) return
  const some = `${there.slice(0, 3).join(', ')}${there.length > 3 ? ', …' : ''}`
  throw new LcmError(
    'invalid_argument',
    `Conversation ${toConversationId} has ${there.length === 1 ? 'a copy' : `${there.length} copies`} of what ${id} is made of already (${some}): nothing was copied.`,
    { id, duplicates: there.slice(0, 20) },
  )
}

function copiesOf(draft: FileDraft, target: number, nodes: readonly string[], messages: readonly number[]): Copies {
  const first = nextMessageId(draft.db)
  const taken = new Set(draft.summaries.keys())
  const summaries = new Map<string, string>()
  for (const node of nodes) {
    let made = ''
    for (let number = 0; made === '' || taken.has(made); number += 1) {
      const hash = sha256(`${node}|${target}|${number}`)
      made = `sum_${hash.slice(0, 16)}`
    }
    taken.add(made)
    summaries.set(node, made)
  }
  return { summaries, messages: new Map(messages.map((message, index) => [message, first + index])) }
}

function summaryRows(
  draft: FileDraft,
  { toConversationId }: Transplant,
  nodes: readonly string[],
  { summaries }: Copies,
): RowChange[] {
  return nodes.flatMap((node) => {
    const stored = draft.summaries.get(node)
    if (!stored) return []
    const copy = {
      ...stored,
      id: summaries.get(node) ?? '',
      conversationId: toConversationId,
      content: draft.textOf(node),
    }
    return diffSummary(undefined, copy)
  })
}

function edgeRows(draft: FileDraft, nodes: readonly string[], copies: Copies): RowChange[] {
  return nodes.flatMap((node): RowChange[] => {
    const summary_id = copies.summaries.get(node) ?? ''
    const add = (table: string, column: string, to: string | number, ordinal: number): RowChange => ({
      table,
      key: { summary_id, [column]: to },
      before: null,
      after: { ordinal },
    })
    return [
      ...draft
        .messageLinks(node)
        .map(({ to, ordinal }) => add('summary_messages', 'message_id', copies.messages.get(to) ?? -1, ordinal)),
      ...draft
        .sourceLinks(node)
        .map(({ to, ordinal }) => add('summary_sources', 'source_summary_id', copies.summaries.get(to) ?? '', ordinal)),
    ]
  })
}

function windowRow(draft: FileDraft, { id, toConversationId }: Transplant, { summaries }: Copies): RowChange {
  const ordinal = (draft.window(toConversationId).at(-1)?.ordinal ?? -1) + 1
  return {
    table: 'context_items',
    key: { conversation_id: toConversationId, ordinal },
    before: null,
    after: {
      ordinal,
      item_type: 'summary',
      message_id: null,
      summary_id: summaries.get(id) ?? null,
      created_at: draft.summaries.get(id)?.createdAtMs ?? 0,
    },
  }
}
