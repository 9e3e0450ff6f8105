/** A binary heap of numbers with an order that the caller gives. */
export class Heap {
  readonly #items: Int32Array
  readonly #compare: (a: number, b: number) => number
  length: number

  /** The heap takes the list over and changes it. */
  constructor(items: Int32Array, compare: (a: number, b: number) => number) {
    this.#items = items
    this.#compare = compare
    this.length = items.length
    for (let at = (this.length >> 1) - 1; at >= 0; at -= 1) this.#sink(at)
  }

  get first(): number | undefined {
    return this.length > 0 ? this.#items[0] : undefined
  }

  /** All remaining numbers, in no order. */
  get rest(): Int32Array {
    return this.#items.subarray(0, this.length)
  }

  pop(): number | undefined {
    const first = this.first
    if (first === undefined) return undefined
    this.length -= 1
    this.#items[0] = this.#items[this.length] as number
    this.#sink(0)
    return first
  }

  #sink(from: number): void {
    const items = this.#items
    const item = items[from] as number
    let at = from
    for (let child = 2 * at + 1; child < this.length; child = 2 * at + 1) {
      if (child + 1 < this.length && this.#compare(items[child + 1] as number, items[child] as number) < 0) child += 1
      if (this.#compare(items[child] as number, item) >= 0) break
      items[at] = items[child] as number
      at = child
    }
    items[at] = item
  }
}
