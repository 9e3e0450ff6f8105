import type { WindowItem } from '../window/window.ts'
import { tokensOf } from './condensation.ts'
import type { Drafted } from './node-maker.ts'
import type { Step } from './steps.ts'

/**
 * Drafts of the next pass, asked for while the present one still waits for its last calls. Which nodes are made, and in
 * which order they are written, is decided by the passes alone: a draft that none of them asks for is dropped.
 */
export class DraftsAhead {
  readonly #drafts = new Map<string, Promise<Drafted>>()

  has(items: readonly WindowItem[], step: Step): boolean {
    return this.#drafts.has(keyOf(items, step))
  }

  put(items: readonly WindowItem[], step: Step, draft: Promise<Drafted>): void {
    // It is handled when it is taken, if it ever is.
    draft.catch(() => {})
    this.#drafts.set(keyOf(items, step), draft)
  }

  /** The draft of a step over the items of the window as they were read since; undefined when there is none. */
  take(items: readonly WindowItem[], step: Step): Promise<Drafted> | undefined {
    const key = keyOf(items, step)
    const draft = this.#drafts.get(key)
    this.#drafts.delete(key)
    return draft?.then((made) =>
      typeof made === 'string' ? made : { ...made, items: items.slice(step.from, step.to) },
    )
  }
}

/** What a request for a summary is made of. */
const keyOf = (items: readonly WindowItem[], step: Step): string =>
  JSON.stringify([
    step.depth,
    step.targetTokens,
    step.mostTokens,
    tokensOf(items, step),
    ...items.slice(step.from, step.to).map(({ id }) => id),
  ])
