import type { IntegrityReport } from '../contract/integrity.ts'
import type { Lcm } from '../lcm.ts'
import { SourceState, stampAtRest } from '../search/side-index/source-state.ts'

/** A report also tells of other files, and of what is overdue by now: for so long it is taken for the present. */
const MAX_AGE_MS = 5 * 60_000

/** Names the content that a memory shows; the same name, the same content. null while it cannot be named. */
export type StateOf = (lcm: Lcm) => string | null

/** To be called before the file is opened. */
export function watchState(path: string): StateOf {
  const openedStamp = stampAtRest(path)
  return ({ read, info }) => new SourceState({ read, info, openedStamp, companions: [] }).id()
}

/** The last report of all conversations, for a plan that is made right after it. */
export class LastReport {
  #kept: { readonly path: string; readonly state: string; readonly report: IntegrityReport } | null = null

  /** @param state of the memory, the same before the scan and after it */
  keep(lcm: Lcm, state: string, report: IntegrityReport): void {
    this.#kept = { path: lcm.info.path, state, report }
  }

  /** null when the memory holds something else by now. */
  of(lcm: Lcm, state: string | null): IntegrityReport | null {
    const kept = this.#kept
    if (kept === null || kept.path !== lcm.info.path || kept.state !== state) return null
    return lcm.clock() - kept.report.finishedAtMs < MAX_AGE_MS ? kept.report : null
  }
}
