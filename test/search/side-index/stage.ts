import { RetrievalEngine } from '#core/browse/retrieval-engine.ts'
import { GrepInput, type GrepRequest } from '#core/contract/retrieval.ts'
import type { SearchIndexResult } from '#core/contract/search-index.ts'
import type { TextIndexSource } from '#core/search/indexes/corpus.ts'
import { openSideIndex } from '#core/search/side-index/open-side-index.ts'
import type { SideIndex } from '#core/search/side-index/side-index.ts'
import { stampAtRest } from '#core/search/side-index/source-state.ts'
import { updateIndex } from '#core/search/side-index/update-index.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { type OpenedMemory, openMemory } from '#test/builders/open-memory.ts'

const noIndex: TextIndexSource = { current: () => null, absence: () => 'there is none.' }

export type Answer = { readonly ids: readonly string[]; readonly notes: readonly string[] }

/** A foreign file as a window has it open. */
export class Stage {
  readonly memory: OpenedMemory
  readonly index: SideIndex
  readonly #engine: RetrievalEngine
  readonly #scan: RetrievalEngine

  static async open(path: string, cacheDir: string): Promise<Stage> {
    return new Stage(await stampAtRest(path), path, cacheDir)
  }

  private constructor(stamp: string | null, path: string, cacheDir: string) {
    this.memory = openMemory(path, { cacheDir })
    const { read, info } = this.memory
    const index = openSideIndex(this.memory, stamp, cacheDir)
    if (!index) throw new Error('this file has its own index')
    this.index = index
    this.#engine = new RetrievalEngine(read, info.capabilities, new MemoryReader(read), index)
    this.#scan = new RetrievalEngine(read, info.capabilities, new MemoryReader(read), noIndex)
  }

  get isCurrent(): boolean {
    return this.index.current() !== null
  }

  async grep(request: GrepRequest): Promise<Answer> {
    return answerOf(this.#engine, request)
  }

  /** What a search that reads every text finds. */
  async scan(request: GrepRequest): Promise<Answer> {
    return answerOf(this.#scan, request)
  }

  /** @param steps stops after so many steps of progress, as one who cancels */
  async update({ limitBytes, steps }: { limitBytes?: number; steps?: number } = {}): Promise<SearchIndexResult | null> {
    const abort = new AbortController()
    const { read, info } = this.memory
    const options = { read, info, index: this.index, ...(limitBytes === undefined ? {} : { limitBytes }) }
    const job = updateIndex(options, abort.signal)
    for (let step = 0; ; step += 1) {
      if (step === steps) abort.abort()
      try {
        const next = await job.next()
        if (next.done) return next.value
      } catch (error) {
        if (abort.signal.aborted) return null
        throw error
      }
    }
  }

  close(): void {
    this.index.close()
    this.memory.close()
  }
}

/** Brings the index of a file up to date as the job thread does: on a connection of its own. */
export async function updateElsewhere(
  path: string,
  cacheDir: string,
  options: { limitBytes?: number; steps?: number } = {},
): Promise<SearchIndexResult | null> {
  const stage = await Stage.open(path, cacheDir)
  try {
    return await stage.update(options)
  } finally {
    stage.close()
  }
}

async function answerOf(engine: RetrievalEngine, request: GrepRequest): Promise<Answer> {
  const input = GrepInput.parse({ sort: 'oldest', limit: 1000, exactTotal: true, ...request })
  const { hits, notes } = await engine.grep(input)
  return { ids: hits.map(({ id }) => id), notes }
}
