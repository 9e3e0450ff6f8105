import type { TimeSlice } from '#core/yielding.ts'
import type { Catalogue } from '../indexes/catalogue.ts'
import type { Corpus } from '../indexes/corpus.ts'
import type { Fields } from '../query/matcher.ts'
import type { Plan } from './plan.ts'

/** How many texts of rows are read at once; fewer when they are long. */
const LARGEST_BATCH = 4096
const FIRST_BATCH = 32
/** A batch is made smaller when it takes longer than this, and larger when it takes less. */
const BATCH_MS = 5

export type Verified = {
  /** For each row that was asked for: whether it is a hit. */
  readonly isHit: readonly boolean[]
  /** The texts of the rows that had to be read. */
  readonly texts: ReadonlyMap<number, Fields>
}

/** Verifies by their texts which candidates are hits, in batches that are short enough for other work. */
export class Verifier {
  readonly #corpus: Corpus
  readonly #catalogue: Catalogue
  readonly #plan: Plan
  readonly #slice: TimeSlice
  /** Whether the candidates come from an index. */
  readonly #isIndexed: boolean
  #size = FIRST_BATCH

  constructor(corpus: Corpus, catalogue: Catalogue, plan: Plan, isIndexed: boolean, slice: TimeSlice) {
    this.#corpus = corpus
    this.#catalogue = catalogue
    this.#plan = plan
    this.#isIndexed = isIndexed
    this.#slice = slice
  }

  /** How many candidates to verify next. */
  get size(): number {
    return this.#size
  }

  /** Lets others go first when the slice is over. @throws LcmError cancelled */
  async pause(): Promise<void> {
    await this.#slice.yieldIfOver()
  }

  /**
   * @param needsTexts whether the texts of all hits are needed, too
   * @throws LcmError cancelled
   */
  async verify(indexes: Int32Array, needsTexts: boolean): Promise<Verified> {
    await this.pause()
    if (indexes.length === 0) {
      this.#size = Math.min(LARGEST_BATCH, this.#size << 1)
      return { isHit: [], texts: new Map() }
    }
    const began = performance.now()
    const { matcher, suffices, holds } = this.#plan
    const rows = Array.from(indexes, (index) => this.#catalogue.rows[index] as number)
    const patterns = this.#isIndexed && !needsTexts ? suffices : null
    const certain = new Set(patterns?.reduce((some, pattern) => this.#corpus.liking(some, pattern), rows))
    const doubtful = certain.size === 0 ? rows : rows.filter((row) => !certain.has(row))
    const texts = this.#corpus.texts(holds === null ? doubtful : this.#corpus.holding(doubtful, holds))
    const isHit: boolean[] = []
    if (matcher.elsewhere) {
      const read = [...texts]
      const answers = await matcher.elsewhere.judge(read.map(([, fields]) => fields))
      const hits = new Set(read.flatMap(([row], at) => (answers[at] ? [row] : [])))
      for (const row of rows) isHit.push(hits.has(row))
    } else {
      for (const row of rows) {
        const fields = texts.get(row)
        isHit.push((certain.size > 0 && certain.has(row)) || (fields !== undefined && matcher.matches(fields)))
      }
    }
    const tookMs = performance.now() - began
    this.#size = tookMs > BATCH_MS ? Math.max(1, this.#size >> 1) : Math.min(LARGEST_BATCH, this.#size << 1)
    return { isHit, texts }
  }
}
