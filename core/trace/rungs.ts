import { titleOf } from '../browse/text-name.ts'
import type { Rung, TracedFate } from '../contract/trace.ts'
import type { Memory } from '../memory/memory.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { type FoundNode, messageNumber } from '../systems/reading/node-id.ts'
import { readPruned } from '../systems/reading/pruned-outputs.ts'
import { knownRole, messageHeads } from '../systems/records/messages.ts'
import { excerptOf, trimSurrogate } from '../text.ts'
import { tokenCount } from '../window/window.ts'
import type { Detail } from './details.ts'
import { stateOf } from './fates.ts'
import type { GivenWindow } from './given-window.ts'
import { nodeFacts } from './ladder.ts'
import type { NodeFates } from './node-fates.ts'
import type { SummaryMakers } from './summary-makers.ts'

type RungsOf = {
  readonly db: ReadDb
  readonly memory: Memory
  readonly makers: SummaryMakers
  readonly listed: readonly Detail[]
  readonly given: GivenWindow
}

/** An excerpt begins so many characters before what it shows, so that this is in the first lines, and is so long in all. */
const BEFORE = 60
const EXCERPT = 420
const MOST_MARKS = 40
const MOST_LOST = 60

/** Makes the rungs of a ladder from what became of the details at each node. */
export class Rungs {
  readonly #of: RungsOf

  constructor(of: RungsOf) {
    this.#of = of
  }

  /** The message or summary from which the ladder leads. */
  foot(node: FoundNode, fates: NodeFates, inWindow: boolean): Rung {
    const { memory } = this.#of
    if (node.kind !== 'message') {
      const summary = memory.summaries.nodeOf(node.id)
      if (summary >= 0) return this.summary(summary, fates, null)
    }
    return { ...this.#common(fates, null), ...messageFacts(this.#of, node.id), inWindow }
  }

  /** @param before the rung below, from which something may have fallen */
  summary(node: number, fates: NodeFates, before: NodeFates | null): Rung {
    const { memory, makers, given } = this.#of
    const { tokens, depth } = memory.summaries.at(node)
    const made = makers.at(node)
    const range = memory.coverage.seqRange(node)
    return {
      ...this.#common(fates, before),
      kind: memory.summaries.kindOf(node),
      depth: tokenCount(depth),
      runId: made.runId,
      run: made.run,
      atMs: made.atMs,
      inWindow: given.has({ node }),
      tokens: tokenCount(tokens),
      messages: memory.coverage.messageCount(node),
      firstSeq: range?.firstSeq ?? null,
      lastSeq: range?.lastSeq ?? null,
      sources: made.sources,
    }
  }

  /** Returns the last rung: the window as the model is given it. */
  window(fates: readonly TracedFate[], before: NodeFates | null): Rung {
    const { db, memory, given } = this.#of
    const { window, messages, summaries } = memory
    let [tokens, items] = [0, 0]
    for (let item = 0; item < window.length; item += 1) {
      const [position, node] = [window.positionAt(item), window.nodeAt(item)]
      if (given.leftOut.has(position >= 0 ? memory.messageId(position) : node >= 0 ? summaries.at(node).id : ''))
        continue
      items += 1
      if (position >= 0) tokens += tokenCount(messages.tokensAt(position))
      else if (node >= 0) tokens += tokenCount(summaries.at(node).tokens)
    }
    for (const { tokens: pruned } of readPruned(db, messages.conversationId)) tokens -= pruned
    return {
      id: null,
      kind: 'window',
      depth: null,
      role: null,
      seq: null,
      state: stateOf(fates),
      kept: fates.filter((fate) => fate === 'kept').length,
      details: fates.length,
      runId: null,
      run: null,
      atMs: null,
      inWindow: true,
      tokens: Math.max(0, Math.round(tokens)),
      messages: messages.length,
      firstSeq: null,
      lastSeq: null,
      sources: items,
      title: '',
      excerpt: '',
      field: null,
      marks: [],
      // Only a node that is in no window loses something here.
      lost: this.#lostBetween(before?.fates.map(({ fate }) => fate) ?? [], fates),
    }
  }

  #common(
    { id, fates, text, field, nearest, title }: NodeFates,
    before: NodeFates | null,
  ): Omit<
    Rung,
    | 'kind'
    | 'depth'
    | 'runId'
    | 'run'
    | 'atMs'
    | 'inWindow'
    | 'tokens'
    | 'messages'
    | 'firstSeq'
    | 'lastSeq'
    | 'sources'
  > {
    const own = fates.map(({ fate }) => fate)
    return {
      id,
      role: null,
      seq: null,
      state: stateOf(own),
      kept: own.filter((fate) => fate === 'kept').length,
      details: own.length,
      title: titleOf(title),
      ...excerptAround(text, nearest, fates),
      field,
      lost: this.#lostBetween(before?.fates.map(({ fate }) => fate) ?? own.map(() => 'kept'), own),
    }
  }

