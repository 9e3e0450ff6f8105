/** What the model sees since the last compaction, in order, and what the person took back of it. */
export class LiveItems {
  readonly #live: { readonly externalId: string; readonly kind: ItemKind }[] = []
  readonly givenUp = new Set<string>()

  add(externalId: string, kind: ItemKind): void {
    this.#live.push({ externalId, kind })
  }

  /** What a compaction kept was said before it; turns that are taken back later came after it. */
  compacted(): void {
    this.#live.length = 0
  }

  /**
   * The person took back the last turns: they stay in the file, and the model sees none of them again, nor the context
   * that was given right before them. What stands before the first turn stays.
   */
  rollBack(turns: number): void {
    const starts = this.#live.flatMap(({ kind }, index) => (kind === 'turn' ? index : []))
    const [first] = starts
    if (turns < 1 || first === undefined) return
    let cut = starts[Math.max(0, starts.length - turns)] ?? first
    while (cut > first && this.#live[cut - 1]?.kind === 'context') cut -= 1
    for (const { externalId } of this.#live.splice(cut)) this.givenUp.add(externalId)
  }
}

/** A person's words, what the program put before the model, and all that the model said and did. */
export type ItemKind = 'turn' | 'context' | 'rest'
