import { type ClaimSpecific, type ProvenanceClaim, ProvenanceInput } from '#core/contract/provenance.ts'
import { ProvenanceFinder } from '#core/provenance/provenance.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { generateHistory } from '../builders/history.ts'
import { buildMemory, type TestMemory } from '../builders/memory.ts'
import { Random } from '../builders/random.ts'
import { Draw, type Fact, INVENTIONS, type Plot } from './stories.ts'

const nothingSought = (): never => {
  throw new Error('nothing had to be searched for')
}

/** Without a search: what is small enough is read as a whole. */
export const finderOf = (db: ReadDb): ProvenanceFinder =>
  new ProvenanceFinder({
    db,
    reader: new MemoryReader(db),
    grep: nothingSought,
    messagesWith: nothingSought,
  })

export const provenanceOf = (
  db: ReadDb,
  summaryId: string,
  more: { from?: number; to?: number; limit?: number } = {},
) => finderOf(db).find(ProvenanceInput.parse({ summaryId, ...more }))

/** A claim in a summary, and what is known of it. */
export type Planted = {
  readonly claim: string
  readonly truth: 'true' | 'loose' | 'changed' | 'denied' | 'plausible' | 'invented'
  /** The message with the claim, or null for an invented one. */
  readonly messageId: string | null
  /** What stands nowhere. */
  readonly into: string | null
}

/** A memory with one leaf a few messages, one summary over all of them, and planted claims in each. */
type PlantedMemory = { readonly memory: TestMemory; readonly summaries: ReadonlyMap<string, readonly Planted[]> }

export type PlantSpec = {
  readonly seed: number
  readonly plots: readonly Plot[]
  /** Messages that say other things. */
  readonly noise: number
}

function plant({ seed, plots, noise }: PlantSpec): PlantedMemory {
  const random = new Random(seed)
  const draw = new Draw(random)
  const memory = buildMemory({ conversations: [{}] })
  const facts = plots.map((plot) => plot(draw))
  const others = generateHistory({ seed, messages: noise })
  const order: ({ fact: Fact } | { other: (typeof others)[number] })[] = others.map((other) => ({ other }))
  for (const fact of facts) order.splice(random.int(0, order.length + 1), 0, { fact })
  const places = new Map<Fact, number>()
  const ids = memory.db.transaction(() =>
    order.map((step) => {
      if ('other' in step) return memory.message(1, { role: step.other.role, content: step.other.content })
      const id = memory.message(1, { role: step.fact.role, content: step.fact.said })
      places.set(step.fact, id)
      return id
    }),
  )
  const planted = plantedIn(facts, places, random)
  const summaries = new Map<string, readonly Planted[]>()
  const leaf = memory.leaf(1, ids, { content: textOf(planted), inWindow: false })
  summaries.set(leaf, planted)
  return { memory, summaries }
}

