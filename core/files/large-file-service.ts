// Why it is so: docs/decisions/0022-large-files.md

import type { TokenEstimator } from '../models/token-estimator.ts'
import { type Block, type IsLarge, PASTED } from './blocks.ts'
import type { FileSource } from './explorers/decoded-file.ts'
import type { Exploration } from './explorers/explore.ts'
import { extensionOf } from './file-names.ts'
import { fileIdOf } from './file-reference.ts'
import type { FileStore, StagedFile } from './file-store.ts'
import { measureText, textPieces, textSource } from './text-source.ts'

export type Explore = (source: FileSource, signal: AbortSignal) => AsyncGenerator<void, Exploration>

export type LargeFileOptions = {
  readonly store: Pick<FileStore, 'stage' | 'discard' | 'place' | 'syncPlaces' | 'holds'>
  readonly estimator: TokenEstimator
  /** A text of at least this many tokens is a large one. */
  readonly thresholdTokens: number
  readonly explore: Explore
}

/** Gives content its place, once, and returns the path. */
type Place = (conversationId: number, name: string) => string

/** A block with what tells it from others. */
export type KnownBlock = Block & { readonly id: string; readonly hash: string; readonly bytes: number }

/** A large file on its way into a memory. */
export type NewFile = {
  readonly id: string
  readonly fileName: string
  readonly mimeType: string
  readonly bytes: number
  readonly hash: string
  readonly explorationSummary: string
  /** Gives its content the place below the folder of a conversation, and returns the path. */
  readonly place: (conversationId: number) => string
  /** Makes sure that it keeps its place, and all others that were placed before. */
  readonly sync: () => void
}

/** The most tokens of a UTF-16 unit under any estimator: the exact ones count bytes at worst. */
const MOST_TOKENS_A_UNIT = 3

/** Decides which texts are kept in files, stores their bytes, and has them explored. */
export class LargeFileService {
  readonly #options: LargeFileOptions
  readonly #staged = new Set<StagedFile>()
  /** By hash: where the content of this import goes. */
  readonly #places = new Map<string, Place>()

  constructor(options: LargeFileOptions) {
    this.#options = options
  }

  /** Texts of fewer UTF-16 units have fewer tokens than the threshold, whatever stands in them. */
  get leastUnits(): number {
    return Math.ceil(this.#options.thresholdTokens / MOST_TOKENS_A_UNIT)
  }

  readonly isLarge: IsLarge = (text) => {
    const { thresholdTokens, estimator } = this.#options
    if (text.length < this.leastUnits || Buffer.byteLength(text) < thresholdTokens) return false
    return estimator.count(text) >= thresholdTokens
  }

  async *identify(block: Block, conversationKey: string, signal: AbortSignal): AsyncGenerator<void, KnownBlock> {
    const { bytes, hash } = yield* measureText(block.content, signal)
    const { name, mime } = block
    return { ...block, bytes, hash, id: fileIdOf({ conversationKey, hash, name, mime }) }
  }

  /**
   * Stores the content of a block where nobody sees it yet, and says what is in it. Content that is stored already, or
   * on its way, is not stored again.
   * @param existing paths at which the same content may stand
   */
  async *keep(block: KnownBlock, existing: readonly string[], signal: AbortSignal): AsyncGenerator<void, NewFile> {
    const { explore } = this.#options
    const { id, name, mime, bytes, hash, content } = block
    const extension = extensionOf(block)
    const place = this.#places.get(hash) ?? (yield* this.#placeOf(block, existing, signal))
    this.#places.set(hash, place)
    // The ending tells the explorer of a fenced block what language it is.
    const shownAs = name === PASTED && block.language !== null ? `pasted.${extension}` : name
    const found = yield* explore(textSource(content, shownAs, mime, bytes), signal)
    return {
      id,
      fileName: name,
      mimeType: mime ?? found.mime,
      bytes,
      hash,
      explorationSummary: found.summary,
      place: (conversationId) => place(conversationId, `${id}.${extension}`),
      sync: () => this.#options.store.syncPlaces(),
    }
  }

  async *#placeOf(
    { content, bytes, hash }: KnownBlock,
    existing: readonly string[],
    signal: AbortSignal,
  ): AsyncGenerator<void, Place> {
    const { store } = this.#options
    for (const path of existing) if (yield* store.holds(path, { bytes, hash }, signal)) return () => path
    const staged = yield* store.stage(textPieces(content), signal)
    this.#staged.add(staged)
    let path: string | null = null
    return (conversationId, name) => {
      path ??= store.place(staged, conversationId, name)
      this.#staged.delete(staged)
      return path
    }
  }

  /** Removes what was stored for messages that were not taken after all. */
  discardUnused(): void {
    for (const staged of this.#staged) this.#options.store.discard(staged)
    this.#staged.clear()
    this.#places.clear()
  }
}
