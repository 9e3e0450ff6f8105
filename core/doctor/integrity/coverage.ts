import type { MemoryFacts } from './memory-facts.ts'

/** Who stands for each message, and which summaries the windows lead to. */
export class Coverage {
  /** 1 for a summary in a window, or beneath one that is. */
  isReached = new Uint8Array(0)
  /** 1 for a summary beneath another that is in a window. */
  isBeneath = new Uint8Array(0)
  /** For every message the first summary that names it, or −1; of those the windows lead to where there is one. */
  leaf = new Int32Array(0)
  /** Messages that several summaries name, with the places of all of them. */
  readonly shared = new Map<number, number[]>();

  *build({ messages, summaries, links, window }: MemoryFacts): Generator<void> {
    this.isReached = new Uint8Array(summaries.length)
    this.isBeneath = new Uint8Array(summaries.length)
    const open: number[] = []
    for (let summary = 0; summary < summaries.length; summary += 1) {
      if (window.summaryCounts[summary] === 0) continue
      this.isReached[summary] = 1
      open.push(summary)
    }
    for (let summary = open.pop(); summary !== undefined; summary = open.pop()) {
      for (const source of links.sources[summary] as number[]) {
        if (this.isBeneath[source] === 1) continue
        this.isBeneath[source] = 1
        this.isReached[source] = 1
        open.push(source)
      }
    }
    yield

    this.leaf = new Int32Array(messages.length).fill(-1)
    let steps = 0
    for (let summary = 0; summary < summaries.length; summary += 1) {
      const named = links.messagesOf(summary)
      for (const place of named) if (place >= 0) this.#cover(place, summary)
      steps += named.length
      if (steps > 32_768) {
        steps = 0
        yield
      }
    }
  }

  #cover(place: number, summary: number): void {
    const before = this.leaf[place] as number
    if (before === summary) return
    if (before < 0) {
      this.leaf[place] = summary
      return
    }
    const all = this.shared.get(place)
    if (!all) this.shared.set(place, [before, summary])
    else if (!all.includes(summary)) all.push(summary)
    if (this.isReached[before] === 0 && this.isReached[summary] === 1) this.leaf[place] = summary
  }

  /** Whether a summary that a window leads to names the message. */
  isCovered(place: number): boolean {
    const leaf = this.leaf[place] as number
    return leaf >= 0 && this.isReached[leaf] === 1
  }
}
