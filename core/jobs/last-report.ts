import type { IntegrityReport } from '../contract/integrity.ts'
import type { Lcm } from '../lcm.ts'
import { SourceState, stampAtRest } from '../search/side-index/source-state.ts'

/** A report depends also on other files and on the time, so it is used only this long. */
const MAX_AGE_MS = 5 * 60_000

/** Names the content that a memory shows: equal names mean equal content. Null when it cannot be named yet. */
export type StateOf = (lcm: Lcm) => string | null

/** Has to be called before the file is opened. */
export async function watchState(path: string): Promise<StateOf> {
  const openedStamp = await stampAtRest(path)
  return ({ read, info }) => new SourceState({ read, info, openedStamp, companions: [] }).id()
}

/** The last report of all conversations, for a plan that is made right after it. */
export class LastReport {
  #kept: { readonly path: string; readonly state: string; readonly report: IntegrityReport } | null = null

  /**
   * Keeps a report.
   * @param state the state of the memory, equal before and after the scan
   */
  keep(lcm: Lcm, state: string, report: IntegrityReport): void {
    this.#kept = { path: lcm.info.path, state, report }
  }

  /** Returns null when the content of the memory has changed. */
  of(lcm: Lcm, state: string | null): IntegrityReport | null {
    const kept = this.#kept
    if (kept === null || kept.path !== lcm.info.path || kept.state !== state) return null
    return lcm.clock() - kept.report.finishedAtMs < MAX_AGE_MS ? kept.report : null
  }
}