  #lostBetween(before: readonly TracedFate[], after: readonly TracedFate[]): string[] {
    const isLost = (fate: TracedFate | undefined): boolean => fate === 'dropped' || fate === 'changed'
    const lost = this.#of.listed.filter((_, detail) => before[detail] === 'kept' && isLost(after[detail]))
    return lost.slice(0, MOST_LOST).map(({ text }) => excerptOf(text))
  }
}

/** Returns what a card shows of a text: the place where the details stand, or that comes nearest to them. */
export function excerptAround(
  text: string,
  nearest: number | null,
  fates: readonly { readonly at: { readonly start: number; readonly end: number } | null }[],
): { excerpt: string; marks: [number, number][] } {
  const wanted = Math.max(0, (nearest ?? 0) - BEFORE)
  const space = wanted === 0 ? -1 : text.indexOf(' ', wanted)
  const from = wanted === 0 ? 0 : space >= 0 && space < wanted + 40 ? space + 1 : wanted
  const cut = trimSurrogate(text.slice(from, from + EXCERPT))
  const excerpt = ((cut.charCodeAt(0) & 0xfc00) === 0xdc00 ? cut.slice(1) : cut).toWellFormed()
  const shift = from + (cut.length - excerpt.length)
  const marks = fates
    .flatMap(({ at }): [number, number][] => (at === null ? [] : [[at.start - shift, at.end - shift]]))
    .filter(([start, end]) => start >= 0 && end <= excerpt.length && end > start)
    .sort((a, b) => a[0] - b[0] || b[1] - a[1])
  return { excerpt, marks: apart(marks).slice(0, MOST_MARKS) }
}

/** Leaves out ranges within others. */
function apart(ranges: readonly [number, number][]): [number, number][] {
  const kept: [number, number][] = []
  for (const [start, end] of ranges) {
    const last = kept.at(-1)
    if (last && start < last[1]) last[1] = Math.max(last[1], end)
    else kept.push([start, end])
  }
  return kept
}

function messageFacts({ db, memory }: RungsOf, id: string) {
  const none = { kind: 'message' as const, depth: -1, runId: null, run: null, messages: 1, sources: 0 }
  const { position, role, seq, atMs, tokens } = nodeFacts(memory, id)
  if (position >= 0) return { ...none, role, seq, atMs, tokens, firstSeq: seq, lastSeq: seq }
  const head = messageHeads(db, [messageNumber(id) ?? Number.NaN])[0]
  const seqElsewhere = head?.seq ?? null
  return {
    ...none,
    role: knownRole(head?.role ?? null),
    seq: seqElsewhere,
    atMs: head?.createdAtMs ?? null,
    tokens: tokenCount(head?.tokens ?? 0),
    firstSeq: seqElsewhere,
    lastSeq: seqElsewhere,
  }
}
