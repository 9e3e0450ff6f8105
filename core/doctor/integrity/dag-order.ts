import type { LineageLinks } from './lineage-links.ts'
import type { SummaryTable } from './summary-table.ts'

/** Summaries ordered by their lineage, and those that no order can be found for. */
export class DagOrder {
  /** Places of summaries, sources before their dependents; without those on cycles and what rests on them. */
  order = new Int32Array(0)
  /** 1 for a summary that reaches itself through its sources. */
  isCyclic = new Uint8Array(0);

  *build(summaries: SummaryTable, { sources, dependents }: LineageLinks): Generator<void> {
    const length = summaries.length
    const open = Int32Array.from(sources, (list) => list.length)
    const order = new Int32Array(length)
    let end = 0
    for (let summary = 0; summary < length; summary += 1) if (open[summary] === 0) order[end++] = summary
    for (let at = 0; at < end; at += 1) {
      for (const dependent of dependents[order[at] as number] as number[]) {
        open[dependent] = (open[dependent] as number) - 1
        if (open[dependent] === 0) order[end++] = dependent
      }
      if (at % 16_384 === 0) yield
    }
    this.order = order.subarray(0, end)
    this.isCyclic = new Uint8Array(length)
    for (let summary = 0; summary < length; summary += 1) {
      if ((open[summary] as number) > 0) this.isCyclic[summary] = 1
    }
    this.#spareDependents(sources, dependents)
  }

  /** What merely rests on a cycle is not on one: peel those that nobody left uses. A node between two cycles stays. */
  #spareDependents(sources: readonly number[][], dependents: readonly number[][]): void {
    const isLeft = (summary: number): boolean => this.isCyclic[summary] === 1
    const open = new Map<number, number>()
    const ready: number[] = []
    this.isCyclic.forEach((is, summary) => {
      if (is === 0) return
      const users = (dependents[summary] ?? []).filter(isLeft).length
      open.set(summary, users)
      if (users === 0) ready.push(summary)
    })
    for (let summary = ready.pop(); summary !== undefined; summary = ready.pop()) {
      this.isCyclic[summary] = 0
      for (const source of sources[summary] ?? []) {
        if (!isLeft(source)) continue
        const users = (open.get(source) ?? 0) - 1
        open.set(source, users)
        if (users === 0) ready.push(source)
      }
    }
  }
}
