import { readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import { sha256 } from '../hashing.ts'
import { writeWhole } from '../settings/user-file.ts'
import { fileError } from '../sqlite/memory-file.ts'

/** Allows that changes of one memory file, at one place, are appended to one ledger. */
const Consent = z.object({
  /** The real path of the memory. */
  memory: z.string(),
  /** The inode of the memory. A copy that takes its place has another. */
  inode: z.string(),
  /** The id that the memory has in its own `lcm_meta`. A memory that is written over this one has another. */
  ledgerId: z.string(),
  ledger: z.string(),
  agreedAtMs: z.int(),
})
type Consent = z.infer<typeof Consent>

const FOLDER = 'ledgers'

/**
 * Keeps what the user of this machine agreed to. It is in the data folder of the app and never in a memory, because a
 * memory file may come from anywhere and must not decide where this program writes.
 */
export class LedgerConsents {
  readonly #folder: string

  constructor(dataDir: string) {
    this.#folder = join(dataDir, FOLDER)
  }

  /** Returns the ledger that was agreed to for the memory that is at this path now, or null. */
  ledgerOf(memory: string, ledgerId: string): string | null {
    const place = placeOf(memory)
    const consent = place && readConsent(this.#fileOf(place.path))
    return consent && stands(consent) && consent.ledgerId === ledgerId ? consent.ledger : null
  }

  /** Returns another memory, still at its place, that uses this ledger, or null. */
  keeperOf(ledger: string, except: string): string | null {
    const place = placeOf(except)?.path
    const real = realLedger(ledger)
    for (const consent of this.#all()) {
      if (consent.memory !== place && realLedger(consent.ledger) === real && stands(consent)) return consent.memory
    }
    return null
  }

  /**
   * Stores a consent.
   * @throws LcmError disk_full, file_not_readable
   */
  agree(memory: string, ledgerId: string, ledger: string, clock: Clock): void {
    const place = placeOf(memory)
    if (place === null) return
    const { path, inode } = place
    const consent: Consent = { memory: path, inode, ledgerId, ledger, agreedAtMs: clock() }
    writeWhole(this.#fileOf(path), `${JSON.stringify(consent, null, 2)}\n`)
  }

  /**
   * Deletes a consent.
   * @throws LcmError file_not_readable
   */
  withdraw(memory: string): void {
    const place = placeOf(memory)
    if (place === null) return
    const file = this.#fileOf(place.path)
    try {
      rmSync(file, { force: true })
    } catch (error) {
      throw fileError(error, file)
    }
  }

  #fileOf(memory: string): string {
    return join(this.#folder, `${sha256(memory).slice(0, 32)}.json`)
  }

  #all(): Consent[] {
    let names: string[]
    try {
      names = readdirSync(this.#folder)
    } catch {
      // Nobody has agreed to anything yet.
      return []
    }
    return names.filter((name) => name.endsWith('.json')).flatMap((name) => readConsent(join(this.#folder, name)) ?? [])
  }
}

/** Returns null for a file that cannot be read, which counts as no consent: the user is asked again. */
function readConsent(file: string): Consent | null {
  try {
    return Consent.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data ?? null
  } catch {
    return null
  }
}

function placeOf(memory: string): { readonly path: string; readonly inode: string } | null {
  try {
    const path = realpathSync(memory)
    return { path, inode: String(statSync(path, { bigint: true }).ino) }
  } catch {
    return null
  }
}

const stands = ({ memory, inode }: Consent): boolean => {
  const place = placeOf(memory)
  return place !== null && place.path === memory && place.inode === inode
}

/** Gives one name to one file, whether it exists or not. */
export function realLedger(ledger: string): string {
  const path = resolve(ledger)
  try {
    return realpathSync(path)
  } catch {
    try {
      return join(realpathSync(dirname(path)), basename(path))
    } catch {
      return path
    }
  }
}
