import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { brokenChains } from '#core/systems/records/broken-chains.ts'
import { type Fix, isIn } from '#core/systems/rules/fix.ts'
import type { Rule, RuleContext } from '#core/systems/rules/rule.ts'
import { type Finding, isAsked } from '#core/systems/rules/scanned-memory.ts'
import { plural } from '#core/text.ts'
import { resumedWindow } from '#core/window/resume.ts'
import { relink } from '../repair/relink.ts'
import { settle } from '../repair/settle.ts'
import { freeSummaries } from './links.ts'
import { restoreLinks } from './restored-links.ts'
import { findPrunedMessages } from './sequence.ts'

function* findDangling(context: RuleContext): Iterable<Finding | null> {
  const { summaries, links } = context.memory
  for (const link of links.broken) {
    if (context.system.facts.isPruned(context, link)) continue
    if (link.summary < 0) {
      const id = context.memory.summaries.nodeOf(link.sourceId) >= 0 || !link.summaryId ? link.sourceId : link.summaryId
      if (context.conversationId === null) {
        yield { id, conversationId: null, detail: `${link.summaryId}, which does not exist, names ${link.sourceId}` }
      }
      continue
    }
    const { id, conversationId } = summaries.at(link.summary)
    yield isAsked(context, conversationId)
      ? { id, conversationId, detail: `its source ${link.sourceId} does not exist`, mark: link.sourceId }
      : null
  }
}

function* findPruned(context: RuleContext): Iterable<Finding | null> {
  const { summaries, links } = context.memory
  for (const link of links.broken) {
    if (link.summary < 0 || !context.system.facts.isPruned(context, link)) continue
    const { id, conversationId } = summaries.at(link.summary)
    if (isAsked(context, conversationId)) yield { id, conversationId, detail: `its source ${link.sourceId} was pruned` }
  }
  yield* findPrunedMessages(context)
}

function* findCrossing(context: RuleContext): Iterable<Finding | null> {
  const { summaries, links, messageConversation, messageId } = bound(context)
  for (const { index, id, conversationId } of summaries.rows) {
    if (!isAsked(context, conversationId)) continue
    for (const position of links.messagesOf(index)) {
      if (position < 0 || messageConversation(position) === conversationId) continue
      const detail = `its source ${messageId(position)} is of conversation ${messageConversation(position)}`
      yield { id, conversationId, detail, mark: messageId(position) }
    }
    for (const source of links.sources[index] ?? []) {
      const { id: sourceId, conversationId: other } = summaries.at(source)
      if (other !== conversationId) {
        yield { id, conversationId, detail: `its source ${sourceId} is of conversation ${other}`, mark: sourceId }
      }
    }
    yield null
  }
}

const bound = ({ memory }: RuleContext) => ({
  summaries: memory.summaries,
  links: memory.links,
  messageConversation: (position: number) => memory.messageConversation(position),
  messageId: (position: number) => memory.messageId(position),
})

export const dropDangling: Fix = {
  name: 'dangling_edge',
  stage: 'dangling links',
  reads: ['edges', 'window', 'summaries'],
  *apply(context) {
    const { draft, conversationId, was } = context
    const lost = { messages: 0, summaries: 0, owners: 0 }
    const nodes: string[] = []
    for (const id of [...draft.owners()]) {
      const owner = draft.summaries.get(id)
      if ((owner?.conversationId ?? null) !== conversationId) continue
      const [messages, sources] = [draft.messageLinks(id), draft.sourceLinks(id)]
      const keptMessages = owner ? messages.filter(({ to }) => draft.messages.has(to)) : []
      const keptSources = owner ? sources.filter(({ to }) => draft.summaries.has(to)) : []
      if (!relink(draft, id, keptMessages, keptSources)) continue
      if (owner) nodes.push(id)
      else lost.owners += 1
      lost.messages += owner ? messages.length - keptMessages.length : 0
      lost.summaries += owner ? sources.length - keptSources.length : 0
    }
    if (nodes.length + lost.owners === 0) return
    settle(draft, was)
    const gone = [
      ...(lost.messages > 0 ? [plural(lost.messages, 'message')] : []),
      ...(lost.summaries + lost.owners > 0 ? [plural(lost.summaries + lost.owners, 'summary', 'summaries')] : []),
    ].join(' and ')
    yield {
      title: 'Remove links that lead to nothing',
      rule: 'What stood behind them is no longer in the file; messages that are there and were reached through them alone come back into the window.',
      risk: 'rewrite',
      nodes,
      cannotRestore: `The file no longer holds ${gone} that these links name: only a backup or the transcript may.`,
    }
  },
}

