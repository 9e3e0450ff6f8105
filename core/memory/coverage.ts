import type { Links } from './links.ts'
import type { Messages } from './messages.ts'
import type { Summaries } from './summaries.ts'
import type { WindowEntries } from './window-entries.ts'

/** What coverage is worked out from. */
export type Covering = {
  readonly messages: Messages
  readonly summaries: Summaries
  readonly links: Links
  readonly window: WindowEntries
}

/** Which summaries stand for each message, and which summaries the windows lead to. */
export class Coverage {
  /** 1 for a summary in a window, or beneath one that is. */
  readonly isReached: Uint8Array
  /** 1 for a summary beneath another that is in a window. */
  readonly isBeneath: Uint8Array
  /** For every message the first summary that names it, or −1; of those the windows lead to where there is one. */
  readonly leaf: Int32Array
  /** Messages that several summaries name, with the nodes of all of them. */
  readonly shared = new Map<number, number[]>()

  private constructor(messages: number, summaries: number) {
    this.isReached = new Uint8Array(summaries)
    this.isBeneath = new Uint8Array(summaries)
    this.leaf = new Int32Array(messages).fill(-1)
  }

  /** Works it out, a piece of some milliseconds at a time. */
  static *of({ messages, summaries, links, window }: Covering): Generator<void, Coverage> {
    const coverage = new Coverage(messages.length, summaries.length)
    const { isReached, isBeneath } = coverage
    const open: number[] = []
    for (let node = 0; node < summaries.length; node += 1) {
      if (window.summaryCounts[node] === 0) continue
      isReached[node] = 1
      open.push(node)
    }
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      for (const source of links.sources[node] as number[]) {
        if (isBeneath[source] === 1) continue
        isBeneath[source] = 1
        isReached[source] = 1
        open.push(source)
      }
    }
    yield
    let steps = 0
    for (let node = 0; node < summaries.length; node += 1) {
      const named = links.messagesOf(node)
      for (const position of named) if (position >= 0) coverage.#cover(position, node)
      steps += named.length
      if (steps > 32_768) {
        steps = 0
        yield
      }
    }
    return coverage
  }

  #cover(position: number, node: number): void {
    const before = this.leaf[position] as number
    if (before === node) return
    if (before < 0) {
      this.leaf[position] = node
      return
    }
    const all = this.shared.get(position)
    if (!all) this.shared.set(position, [before, node])
    else if (!all.includes(node)) all.push(node)
    if (this.isReached[before] === 0 && this.isReached[node] === 1) this.leaf[position] = node
  }

  /** Whether a summary that a window leads to names the message. */
  isCovered(position: number): boolean {
    const leaf = this.leaf[position] as number
    return leaf >= 0 && this.isReached[leaf] === 1
  }
}
