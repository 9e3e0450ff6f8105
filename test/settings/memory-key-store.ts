import type { KeyOwner, KeyStore } from '#core/settings/key-store.ts'

/** Keys for as long as the process lives, in place of the file and its keychain. */
export class MemoryKeyStore implements KeyStore {
  readonly #keys = new Map<string, string>()

  has(owner: KeyOwner): boolean {
    return this.#keys.has(slotOf(owner))
  }
  async get(owner: KeyOwner): Promise<string | null> {
    return this.#keys.get(slotOf(owner)) ?? null
  }
  async set(owner: KeyOwner, key: string | null): Promise<void> {
    if (key === null) this.#keys.delete(slotOf(owner))
    else this.#keys.set(slotOf(owner), key)
  }
}

const slotOf = ({ name, baseUrl }: KeyOwner): string => `${name} ${new URL(baseUrl).origin}`
