import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { type Clock, systemClock } from '../clock.ts'
import { RecentMemory } from '../contract/machine.ts'
import type { MemoryInfo } from '../contract/memory.ts'
import { shortName } from '../systems/known-places.ts'

const MOST = 20
const Stored = z.array(RecentMemory.omit({ exists: true }))
type Stored = z.infer<typeof Stored>

/** The memories that were opened last, newest first, in one small file. */
export class RecentFiles {
  readonly #path: string
  readonly #clock: Clock

  constructor(dataFolder: string, clock: Clock = systemClock) {
    this.#path = join(dataFolder, 'recent.json')
    this.#clock = clock
  }

  /** Lists them with the present size and time of each file that still exists. */
  list(): RecentMemory[] {
    return this.#read().map((memory) => {
      const file = statOrNull(memory.path)
      if (!file) return { ...memory, exists: false }
      return { ...memory, bytes: file.size, modifiedAtMs: Math.round(file.mtimeMs), exists: true }
    })
  }

  remember({ path, system, bytes, modifiedAtMs, pulledFrom }: MemoryInfo): void {
    const named = pulledFrom
      ? { label: `${pulledFrom.tenant} · ${pulledFrom.conversationId}`, address: pulledFrom.address }
      : { label: shortName(path) }
    const memory = { path, system, bytes, modifiedAtMs, openedAtMs: this.#clock(), ...named }
    this.#write([memory, ...this.#read().filter((other) => other.path !== path)])
  }

  forget(path: string): void {
    this.#write(this.#read().filter((other) => other.path !== path))
  }

  #read(): Stored {
    try {
      const stored = Stored.safeParse(JSON.parse(readFileSync(this.#path, 'utf8')))
      return stored.success ? stored.data : []
    } catch {
      // The file is missing or not ours, so the list is empty.
      return []
    }
  }

  /** Opening a file does not fail when it cannot be remembered. A line in the log says so. */
  #write(memories: Stored): void {
    const next = `${this.#path}.${process.pid}.tmp`
    try {
      mkdirSync(dirname(this.#path), { recursive: true })
      writeFileSync(next, `${JSON.stringify(memories.slice(0, MOST), null, 2)}\n`, { mode: 0o600 })
      renameSync(next, this.#path)
    } catch (error) {
      console.error(`recent files were not saved: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
}

function statOrNull(path: string): { readonly size: number; readonly mtimeMs: number } | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null
  } catch {
    return null
  }
}
