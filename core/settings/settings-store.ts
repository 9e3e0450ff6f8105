import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ProviderSettings, ProviderTest } from '../contract/provider.ts'
import type { SettingsPatch, SettingsReport } from '../contract/settings.ts'
import { parseAddress } from '../database-address.ts'
import { LcmError } from '../errors.ts'
import { type Environment, userFolders } from '../folders.ts'
import { testProvider } from '../models/summarizers/test-provider.ts'
import { type Confirm, GrantedReach, newReach, notGranted, type Reach } from './confirmation.ts'
import { effectiveSettings, textsOver } from './effective-settings.ts'
import { findKey, type KeyStore, keySourceOf } from './key-store.ts'
import { readSettings, type Settings } from './settings.ts'
import {
  checkSettings,
  readSettingsFile,
  type SettingsFile,
  settingsPath,
  textsOf,
  writeSettingsFile,
} from './settings-file.ts'
import { unknownVariables } from './unknown-variables.ts'
import { changeAlone } from './user-file.ts'

export type SettingsStoreOptions = {
  readonly env: Environment
  /** Null when keys come from the environment only. */
  readonly keys?: KeyStore | null
  /** Asks the user about what a page wants to reach. Without it nobody can be asked. */
  readonly confirm?: Confirm
}

/** The configured settings: the environment over the settings file over the defaults. */
export class SettingsStore {
  readonly path: string
  readonly #env: Environment
  readonly #keys: KeyStore | null
  readonly #confirm: Confirm
  readonly #granted: GrantedReach

  constructor({ env, keys = null, confirm = async () => 'nobody_to_ask' }: SettingsStoreOptions) {
    this.#env = env
    this.#keys = keys
    this.#confirm = confirm
    this.#granted = new GrantedReach(join(userFolders(env).data, 'granted.json'))
    this.path = settingsPath(env)
  }

  /**
   * Reads everything again.
   * @throws LcmError invalid_argument, naming the variable or the file and its key
   */
  read(): Settings {
    return this.#settingsWith(readSettingsFile(this.path))
  }