function plantedIn(facts: readonly Fact[], places: ReadonlyMap<Fact, number>, random: Random): Planted[] {
  const planted = facts.flatMap((fact): Planted[] => {
    const messageId = `msg_${places.get(fact) ?? 0}`
    return [
      ...fact.claims.map((claim): Planted => ({ claim, truth: 'true', messageId, into: null })),
      ...fact.changed.map(({ claim, into }): Planted => ({ claim, truth: 'changed', messageId, into })),
      ...fact.denied.map((claim): Planted => ({ claim, truth: 'denied', messageId, into: null })),
      ...(fact.loose ?? []).map((claim): Planted => ({ claim, truth: 'loose', messageId, into: null })),
      ...(fact.plausible ?? []).map((claim): Planted => ({ claim, truth: 'plausible', messageId: null, into: null })),
    ]
  })
  for (const claim of INVENTIONS) planted.push({ claim, truth: 'invented', messageId: null, into: null })
  return planted
    .map((one) => ({ one, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one)
}

const textOf = (planted: readonly Planted[]): string =>
  `## What happened\n\n${planted.map(({ claim }) => (claim.startsWith('- ') ? claim : `- ${claim}`)).join('\n')}\n\nExpand for details about: everything.`

/** Counts of one or many summaries. */
export class Tally {
  readonly truths = new Map<string, { all: number; supported: number; weak: number; none: number }>()
  readonly wrong: string[] = []
  top1 = 0
  top3 = 0
  passages = 0
  inventedRight = 0
  inventedFalse = 0
  inventedAll = 0

  add(planted: readonly Planted[], claims: readonly ProvenanceClaim[]): void {
    for (const one of planted) {
      const text = one.claim.replace(/^- /, '')
      const parts = claims.filter((claim) => text.includes(claim.text))
      if (parts.length === 0) throw new Error(`no such claim: ${text}`)
      this.#count(one, parts)
    }
  }

  #count(one: Planted, parts: readonly ProvenanceClaim[]): void {
    const rank = { none: 0, weak: 1, supported: 2 } as const
    const worst = parts.toSorted((a, b) => rank[a.support] - rank[b.support])[0]
    const support = worst?.support ?? 'none'
    const counts = this.truths.get(one.truth) ?? { all: 0, supported: 0, weak: 0, none: 0 }
    counts.all += 1
    counts[support] += 1
    this.truths.set(one.truth, counts)
    if (one.truth === 'loose' ? support === 'none' : (one.truth === 'true') !== (support === 'supported')) {
      this.wrong.push(
        `${one.truth} ${support} ${worst?.score.toFixed(2)}: ${one.claim}\n      ${worst?.why} > ${worst?.passages[0]?.excerpt}`,
      )
    }
    if (one.messageId !== null && one.truth !== 'denied') {
      const ids = parts.flatMap((part) => part.passages.slice(0, 3).map(({ id }, place) => ({ id, place })))
      this.passages += 1
      if (ids.some(({ id, place }) => place === 0 && id === one.messageId)) this.top1 += 1
      if (ids.some(({ id }) => id === one.messageId)) this.top3 += 1
    }
    const named = parts.flatMap((part): ClaimSpecific[] => part.invented)
    const doubted = parts.flatMap((part) => part.specifics.filter(({ standing }) => standing !== 'matched'))
    if (one.into !== null) {
      this.inventedAll += 1
      if (doubted.some(({ text }) => text.includes(one.into ?? '') || (one.into ?? '').includes(text)))
        this.inventedRight += 1
    }
    if (one.truth === 'true' || one.truth === 'denied') {
      this.inventedFalse += named.length
      for (const { text } of named) this.wrong.push(`falsely invented: ${text} in ${one.claim}`)
    }
  }

  #of(truth: string) {
    return this.truths.get(truth) ?? { all: 0, supported: 0, weak: 0, none: 0 }
  }

  /** Shares, 0 to 1. */
  get figures() {
    const truth = this.#of('true')
    const others = ['changed', 'denied', 'plausible', 'invented'].map((name) => this.#of(name))
    const falsely = others.reduce((sum, { supported }) => sum + supported, 0)
    const caught = (name: string): number => 1 - this.#of(name).supported / Math.max(1, this.#of(name).all)
    return {
      claims: [truth, ...others].reduce((sum, { all }) => sum + all, 0),
      supportedPrecision: truth.supported / Math.max(1, truth.supported + falsely),
      supportedRecall: truth.supported / Math.max(1, truth.all),
      trueNotNone: 1 - truth.none / Math.max(1, truth.all),
      changedCaught: caught('changed'),
      deniedCaught: caught('denied'),
      plausibleCaught: caught('plausible'),
      inventedCaught: caught('invented'),
      looseNotNone: 1 - this.#of('loose').none / Math.max(1, this.#of('loose').all),
      inventedNone: this.#of('invented').none / Math.max(1, this.#of('invented').all),
      specificRecall: this.inventedRight / Math.max(1, this.inventedAll),
      specificPrecision: this.inventedRight / Math.max(1, this.inventedRight + this.inventedFalse),
      top1: this.top1 / Math.max(1, this.passages),
      top3: this.top3 / Math.max(1, this.passages),
    }
  }
}

/** Plants and measures over several seeds. */
export async function measurePlanted(specs: readonly PlantSpec[]): Promise<Tally> {
  const tally = new Tally()
  for (const spec of specs) {
    const { memory, summaries } = plant(spec)
    for (const [id, planted] of summaries) {
      tally.add(planted, (await provenanceOf(memory.db, id)).claims)
    }
    memory.close()
  }
  return tally
}

/** Prints what was measured for docs/provenance.md, with LCM_SHOW_FIGURES=1. */
export function showFigures(name: string, tally: Tally): void {
  if (process.env.LCM_SHOW_FIGURES !== '1') return
  console.log(name, tally.figures, Object.fromEntries(tally.truths))
  for (const wrong of tally.wrong) console.log('  ', wrong.slice(0, 400))
}
