import type { WindowItem } from '../window/window.ts'
import { tokensOf } from './condensation.ts'
import type { Drafted } from './node-maker.ts'
import type { Step } from './steps.ts'

/**
 * Drafts of the next pass, requested while the present one waits for its last calls. Only the passes decide which nodes
 * are made and in which order they are written, so a draft that no pass asks for is discarded.
 */
export class DraftsAhead {
  readonly #drafts = new Map<string, Promise<Drafted>>()

  has(items: readonly WindowItem[], step: Step): boolean {
    return this.#drafts.has(keyOf(items, step))
  }

  put(items: readonly WindowItem[], step: Step, draft: Promise<Drafted>): void {
    // The error is handled when the draft is taken.
    draft.catch(() => {})
    this.#drafts.set(keyOf(items, step), draft)
  }

  /**
   * Returns the draft of a step over the items of the window as they were read since, or undefined when there is none.
   */
  take(items: readonly WindowItem[], step: Step): Promise<Drafted> | undefined {
    const key = keyOf(items, step)
    const draft = this.#drafts.get(key)
    this.#drafts.delete(key)
    return draft?.then((made) =>
      typeof made === 'string' ? made : { ...made, items: items.slice(step.from, step.to) },
    )
  }
}

/** Identifies a request for a summary by everything that it is made of. */
const keyOf = (items: readonly WindowItem[], step: Step): string =>
  JSON.stringify([
    step.depth,
    step.targetTokens,
    step.mostTokens,
    tokensOf(items, step),
    ...items.slice(step.from, step.to).map(({ id }) => id),
  ])