  /**
   * Returns each value with where it comes from.
   * @throws LcmError as `read`
   */
  report(): SettingsReport {
    const file = readSettingsFile(this.path)
    const settings = this.#settingsWith(file)
    return {
      path: this.path,
      effective: effectiveSettings(settings, this.#env, file),
      unknown: unknownVariables(this.#env),
      providers: settings.models.providers.map((provider) => ({
        ...provider,
        keySource: keySourceOf(provider, this.#env, this.#keys),
      })),
      chain: [...settings.models.chain],
      spendCapTokens: settings.models.spendCapTokens,
      canStoreKeys: this.#keys !== null,
    }
  }

  /**
   * Changes in the file what the patch names. A value of null returns to its default. Nothing is written unless the
   * whole can be used and the user grants what it newly reaches (docs/decisions/0013-browser-entry.md).
   * @throws LcmError invalid_argument, cancelled, unsupported where nobody can be asked, locked, file_not_readable,
   * disk_full
   */
  async save(patch: SettingsPatch): Promise<SettingsReport> {
    const asked = this.#granted.missing(newReach(readSettingsFile(this.path), this.#with(patch)))
    if (asked.length > 0) {
      await this.#requireGranted(asked, `write it into ${this.path} yourself`)
      await this.#granted.add(asked)
    }
    // The file is read again, because others may have changed it while the user was asked.
    await changeAlone(userFolders(this.#env).data, () => writeSettingsFile(this.path, this.#with(patch)))
    return this.report()
  }

  /**
   * Asks the user whether a command may be run for each item of a list. The answer holds for this one time, because the
   * same command may do something else with another list.
   * @throws LcmError cancelled, unsupported where nobody can be asked
   */
  async requireCommand(command: readonly string[], input: string): Promise<void> {
    await this.#requireGranted([{ kind: 'command', command, input }], 'use "lcm map"')
  }

  /**
   * Asks the user whether a page may connect to a database, unless that was granted before.
   * @throws LcmError cancelled, unsupported where nobody can be asked, invalid_argument
   */
  async requireDatabase(address: string): Promise<void> {
    const { shown } = parseAddress(address.trim(), 'environment').address
    const asked = this.#granted.missing([{ kind: 'database', address: shown }])
    if (asked.length === 0) return
    await this.#requireGranted(asked, 'open it with "lcm open postgres://…"')
    await this.#granted.add(asked)
  }

  /** What the user names on the command line needs no question. */
  async grantDatabase(address: string): Promise<void> {
    await this.#granted.add(this.#granted.missing([{ kind: 'database', address }]))
  }

  async #requireGranted(asked: readonly Reach[], otherWay: string): Promise<void> {
    const answer = await this.#confirm(asked)
    if (answer !== 'granted') throw notGranted(answer, asked, otherWay)
  }

  /**
   * Returns the file with the patch.
   * @throws LcmError invalid_argument when it cannot be used
   */
  #with({ values = {}, ...patch }: SettingsPatch): SettingsFile {
    const before = readSettingsFile(this.path)
    const merged = Object.entries({ ...before.values, ...values }).filter(([, value]) => value !== null)
    const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined))
    const next = checkSettings({ ...before, ...given, values: Object.fromEntries(merged) }, this.path)
    this.#settingsWith(next)
    return next
  }

  /**
   * Stores the key of a provider. Null deletes it.
   * @throws LcmError unsupported, not_found, invalid_argument
   */
  async setKey(name: string, key: string | null): Promise<void> {
    const provider = this.#provider(name)
    if (!this.#keys) {
      const variable = provider.keyVariable ?? 'an environment variable'
      throw new LcmError('unsupported', `Keys cannot be kept here: set ${variable} in the environment instead.`)
    }
    const text = key?.trim() ?? null
    if (text !== null && !/^[\x21-\x7e]{1,4096}$/.test(text)) {
      throw new LcmError('invalid_argument', `The key for ${name} is not one: keys are printable ASCII without spaces.`)
    }
    await this.#keys.set(provider, text)
  }

  /** Returns the key for a call. It is never shown. */
  keyOf(provider: ProviderSettings): Promise<string | null> {
    return findKey(provider, this.#env, this.#keys)
  }

  /**
   * Tests a provider by one tiny real call.
   * @throws LcmError not_found; `signal.reason` when the signal aborts
   */
  async testProvider(name: string, signal: AbortSignal): Promise<ProviderTest> {
    const provider = this.#provider(name)
    return testProvider(provider, await this.keyOf(provider), signal)
  }

  /** Changes when the file changes. */
  stamp(): string {
    try {
      const file = statSync(this.path, { throwIfNoEntry: false })
      return file ? `${file.ino}:${file.size}:${file.mtimeMs}` : ''
    } catch {
      // The folder cannot be entered, which reading the file reports.
      return 'unreadable'
    }
  }

  #provider(name: string): ProviderSettings {
    const { providers } = readSettingsFile(this.path)
    const found = providers.find((provider) => provider.name === name)
    if (found) return found
    const known = providers.map((provider) => provider.name).join(', ') || 'none is configured yet'
    throw new LcmError('not_found', `There is no provider ${JSON.stringify(name)} (${known}). Save it first.`)
  }

  #settingsWith(file: SettingsFile): Settings {
    const { providers, chain, spendCapTokens } = file
    const promptsDir = join(dirname(this.path), 'prompts')
    return readSettings(textsOver(this.#env, textsOf(file)), { providers, chain, spendCapTokens, promptsDir })
  }
}

/**
 * Reads the current configuration from the environment and the settings file.
 * @throws LcmError as `SettingsStore.read`
 */
export const loadSettings = (env: Environment): Settings => new SettingsStore({ env }).read()
