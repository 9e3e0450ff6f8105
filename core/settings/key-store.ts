import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { ProviderSettings } from '../contract/provider.ts'
import { LcmError } from '../errors.ts'
import type { Environment } from '../folders.ts'
import { fileError } from '../sqlite/memory-file.ts'
import { writeWhole } from './settings-file.ts'

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

/**
 * Keeps keys in a private file, each encrypted on its own. The file is read again each time, because several processes
 * share it.
 */
export class FileKeyStore implements KeyStore {
  readonly #path: string
  readonly #cipher: KeyCipher

  constructor(path: string, cipher: KeyCipher) {
    this.#path = path
    this.#cipher = cipher
  }

  has(owner: KeyOwner): boolean {
    return Object.hasOwn(this.#read(), slotOf(owner))
  }

  async get(owner: KeyOwner): Promise<string | null> {
    const stored = this.#read()[slotOf(owner)]
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
    const others = Object.entries(this.#read()).filter(([name]) => name !== slot)
    const next = encrypted === null ? others : [...others, [slot, encrypted]]
    writeWhole(this.#path, `${JSON.stringify(Object.fromEntries(next), null, 2)}\n`)
  }

  #read(): StoredKeys {
    let text: string
    try {
      text = readFileSync(this.#path, 'utf8')
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {}
      throw fileError(error, this.#path)
    }
    const stored = StoredKeys.safeParse(jsonOrNull(text))
    if (stored.success) return stored.data
    throw new LcmError(
      'invalid_argument',
      `The key store ${this.#path} is damaged. Remove it and enter the keys again.`,
    )
  }
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's error quotes the file, so it is dropped.
    return null
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
