import { join } from 'node:path'
import { z } from 'zod'
import { type Clock, systemClock } from '../clock.ts'
import { RecentMemory } from '../contract/machine.ts'
import type { MemoryInfo } from '../contract/memory.ts'
import { UserFile } from '../settings/user-file.ts'
import { reachableStat } from '../sqlite/memory-file.ts'
import { shortName } from '../systems/known-places.ts'

const MOST = 20
const Stored = z.array(RecentMemory.omit({ exists: true }))
type Stored = z.infer<typeof Stored>

/** The memories that were opened last, newest first, in one small file. */
export class RecentFiles {
  readonly #file: UserFile<Stored>
  readonly #clock: Clock

  constructor(dataFolder: string, clock: Clock = systemClock) {
    const path = join(dataFolder, 'recent.json')
    this.#file = new UserFile({ path, schema: Stored, content: 'a list of recent files', empty: [] })
    this.#clock = clock
  }

  /**
   * Lists them with the present size and time of each file that still exists.
   * @throws LcmError invalid_argument when the list is damaged; file_not_readable
   */
  list(): RecentMemory[] {
    return this.#file.read().map((memory) => {
      const file = reachableStat(memory.path)
      if (!file) return { ...memory, exists: false }
      return { ...memory, bytes: file.size, modifiedAtMs: Math.round(file.mtimeMs), exists: true }
    })
  }

  /** Opening a file does not fail when it cannot be remembered. A line in the log says so. */
  async remember({ path, system, bytes, modifiedAtMs, pulledFrom }: MemoryInfo): Promise<void> {
    const named = pulledFrom
      ? { label: `${pulledFrom.tenant} · ${pulledFrom.conversationId}`, address: pulledFrom.address }
      : { label: shortName(path) }
    const memory = { path, system, bytes, modifiedAtMs, openedAtMs: this.#clock(), ...named }
    try {
      await this.#file.change((before) => [memory, ...before.filter((other) => other.path !== path)].slice(0, MOST))
    } catch (error) {
      console.error(`recent files were not saved: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  /** @throws LcmError as list, locked, disk_full */
  async forget(path: string): Promise<void> {
    await this.#file.change((before) => before.filter((other) => other.path !== path))
  }
}
