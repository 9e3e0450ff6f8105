import { z } from 'zod'
import type { ProviderSettings } from '../contract/provider.ts'
import { LcmError } from '../errors.ts'
import type { Environment } from '../folders.ts'
import { UserFile } from './user-file.ts'

/** Names a key. A key belongs to one server, so a provider whose address changes has no key until it is given again. */
export type KeyOwner = Pick<ProviderSettings, 'name' | 'baseUrl'>

/** Keeps keys. A key leaves the store only for a call to its own server. */
export interface KeyStore {
  has(owner: KeyOwner): boolean
  /**
   * Returns null when there is no key for this provider at this address.
   * @throws LcmError when the keychain refuses
   */
  get(owner: KeyOwner): Promise<string | null>
  /** Stores a key. Null deletes it. */
  set(owner: KeyOwner, key: string | null): Promise<void>
}

/** Turns keys into bytes that only this user on this machine can read, for example with the keychain of the desktop. */
export type KeyCipher = {
  encrypt(text: string): Promise<Uint8Array>
  decrypt(bytes: Uint8Array): Promise<string>
}

const slotOf = ({ name, baseUrl }: KeyOwner): string => `${name} ${new URL(baseUrl).origin}`

const StoredKeys = z.record(z.string(), z.base64())
type StoredKeys = z.infer<typeof StoredKeys>

/** Keeps keys in a private file, each encrypted on its own. */
export class FileKeyStore implements KeyStore {
  readonly #file: UserFile<StoredKeys>
  readonly #cipher: KeyCipher

  constructor(path: string, cipher: KeyCipher) {
    this.#file = new UserFile({ path, schema: StoredKeys, content: 'a store of keys', empty: {} })
    this.#cipher = cipher
  }

  has(owner: KeyOwner): boolean {
    return Object.hasOwn(this.#file.read(), slotOf(owner))
  }

  async get(owner: KeyOwner): Promise<string | null> {
    const stored = this.#file.read()[slotOf(owner)]
    if (stored === undefined) return null
    try {
      return await this.#cipher.decrypt(Buffer.from(stored, 'base64'))
    } catch {
      // The text of the keychain's error may contain what it was given, so it is replaced.
      throw new LcmError('unsupported', `The stored key of ${owner.name} cannot be decrypted here. Enter it again.`)
    }
  }

  async set(owner: KeyOwner, key: string | null): Promise<void> {
    const slot = slotOf(owner)
    const encrypted = key === null ? null : Buffer.from(await this.#cipher.encrypt(key)).toString('base64')
    await this.#file.change((stored) => {
      const { [slot]: _replaced, ...others } = stored
      return encrypted === null ? others : { ...others, [slot]: encrypted }
    })
  }
}

/** Says where the key of a provider comes from. The environment comes first, as with every setting. */
export function keySourceOf(provider: ProviderSettings, env: Environment, keys: KeyStore | null) {
  if (keyInEnvironment(provider, env) !== null) return 'environment'
  return keys?.has(provider) ? 'key_store' : 'none'
}

/** Returns the key of a provider, or null when none is set. */
export async function findKey(
  provider: ProviderSettings,
  env: Environment,
  keys: KeyStore | null,
): Promise<string | null> {
  return keyInEnvironment(provider, env) ?? (await keys?.get(provider)) ?? null
}

function keyInEnvironment({ keyVariable }: ProviderSettings, env: Environment): string | null {
  return (keyVariable === null ? undefined : env[keyVariable]?.trim()) || null
}
