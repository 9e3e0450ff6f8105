import type { MapItem } from './items.ts'

/** One try on one item. */
export type Task = {
  readonly item: MapItem
  /** Why the answer before was not accepted, or null at the first try and after failures of another kind. */
  readonly refusal: string | null
}

/** Does the work for one item and answers with a text. */
export interface Worker {
  /** Says in a few words who works, for people. */
  readonly name: string
  /** What belongs to the identity of a run: the model or the command. */
  readonly identity: readonly string[]
  /**
   * @throws ItemFailure when this item has no answer; LcmError when no item will have one; whatever the signal was
   * aborted with
   */
  work(task: Task, signal: AbortSignal): Promise<string>
}

/** One try on one item failed. The run goes on. `message` is recorded and shown. */
export class ItemFailure extends Error {
  override readonly name = 'ItemFailure'
  /** False when another try would end alike. */
  readonly isRetryable: boolean

  constructor(reason: string, isRetryable: boolean) {
    super(reason)
    this.isRetryable = isRetryable
  }
}
