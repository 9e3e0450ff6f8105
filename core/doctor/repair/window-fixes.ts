import { messageNumber } from '../../systems/node-id.ts'
import { type Draft, type Fixer, plural, type Scope } from '../rules/fix.ts'
import { uncover } from './dissolve-node.ts'
import type { WindowEntry } from './memory-model.ts'
import { firstSeqOf, takeFromWindow } from './place.ts'
import { coverageOf, entryId, spansOf } from './reach.ts'
import { dropTwice, putBack, settle } from './settle.ts'

const dropDanglingItems: Fixer = {
  checks: ['dangling_item', 'foreign_keys'],
  reads: ['window', 'summaries'],
  *fix(scope) {
    const { model, was, conversationId } = scope
    if (conversationId === null) return
    const isGone = ({ messageId, summaryId }: WindowEntry): boolean =>
      messageId === null ? summaryId === null || !model.summaries.has(summaryId) : !model.messages.has(messageId)
    const gone = model.window(conversationId).filter(isGone)
    if (gone.length === 0) return
    takeFromWindow(model, conversationId, isGone)
    settle(model, was)
    yield {
      title: `Remove ${plural(gone.length, 'window entry', 'window entries')} that ${gone.length === 1 ? 'leads' : 'lead'} nowhere`,
      rule: 'What they name is not in the file.',
      risk: 'safe',
      nodes: [],
      cannotRestore: `${gone.slice(0, 3).map(entryId).join(', ')}${gone.length > 3 ? ', …' : ''}: no longer in the file; only a backup or the transcript may hold it.`,
    }
  },
}

const dropDoubles: Fixer = {
  checks: ['double_inclusion'],
  reads: ['window', 'edges', 'summaries'],
  *fix(scope) {
    const { model, was, conversationId } = scope
    if (conversationId === null) return
    const own = new Set(model.window(conversationId).map(entryId))
    const twice = [...coverageOf(model, was.windows).twice].filter((id) => own.has(id))
    if (twice.length === 0) return
    dropTwice(model, (id) => own.has(id))
    settle(model, was)
    yield {
      title: `Show ${plural(twice.length, 'entry', 'entries')} once`,
      rule: 'The summary that stands for the others stays; of what is listed twice the first one stays.',
      risk: 'rewrite',
      nodes: twice,
    }
  },
}

const coverGaps: Fixer = {
  checks: ['coverage_gap'],
  reads: ['window', 'edges', 'summaries'],
  *fix(scope) {
    const { model, was, conversationId } = scope
    const isOwn = (row: number): boolean => model.messages.conversationIds[row] === conversationId
    const back = putBack(model, isOwn, was.windows)
    if (back.length === 0) return
    yield {
      title: `Put ${plural(back.length, 'message')} back into the window`,
      rule: 'Each at its place in the history.',
      risk: 'safe',
      nodes: back.map((id) => `msg_${id}`),
    }
  },
}

const orderWindow: Fixer = {
  checks: ['context_order'],
  reads: ['window', 'edges', 'summaries'],
  *fix(scope) {
    const { model, conversationId } = scope
    if (conversationId === null) return
    const entries = model.window(conversationId)
    const ordered = byHistory(scope, entries)
    if (ordered.every((entry, index) => entry === entries[index])) return
    // The same places, filled in the order of the history.
    model.setWindow(
      conversationId,
      ordered.map((entry, index) => ({ ...entry, ordinal: entries[index]?.ordinal ?? index })),
    )
    yield {
      title: 'Order the window by its history',
      rule: 'Every entry stands where its history begins; entries that lead nowhere stay behind their neighbour.',
      risk: 'safe',
      nodes: [],
    }
  },
}

function byHistory({ model }: Scope, entries: readonly WindowEntry[]): WindowEntry[] {
  const spans = spansOf(model)
  let last = Number.NEGATIVE_INFINITY
  const places = new Map(
    entries.map((entry) => {
      last = firstSeqOf(model, spans, entry) ?? last
      return [entry, last]
    }),
  )
  return entries.toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0))
}

const renumber: Fixer = {
  checks: ['ordinal_duplicate', 'ordinal_gap'],
  reads: ['window'],
  *fix(scope) {
    const { model, conversationId } = scope
    if (conversationId === null) return
    const entries = model.window(conversationId)
    if (entries.every((entry, index) => entry.ordinal === index)) return
    model.setWindow(
      conversationId,
      entries.map((entry, ordinal) => ({ ...entry, ordinal })),
    )
    yield {
      title: 'Number the window from 0 without gaps',
      rule: 'The order stays; entries that shared a place follow each other as they are stored.',
      risk: 'safe',
      nodes: [],
    }
  },
}

const showNewest: Fixer = {
  checks: ['fresh_tail_compacted'],
  reads: ['window', 'edges', 'summaries'],
  *fix(scope) {
    const { model, was, conversationId } = scope
    if (conversationId === null) return
    const newest = scope.findings('fresh_tail_compacted').flatMap(({ id }) => messageNumber(id ?? '') ?? [])
    const gone = newest.flatMap((message) => uncover(model, conversationId, message, was))
    if (gone.length > 0)
      yield dissolving(
        gone,
        'The newest message stands in the window again, with what was summarised together with it.',
      )
  },
}

const dissolving = (gone: readonly string[], rule: string): Draft => ({
  title: `Dissolve ${plural(gone.length, 'summary', 'summaries')} into ${gone.length === 1 ? 'its' : 'their'} sources`,
  rule,
  risk: 'rewrite',
  nodes: gone,
  cannotRestore: 'The texts of dissolved summaries stay in the backup.',
})

/** In the order in which they are applied. */
export const windowFixes: readonly Fixer[] = [
  dropDanglingItems,
  dropDoubles,
  coverGaps,
  orderWindow,
  showNewest,
  renumber,
]
