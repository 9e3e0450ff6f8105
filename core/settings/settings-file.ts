import { join } from 'node:path'
import { z } from 'zod'
import { ProviderSettings } from '../contract/provider.ts'
import { isDatabaseAddress } from '../database-address.ts'
import { LcmError } from '../errors.ts'
import { type Environment, userFolders } from '../folders.ts'
import { nearestOf } from './unknown-variables.ts'
import { readText, writeWhole } from './user-file.ts'
import { readVariable, type SettingTexts, VARIABLES } from './variables.ts'

/** Variables without a key of their own in the file. They are among its values. */
const VARIABLE_NAMES: readonly string[] = Object.values(VARIABLES)
  .filter((variable) => variable !== VARIABLES.summarizers && variable !== VARIABLES.spendCapTokens)
  .map(({ name }) => name)
const RESERVED_NAMES = ['deterministic', 'chain', 'auto']

const Value = z.union([z.string(), z.number(), z.boolean()])

const Provider = z
  .strictObject(ProviderSettings.shape)
  .refine(({ name }) => !RESERVED_NAMES.includes(name), { path: ['name'], message: 'this name is taken by the app' })
  .refine(({ baseUrl }) => !hasSecrets(baseUrl), {
    path: ['baseUrl'],
    message: 'expected an address without user, password, query or fragment: keys have a place of their own',
  })

/** The content of the settings file. An unknown key is an error, so that a mistyped one is noticed. */
const SettingsFile = z.strictObject({
  values: z.record(z.string(), Value).default({}),
  providers: z
    .array(Provider)
    .default([])
    .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, 'two providers have the same name'),
  chain: z.array(z.string()).default([]),
  spendCapTokens: z.int().min(0).nullable().default(null),
})
export type SettingsFile = z.infer<typeof SettingsFile>

/** Returns `LCM_SETTINGS_FILE`, or `settings.json` in the configuration folder of the user. The file may be missing. */
export const settingsPath = (env: Environment): string =>
  env.LCM_SETTINGS_FILE?.trim() || join(userFolders(env).config, 'settings.json')

/**
 * Reads the file. A missing or blank file is empty.
 * @throws LcmError invalid_argument naming the file, the key and what it accepts; file_not_readable
 */
export function readSettingsFile(path: string): SettingsFile {
  const text = readText(path) ?? ''
  return checkSettings(text.trim() === '' ? {} : parseJson(text, path), path)
}

/**
 * Checks the content of the file.
 * @throws LcmError invalid_argument naming the file, the key and what it accepts
 */
export function checkSettings(content: unknown, path: string): SettingsFile {
  const parsed = SettingsFile.safeParse(content)
  if (!parsed.success) throw refusal(path, firstProblem(parsed.error))
  const { values, chain, providers } = parsed.data
  const unknown = Object.keys(values).find((name) => !VARIABLE_NAMES.includes(name))
  if (unknown !== undefined) {
    const near = nearestOf(unknown, VARIABLE_NAMES)
    const hint = near ? `Did you mean ${near}?` : `Known are ${VARIABLE_NAMES.join(', ')}`
    throw refusal(path, `values.${unknown.slice(0, 80)}: no such variable. ${hint}`, unknown)
  }
  const texts = textsOf(parsed.data)
  if (isDatabaseAddress(texts.LCM_DATABASE_URL ?? '')) {
    const problem = 'the address of a database stands in the environment, because it may hold a password'
    throw refusal(path, `values.LCM_DATABASE_URL: ${problem}`, 'LCM_DATABASE_URL')
  }
  for (const variable of Object.values(VARIABLES)) {
    try {
      readVariable<unknown, unknown>(texts, variable)
    } catch (error) {
      if (!(error instanceof LcmError)) throw error
      throw refusal(path, `values.${variable.name}: expected ${variable.accepts}`, variable.name)
    }
  }
  const taken = [...RESERVED_NAMES, ...providers.map(({ name }) => name)]
  const missing = chain.find((name) => name === 'chain' || !taken.includes(name))
  if (missing !== undefined)
    throw refusal(path, `chain: ${JSON.stringify(missing.slice(0, 80))} is no provider of this file`)
  return parsed.data
}

/** Returns the values of the file as texts, as the environment has them. */
export const textsOf = ({ values }: SettingsFile): SettingTexts =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))

/**
 * Replaces the file.
 * @throws LcmError file_not_readable, disk_full
 */
export function writeSettingsFile(path: string, content: SettingsFile): void {
  writeWhole(path, `${JSON.stringify(content, null, 2)}\n`)
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's error quotes the file, which may contain a secret, so it is replaced.
    throw refusal(path, 'it is not JSON')
  }
}

function firstProblem(error: z.ZodError): string {
  const [issue] = error.issues
  if (!issue) return 'it does not have the expected form'
  const where = issue.path.map(String).join('.') || 'at the top'
  if (issue.code !== 'unrecognized_keys') return `${where}: ${issue.message}`
  return `${where}: there is no setting ${issue.keys.map((key) => JSON.stringify(key.slice(0, 80))).join(', ')}`
}

function refusal(path: string, problem: string, variable?: string): LcmError {
  const details = variable === undefined ? { path } : { path, variable }
  const sentence = problem.endsWith('?') ? problem : `${problem}.`
  return new LcmError('invalid_argument', `The settings ${path} cannot be used: ${sentence}`, details)
}

function hasSecrets(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { username, password, search, hash } = new URL(url)
  return username + password + search + hash !== ''
}
