/** A turn holds words of a person, context comes from the program, and the rest is what the model said and did. */
export type ItemKind = 'turn' | 'context' | 'rest'

/** Follows what the model sees since the last compaction, in order, and what the person took back. */
export class LiveItems {
  readonly #live: { readonly externalId: string; readonly kind: ItemKind }[] = []
  readonly givenUp = new Set<string>()

  add(externalId: string, kind: ItemKind): void {
    this.#live.push({ externalId, kind })
  }

  /** Messages that a compaction kept are older than it. Turns that are taken back later are newer. */
  compacted(): void {
    this.#live.length = 0
  }

  /**
   * The person took back the last turns. They stay in the file, but the model sees none of them again, nor the context
   * that was given right before them. Items before the first turn stay.
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
