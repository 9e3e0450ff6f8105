import { titleOf } from '#core/browse/text-name.ts'
import type { ComparedSide, Comparison } from '#core/contract/comparison.ts'
import type { JobProgress } from '#core/contract/job.ts'
import { sha256 } from '#core/hashing.ts'
import type { Memory } from '#core/memory/memory.ts'
import { contentsOfSummaries } from '#core/systems/reading/texts.ts'
import { plural } from '#core/text.ts'
import { tokenCount } from '#core/window/window.ts'
import { goingOn, TimeSlice } from '#core/yielding.ts'
import { type Fingerprint, fingerprintOf } from '../fingerprint.ts'
import { readMessages } from '../read-memory.ts'
import { type Axis, aligned, alignedWithItself } from './axis.ts'
import type { Compared } from './compared.ts'
import { countedPlaces } from './counted-places.ts'
import { DifferenceLister } from './differences.ts'
import { type Bar, type Paired, pairing } from './summary-pairs.ts'

const CANCELLED = 'The comparison was cancelled.'
const BATCH = 500
const MOST_TICKS = 40

/**
 * Compares two conversations, or one at two moments: which messages and summaries both have, and where they differ.
 * @param limit so many differences are listed; all are counted
 * @throws LcmError cancelled
 */
export async function* compareMemories(
  a: Compared,
  b: Compared,
  limit: number,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, Comparison> {
  const began = performance.now()
  const slice = new TimeSlice(signal, CANCELLED)
  const messages = a.messages + b.messages
  // Reading, counting and listing take about as long as each other.
  const total = 3 * messages
  const axis =
    a.db === b.db && a.memory.messages.conversationId === b.memory.messages.conversationId
      ? await goingOn(alignedWithItself(a.messages, b.messages), slice)
      : await goingOn(
          aligned(
            yield* fingerprints(a, { done: 0, total }, slice),
            yield* fingerprints(b, { done: a.messages, total }, slice),
          ),
          slice,
        )
  yield { done: messages, total, unit: 'messages', note: 'comparing summaries' }
  const bars = [await barsOf(a, axis.ofA, slice), await barsOf(b, axis.ofB, slice)] as const
  const paired = await goingOn(pairing(...bars), slice)
  const counted = yield* told(countedPlaces(a, b, axis, slice), (done) => ({
    ...{ done: messages + done, total, unit: 'messages', note: 'counting details' },
  }))
  const lister = new DifferenceLister({ a, b, axis, bars, paired, counted }, slice)
  const { differences, counts } = yield* told(lister.list(limit), (share) => ({
    ...{ done: Math.floor((2 + share) * messages), total, unit: 'messages', note: 'reading differences' },
  }))
  const sides = [sideOf(a, bars[0], paired[0], axis.ofA), sideOf(b, bars[1], paired[1], axis.ofB)] as const
  return {
    a: sides[0],
    b: sides[1],
    isSame: counts.onlyA + counts.onlyB + counts.differently === 0 && isInheritedSame(a, b),
    same: { messages: axis.shared, summaries: paired[0].state.filter((state) => state === 'same').length },
    places: axis.places,
    runs: axis.runs,
    ticks: ticksOf(a.memory, b.memory, axis),
    details: counted.columns,
    differences,
    counts,
    notes: [...counted.notes, ...inheritedNote('A', a), ...inheritedNote('B', b)],
    tookMs: performance.now() - began,
  }
}

/** Runs work to its end and says of each step how far the whole is. */
async function* told<Step, Result>(
  work: AsyncGenerator<Step, Result>,
  progress: (step: Step) => JobProgress,
): AsyncGenerator<JobProgress, Result> {
  for (;;) {
    const step = await work.next()
    if (step.done) return step.value
    yield progress(step.value)
  }
}

/** Reads what each message is recognised by. */
async function* fingerprints(
  { db, memory, messages }: Compared,
  { done, total }: { readonly done: number; readonly total: number },
  slice: TimeSlice,
): AsyncGenerator<JobProgress, Fingerprint[]> {
  const found: Fingerprint[] = []
  const ids = [...memory.messages.ids.subarray(0, messages)]
  for (const batch of readMessages(db, ids)) {
    const said = new Map(batch.map((one) => [one.messageId, one.said]))
    // A message whose row is gone by now equals nothing.
    for (const id of ids.slice(found.length, found.length + BATCH_OF_READS)) {
      const own = said.get(id)
      found.push(own ? fingerprintOf(own) : { ...GONE, primary: -id - 1 })
    }
    await slice.yieldIfOver()
    yield { done: done + found.length, total, unit: 'messages', note: 'reading messages' }
  }
  return found
}

/** As many messages as `readMessages` gives at once. */
const BATCH_OF_READS = 200
const GONE = {
  role: 'system',
  any: [],
  callIds: [],
  answerIds: [],
  calls: 0,
  holds: 'nothing',
  units: 0,
  isReference: false,
} as const

/** Returns the summaries that stand for a message, by depth and place. */
async function barsOf({ db, memory, nodes }: Compared, placeOf: Int32Array, slice: TimeSlice): Promise<Bar[]> {
  const bars: Bar[] = []
  const { summaries, coverage } = memory
  for (let from = 0; from < nodes.length; from += BATCH) {
    const some = nodes.slice(from, from + BATCH)
    const texts = new Map(
      contentsOfSummaries(
        db,
        some.map((node) => summaries.at(node).id),
      ),
    )
    for (const node of some) {
      const reach = coverage.reach(node)
      const { id, depth } = summaries.at(node)
      const [first, last] = [placeOf[reach[0] ?? -1], placeOf[Math.min(placeOf.length, reach.at(-1) ?? 0) - 1]]
      if (first === undefined || last === undefined) continue
      const text = texts.get(id) ?? ''
      bars.push({
        node,
        id,
        depth: tokenCount(depth),
        first,
        last,
        hash: sha256(text.toWellFormed()),
        title: titleOf(text),
      })
      await slice.yieldIfOver()
    }
  }
  return bars.sort((x, y) => x.depth - y.depth || x.first - y.first || x.last - y.last)
}

function sideOf(side: Compared, bars: readonly Bar[], paired: Paired, placeOf: Int32Array): ComparedSide {
  const { memory, path, name, systemLabel, title, reconstructed, messages, nodes } = side
  const { items, activeTokens, leftOutItems, leftOutTokens } = side.window
  const { summaries, window } = memory
  const depths = nodes.map((node) => tokenCount(summaries.at(node).depth))
  return {
    path,
    name,
    systemLabel,
    conversationId: memory.messages.conversationId,
    title,
    messages,
    summaries: nodes.length,
    maxDepth: depths.length === 0 ? null : depths.reduce((most, depth) => Math.max(most, depth), 0),
    windowItems: items,
    windowTokens: activeTokens,
    leftOutItems,
    leftOutTokens,
    reconstructed,
    layers: {
      id: bars.map(({ id }) => id),
      depth: bars.map(({ depth }) => depth),
      first: bars.map(({ first }) => first),
      last: bars.map(({ last }) => last),
      tokens: bars.map(({ node }) => tokenCount(summaries.at(node).tokens)),
      inWindow: bars.map(({ node }) => (window.summaryCounts[node] ?? 0) > 0),
      title: bars.map((bar) => bar.title),
      state: paired.state,
      partner: [...paired.partner],
    },
    window: windowRuns(memory, placeOf),
  }
}

/** Messages of another conversation have no place on the axis, so of what both sides inherit only the figures are compared. */
const isInheritedSame = ({ window: { inherited: a } }: Compared, { window: { inherited: b } }: Compared): boolean =>
  a?.items === b?.items && a?.tokens === b?.tokens

function inheritedNote(name: 'A' | 'B', { window: { inherited } }: Compared): string[] {
  if (inherited === null) return []
  const { conversationId, items, tokens } = inherited
  const [are, They] = items === 1 ? ['is', 'It is'] : ['are', 'They are']
  const part = `${plural(items, 'item')} of the window of ${name}, with ${plural(tokens, 'token')},`
  return [`${part} ${are} inherited from conversation ${conversationId}. ${They} not compared.`]
}

/** What a window holds, by place. Messages that follow each other are one run. */
function windowRuns({ summaries, coverage, window }: Memory, placeOf: Int32Array): ComparedSide['window'] {
  const runs: { first: number; last: number; id: string | null }[] = []
  for (let index = 0; index < window.length; index += 1) {
    const node = window.nodeAt(index)
    const place = placeOf[window.positionAt(index)]
    const run = runs.at(-1)
    if (node >= 0) {
      const reach = coverage.reach(node)
      const [first, last] = [placeOf[reach[0] ?? -1], placeOf[(reach.at(-1) ?? 0) - 1]]
      if (first !== undefined && last !== undefined) runs.push({ first, last, id: summaries.at(node).id })
    } else if (place !== undefined) {
      if (run?.id === null && run.last + 1 === place) run.last = place
      else runs.push({ first: place, last: place, id: null })
    }
  }
  return runs
}

/** The times of some places at equal distances, of the side that has a message there. */
function ticksOf(a: Memory, b: Memory, { places, atA, atB }: Axis): Comparison['ticks'] {
  const step = Math.max(1, Math.ceil(places / MOST_TICKS))
  return Array.from({ length: Math.ceil(places / step) }, (_, index) => {
    const place = index * step
    const atMs = a.messages.createdAtMs[atA[place] ?? -1] ?? b.messages.createdAtMs[atB[place] ?? -1] ?? Number.NaN
    return Number.isNaN(atMs) ? [] : { place, atMs }
  }).flat()
}
