import { type JsonObject, textAt } from '../../json-value.ts'
import { entryTypes } from './entries.ts'

const NONE = -1

/**
 * Finds the live entries of a session: those on the path from the last entry to the first. Entries of version 1 have no
 * ids, and all of them are live. It holds ids and numbers only.
 */
export class PiTree {
  readonly #parents: number[] = []
  readonly #indexOf = new Map<string, number>()
  #live: Uint8Array = new Uint8Array()
  #ids: string[] = []

  /** Adds the next record of the file. */
  add(record: JsonObject): void {
    const id = textAt(record, 'id')
    if (id === null || record.type === 'session' || !entryTypes.has(textAt(record, 'type') ?? '')) return
    if (this.#indexOf.has(id)) return
    const named = textAt(record, 'parentId')
    const before = this.#parents.length - 1
    // A parent that is not in the file (cut at its beginning) is no fork, so the record before this one is its parent.
    const parent = named === null ? (record.parentId === null ? NONE : before) : (this.#indexOf.get(named) ?? before)
    this.#indexOf.set(id, this.#parents.length)
    this.#parents.push(parent)
    this.#ids.push(id)
  }

  /** Completes the tree after the last record. */
  finish(): void {
    this.#live = new Uint8Array(this.#parents.length)
    for (let index = this.#parents.length - 1; index > NONE; index = this.#parents[index] ?? NONE) this.#live[index] = 1
  }

  /** Returns false for an entry on a branch that was given up. */
  isLive(id: string | null): boolean {
    const index = id === null ? undefined : this.#indexOf.get(id)
    return index === undefined || this.#live[index] === 1
  }

  /** Returns the ids on the branch that ends with an entry, back to where it leaves the live path. */
  branchOf(id: string): Set<string> {
    const branch = new Set<string>()
    for (let index = this.#indexOf.get(id) ?? NONE; index > NONE && this.#live[index] !== 1; ) {
      branch.add(this.#ids[index] ?? '')
      index = this.#parents[index] ?? NONE
    }
    return branch
  }
}
