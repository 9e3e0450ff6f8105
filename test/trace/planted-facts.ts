import type { FactTrace } from '#core/contract/trace.ts'
import { TraceInput } from '#core/contract/trace.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { FactTracer } from '#core/trace/fact-tracer.ts'
import { TextIndexes } from '#core/trace/text-indexes.ts'
import { generateHistory } from '../builders/history.ts'
import { buildMemory, type TestMemory } from '../builders/memory.ts'
import { Random } from '../builders/random.ts'
import { Draw } from '../provenance/stories.ts'
import type { ToldFact, ToldPlot } from './told-facts.ts'

/** What is done to a fact on its way to the window, and at which depth (0: the leaf). */
type Fate = { readonly kind: 'kept' } | { readonly kind: 'dropped' | 'changed' | 'reworded'; readonly depth: number }

export type PlantedFact = ToldFact & { readonly fate: Fate; readonly messageId: string }

const FATES: readonly Fate[] = [
  { kind: 'kept' },
  { kind: 'dropped', depth: 0 },
  { kind: 'dropped', depth: 1 },
  { kind: 'dropped', depth: 2 },
  { kind: 'changed', depth: 0 },
  { kind: 'changed', depth: 1 },
  { kind: 'changed', depth: 2 },
  { kind: 'reworded', depth: 0 },
  { kind: 'reworded', depth: 1 },
  { kind: 'kept' },
]

const LEAF_MESSAGES = 10
const LEAVES_OF_ONE = 3

/**
 * A memory of three depths in which the fate of some facts is known, among other messages of the same trade.
 * @param turn which fate the first fact has; each next one has the next fate
 */
export function plantFacts(
  plots: readonly ToldPlot[],
  seed: number,
  turn: number,
): { memory: TestMemory; facts: PlantedFact[] } {
  const random = new Random(seed)
  const draw = new Draw(random)
  const memory = buildMemory({ conversations: [{}] })
  const told = plots.map(
    (plot, index) => ({ ...plot(draw), fate: FATES[(index + turn) % FATES.length] ?? { kind: 'kept' } }) as const,
  )
  const shuffled = told.map((fact) => ({ fact, at: random.next() })).sort((a, b) => a.at - b.at)
  const others = generateHistory({ seed, messages: told.length * 12 })
  const facts: PlantedFact[] = []
  memory.db.transaction(() => {
    const leaves: { id: string; facts: PlantedFact[]; noise: string[] }[] = []
    for (let next = 0; next < shuffled.length; ) {
      const ids: number[] = []
      const own: PlantedFact[] = []
      const noise: string[] = []
      for (let message = 0; message < LEAF_MESSAGES; message += 1) {
        const fact = message % 3 === 1 ? shuffled[next++]?.fact : undefined
        const other = others[ids.length + leaves.length * LEAF_MESSAGES]
        const content = fact?.said ?? other?.content ?? 'Go on.'
        const id = memory.message(1, { role: fact?.role ?? other?.role ?? 'user', content })
        ids.push(id)
        if (fact) own.push({ ...fact, messageId: `msg_${id}` })
        else noise.push(`${content.slice(0, 80).split('\n')[0]}`)
      }
      const lines = [...own.flatMap((fact) => formAt(fact, 0, random) ?? []), noise[0] ?? '']
      leaves.push({ id: memory.leaf(1, ids, { content: listOf(lines, random) }), facts: own, noise })
      facts.push(...own)
    }
    const middles: { id: string; facts: PlantedFact[] }[] = []
    for (let from = 0; from < leaves.length; from += LEAVES_OF_ONE) {
      const some = leaves.slice(from, from + LEAVES_OF_ONE)
      const own = some.flatMap((leaf) => leaf.facts)
      const lines = [...own.flatMap((fact) => formAt(fact, 1, random) ?? []), some[0]?.noise[1] ?? '']
      middles.push({
        id: memory.condensed(
          1,
          some.map(({ id }) => id),
          { depth: 1, content: listOf(lines, random) },
        ),
        facts: own,
      })
    }
    for (let from = 0; from < middles.length; from += LEAVES_OF_ONE) {
      const some = middles.slice(from, from + LEAVES_OF_ONE)
      const own = some.flatMap((middle) => middle.facts)
      const lines = own.flatMap((fact) => formAt(fact, 2, random) ?? [])
      memory.condensed(
        1,
        some.map(({ id }) => id),
        { depth: 2, content: listOf(lines, random) },
      )
    }
    memory.messages(1, 6)
  })
  return { memory, facts }
}