const cutCrossings: Fix = {
  name: 'cross_conversation_edge',
  stage: 'links across conversations',
  reads: ['edges', 'window', 'summaries'],
  *apply(context) {
    const { draft, was, conversationId } = context
    if (conversationId === null) return
    const { messages } = draft
    const isOwnMessage = (id: number): boolean => {
      const row = messages.positionOf(id)
      return row < 0 || messages.conversationAt(row) === conversationId
    }
    const isOwnSummary = (id: string): boolean =>
      (draft.summaries.get(id)?.conversationId ?? conversationId) === conversationId
    const nodes = [...draft.summaries.keys()].filter(isIn(context)).filter((id) => {
      const messages = draft.messageLinks(id).filter(({ to }) => isOwnMessage(to))
      return relink(
        draft,
        id,
        messages,
        draft.sourceLinks(id).filter(({ to }) => isOwnSummary(to)),
      )
    })
    if (nodes.length === 0) return
    settle(draft, was)
    yield {
      title: 'Cut links into other conversations',
      rule: 'A summary keeps the sources of its own conversation; the others are reached in theirs.',
      risk: 'rewrite',
      nodes,
      cannotRestore: 'The texts of these summaries may still tell of the other conversation: rewrite them.',
    }
  },
}

export const danglingEdge = {
  id: 'dangling_edge',
  group: 'lineage',
  severity: 'error',
  phase: 'structure',
  invariant: 'Both ends of every lineage link exist.',
  explanation:
    'A link leads to something that is not in the file: expanding stops there, and what stood behind it cannot be reached.',
  fixes: [dropDangling],
  find: findDangling,
} as const satisfies Rule

export const crossConversationEdge = {
  id: 'cross_conversation_edge',
  group: 'lineage',
  severity: 'error',
  phase: 'structure',
  invariant: 'A summary and its sources belong to one conversation.',
  explanation:
    'A summary stands for history of another conversation: the agent is told of things that happened elsewhere.',
  fixes: [restoreLinks, cutCrossings],
  notApplicable: freeSummaries,
  find: findCrossing,
} as const satisfies Rule

export const prunedExpected = {
  id: 'pruned_expected',
  group: 'retention',
  severity: 'info',
  phase: 'structure',
  invariant: 'What a summary was made from is kept, unless the rules of its system prune it.',
  explanation:
    'The system that wrote this file removes sources of finished sessions, or single turns, by its own rules. The summaries stand; they cannot be expanded further.',
  consequenceOf: ['dangling_edge', 'dangling_item', 'foreign_keys', 'sequence_duplicate', 'sequence_gap'],
  find: findPruned,
} as const satisfies Rule

/**
 * An agent resumes a session at its newest record, and follows the parents back from there. It does not load what stands
 * before a record whose parent is missing.
 */
export const brokenChain = {
  id: 'broken_chain',
  group: 'lineage',
  severity: 'warning',
  phase: 'structure',
  invariant: 'Each record of a transcript names a parent that was written, so that a resume loads the whole window.',
  explanation:
    'The agent wrote a record whose parent is not in the transcript. The memory has every message, but whoever resumes the session goes on without those before that record.',
  *find(context) {
    const { db } = context
    const reader = new MemoryReader(db)
    for (const { conversationId } of brokenChains(db)) {
      if (!isAsked(context, conversationId)) continue
      const found = resumedWindow(db, reader, conversationId)
      yield found && { id: found.resume.firstId, conversationId, detail: `${found.resume.text}: ${found.resume.path}` }
    }
  },
  advice:
    'Write a mended copy with "lcm mend --from TRANSCRIPT --to COPY", or in the Context view. Close the session, keep the original elsewhere, put the copy in its place, and import it. "lcm context --resumed" shows what a resume would load today.',
} as const satisfies Rule
