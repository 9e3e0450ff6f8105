import { fileURLToPath } from 'node:url'
import { LOG_LEVELS } from '../contract/lists.ts'
import { LcmError } from '../errors.ts'
import { TOKEN_ESTIMATORS } from '../models/token-estimator.ts'

/** One variable: what it accepts, and how its text is read. */
export type Variable<T> = {
  readonly name: string
  /** Completes "it must be …" for people. */
  readonly accepts: string
  /** Returns undefined for a text that is not accepted. */
  readonly parse: (text: string) => T | undefined
}

const integer = (name: string, least: number, most: number): Variable<number> => ({
  name,
  accepts: `a whole number from ${least} to ${most}`,
  parse: (text) => {
    const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN
    return value >= least && value <= most ? value : undefined
  },
})

const fraction = (name: string, most: number): Variable<number> => ({
  name,
  accepts: `a number above 0 and at most ${most}`,
  parse: (text) => {
    const value = /^\+?(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : Number.NaN
    return value > 0 && value <= most ? value : undefined
  },
})

const flag = (name: string): Variable<boolean> => ({
  name,
  accepts: 'true or false (or 1, 0, yes, no, on, off)',
  parse: (text) => (YES.includes(text.toLowerCase()) ? true : NO.includes(text.toLowerCase()) ? false : undefined),
})
const YES: readonly string[] = ['true', '1', 'yes', 'on']
const NO: readonly string[] = ['false', '0', 'no', 'off']

const choice = <T extends string>(name: string, choices: readonly T[]): Variable<T> => ({
  name,
  accepts: `one of ${choices.join(', ')}`,
  parse: (text) => choices.find((known) => known === text),
})

const path = (name: string): Variable<string> => ({ name, accepts: 'a path', parse: (text) => text })

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/

/** Every variable that a setting can come from. The settings table of the documentation is their contract. */
export const VARIABLES = {
  enabled: flag('LCM_ENABLED'),
  databasePath: path('LCM_DATABASE_PATH'),
  databaseUrl: {
    name: 'LCM_DATABASE_URL',
    accepts: 'a file: URL such as file:///home/me/lcm.db',
    parse: pathOfFileUrl,
  } satisfies Variable<string>,
  softThreshold: fraction('LCM_CONTEXT_THRESHOLD', 1),
  hardThreshold: fraction('LCM_HARD_THRESHOLD', 10),
  budgetTokens: integer('LCM_TOKEN_BUDGET', 1, 100_000_000),
  maxActiveMessages: integer('LCM_MAX_ACTIVE_MESSAGES', 0, 100_000_000),
  freshTailCount: integer('LCM_FRESH_TAIL_COUNT', 0, 1_000_000),
  leafChunkTokens: integer('LCM_LEAF_CHUNK_TOKENS', 1, 10_000_000),
  leafTargetTokens: integer('LCM_LEAF_TARGET_TOKENS', 1, 1_000_000),
  leafConcurrency: integer('LCM_LEAF_CONCURRENCY', 1, 64),
  condensedTargetTokens: integer('LCM_CONDENSED_TARGET_TOKENS', 1, 1_000_000),
  condensedMinFanout: integer('LCM_CONDENSED_MIN_FANOUT', 2, 1_000),
  maxDepth: integer('LCM_MAX_DEPTH', -1, 1_000),
  minMessagesToCompact: integer('LCM_MIN_MESSAGES_TO_COMPACT', 0, 1_000_000),
  maxExpandTokens: integer('LCM_MAX_EXPAND_TOKENS', 1, 10_000_000),
  autocompactDisabled: flag('LCM_AUTOCOMPACT_DISABLED'),
  largeFileTokenThreshold: integer('LCM_LARGE_FILE_TOKEN_THRESHOLD', 1, 100_000_000),
  filesDir: path('LCM_FILES_DIR'),
  ledgerPath: path('LCM_LEDGER_PATH'),
  tokenEstimator: choice('LCM_TOKEN_ESTIMATOR', TOKEN_ESTIMATORS),
  summarizers: {
    name: 'LCM_SUMMARIZERS',
    accepts: 'names of configured providers in the order in which they are tried, separated by commas',
    parse: (text) => {
      const names = text.split(',').map((name) => name.trim())
      return names.every((name) => NAME.test(name)) ? names : undefined
    },
  } satisfies Variable<readonly string[]>,
  spendCapTokens: integer('LCM_SPEND_CAP_TOKENS', 0, 1_000_000_000_000),
  promptsDir: path('LCM_PROMPTS_DIR'),
  logLevel: choice('LCM_LOG_LEVEL', LOG_LEVELS),
  debugMode: flag('LCM_DEBUG_MODE'),
} as const

/** Texts by variable name, from the environment or from the settings file. */
export type SettingTexts = Readonly<Record<string, string | undefined>>

/**
 * Reads one variable. Returns null when it is unset or blank.
 * @throws LcmError invalid_argument, naming the variable, its text and what it accepts
 */
export function readVariable<T>(texts: SettingTexts, { name, accepts, parse }: Variable<T>): T | null {
  const text = textOf(texts, name)
  if (text === null) return null
  const value = parse(text)
  if (value !== undefined) return value
  throw new LcmError('invalid_argument', `${name} is "${text.slice(0, 100)}": it must be ${accepts}.`, {
    variable: name,
    accepted: accepts,
  })
}

export function textOf(texts: SettingTexts, name: string): string | null {
  const text = texts[name]?.trim()
  return text === undefined || text === '' ? null : text
}

/**
 * Reads `file:///abs/path`, `file:/abs/path` and `file:relative` as SQLite does, and returns undefined for anything
 * else.
 */
function pathOfFileUrl(url: string): string | undefined {
  if (!/^file:/i.test(url)) return undefined
  const withoutQuery = url.replace(/[?#].*$/, '')
  try {
    if (/^file:\/\//i.test(withoutQuery)) return fileURLToPath(withoutQuery)
    const decoded = decodeURIComponent(withoutQuery.slice('file:'.length))
    return decoded === '' ? undefined : decoded
  } catch {
    // A URL that cannot be decoded is refused by the caller, who knows the name of the variable.
    return undefined
  }
}