function formAt(
  { fate, kept, reworded, changed }: ToldFact & { fate: Fate },
  depth: number,
  random: Random,
): string | null {
  if (fate.kind === 'kept' || depth < fate.depth) return random.pick(kept)
  if (fate.kind === 'dropped') return null
  return fate.kind === 'changed' ? random.pick(changed) : random.pick(reworded)
}

const listOf = (lines: readonly string[], random: Random): string =>
  `## Progress\n\n${lines
    .filter((line) => line !== '')
    .map((line) => ({ line, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ line }) => `- ${line}`)
    .join('\n')}\n\nExpand for details about: the work.`

/** Without a search: ladders do not need one. */
const tracerOf = (db: ReadDb): FactTracer =>
  new FactTracer({
    db,
    reader: new MemoryReader(db),
    indexes: new TextIndexes(db),
    search: async () => ({
      ...{ total: 0, totalIsExact: true, hits: [], nextCursor: null, sort: 'newest', notes: [], tookMs: 0 },
    }),
    searchIds: async () => ({ ids: [], total: 0, totalIsExact: true }),
  })

export const traceOf = (db: ReadDb, id: string, text?: string): Promise<FactTrace> =>
  tracerOf(db).trace(TraceInput.parse(text === undefined ? { id } : { id, text }))

/** How a trace says what became of a fact: the kind of its fate, and the depth at which it fell. */
function foundFate({ inWindow, state, lostAt }: FactTrace): string {
  if (inWindow) return 'kept'
  if (state === 'changed' || state === 'dropped') return `${state} ${lostAt?.depth ?? 'nowhere'}`
  return 'reworded'
}

const WHOLE: ReadonlySet<string> = new Set(['decision', 'constraint', 'negation', 'error', 'words'])

export const TURNS = FATES.length

/** Precision and recall of each fate. What may be said in other words is never called dropped or changed. */
export class FateTally {
  readonly #counts = new Map<string, { right: number; said: number; true: number }>()
  readonly wrong: string[] = []

  add(fact: PlantedFact, trace: FactTrace, about: string): void {
    const found = foundFate(trace)
    const { fate } = fact
    const truth = fate.kind === 'kept' ? 'kept' : fate.kind === 'reworded' ? 'reworded' : `${fate.kind} ${fate.depth}`
    const isRight = truth === 'reworded' ? this.#mayBe(fact, found, trace) : truth === found
    if (!isRight) this.wrong.push(`${truth} → ${found}: ${fact.said}\n      ${about}`)
    const [truthKind, foundKind] = [
      truth.split(' ')[0] ?? '',
      isRight ? (truth.split(' ')[0] ?? '') : (found.split(' ')[0] ?? ''),
    ]
    this.#of(truthKind).true += 1
    this.#of(foundKind).said += 1
    if (isRight) this.#of(truthKind).right += 1
  }

  /** Other words may hold the details or some of them. Those that hold none drop them, and that is all there is to say. */
  #mayBe({ fate, reworded }: PlantedFact, found: string, { details }: FactTrace): boolean {
    if (found === 'reworded' || found === 'kept') return true
    const isGone = details.every(({ text, kind }) => !WHOLE.has(kind) && !reworded.some((form) => form.includes(text)))
    return isGone && fate.kind !== 'kept' && found === `dropped ${fate.depth}`
  }

  #of(kind: string) {
    const known = this.#counts.get(kind) ?? { right: 0, said: 0, true: 0 }
    this.#counts.set(kind, known)
    return known
  }

  /** Shares, 0 to 1. */
  figures(kind: string): { precision: number; recall: number } {
    const { right, said, true: all } = this.#of(kind)
    return { precision: right / Math.max(1, said), recall: right / Math.max(1, all) }
  }
}
