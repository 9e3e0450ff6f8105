import { fileURLToPath } from 'node:url'
import { CompactionSettings } from '../contract/compaction.ts'
import { LOG_LEVELS, UPDATE_CHANNELS } from '../contract/lists.ts'
import { isDatabaseAddress, parseAddress } from '../database-address.ts'
import { LcmError } from '../errors.ts'
import { TOKEN_ESTIMATORS } from '../models/token-estimator.ts'

/** One variable: what it changes and accepts, and how its text is read. */
export type Variable<T, Fallback extends T | null = T | null> = {
  readonly name: string
  /** What its value changes, in a few words for people. */
  readonly effect: string
  /** Completes "it must be …" for people. */
  readonly accepts: string
  /** The value where it is not set. Null stands for none, or for one that follows from something else. */
  readonly fallback: Fallback
  /** What holds where it is not set, for people, where that is not the fallback itself. */
  readonly byDefault?: string
  /** Returns undefined for a text that is not accepted. */
  readonly parse: (text: string) => T | undefined
}

type Range = readonly [least: number, most: number]

const integer = (name: string, [least, most]: Range, fallback: number, effect: string): Variable<number, number> => ({
  name,
  effect,
  accepts: `a whole number from ${least} to ${most}`,
  fallback,
  parse: (text) => {
    const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN
    return value >= least && value <= most ? value : undefined
  },
})

const fraction = (name: string, most: number, fallback: number, effect: string): Variable<number, number> => ({
  name,
  effect,
  accepts: `a share of the budget, more than 0 and at most ${most}`,
  fallback,
  parse: (text) => {
    const value = /^\+?(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : Number.NaN
    return value > 0 && value <= most ? value : undefined
  },
})

const flag = (name: string, fallback: boolean, effect: string): Variable<boolean, boolean> => ({
  name,
  effect,
  accepts: 'true or false (or 1, 0, yes, no, on, off)',
  fallback,
  parse: (text) => (YES.includes(text.toLowerCase()) ? true : NO.includes(text.toLowerCase()) ? false : undefined),
})
const YES: readonly string[] = ['true', '1', 'yes', 'on']
const NO: readonly string[] = ['false', '0', 'no', 'off']

const choice = <T extends string>(
  name: string,
  choices: readonly T[],
  fallback: T,
  effect: string,
): Variable<T, T> => ({
  name,
  effect,
  accepts: `one of ${choices.join(', ')}`,
  fallback,
  parse: (text) => choices.find((known) => known === text),
})

/** What holds where such a variable is not set follows from something else. */
const following = <T>(variable: Variable<T, T>, byDefault: string): Variable<T, null> => ({
  ...variable,
  fallback: null,
  byDefault,
})

const path = (name: string, byDefault: string, effect: string): Variable<string, null> => ({
  name,
  effect,
  accepts: 'a path',
  fallback: null,
  byDefault,
  parse: (text) => text,
})

/** Reads names separated by commas. */
function namesIn(text: string): readonly string[] | undefined {
  const names = text.split(',').map((name) => name.trim())
  return names.every((name) => NAME.test(name)) ? names : undefined
}

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/

const providerName = (text: string): string | undefined => (NAME.test(text) ? text : undefined)

/** Every variable that a setting can come from. `docs/configuration.md` is generated from it. */
export const VARIABLES = {
  enabled: flag('LCM_ENABLED', true, 'Whether anything is imported or compacted'),
  databasePath: path(
    'LCM_DATABASE_PATH',
    'lcm.db in the data folder of the user',
    'The memory that commands use when none is named',
  ),
  databaseUrl: {
    name: 'LCM_DATABASE_URL',
    effect:
      'The same as a file: address; LCM_DATABASE_PATH counts first. A postgres: address, with its password, is for the commands on PostgreSQL',
    accepts: 'a file: URL such as file:///home/me/lcm.db, or postgres://user@host/database',
    fallback: null,
    parse: (url) => (isDatabaseAddress(url) ? shownAddress(url) : pathOfFileUrl(url)),
  } satisfies Variable<string, null>,
  databaseFolder: path(
    'LCM_DB_DIR',
    'not set',
    'The folder of that memory, which is lcm.db in it; LCM_DATABASE_PATH and LCM_DATABASE_URL count first. Memories in this folder are found by discover, too',
  ),
  softThreshold: fraction('LCM_CONTEXT_THRESHOLD', 1, 0.75, 'Share of the budget from which to compact soon'),
  hardThreshold: fraction(
    'LCM_HARD_THRESHOLD',
    10,
    1,
    'Share of the budget at which to compact before the next turn; not below LCM_CONTEXT_THRESHOLD',
  ),
  budgetTokens: integer('LCM_TOKEN_BUDGET', [1, 100_000_000], 200_000, 'The model’s window, in tokens'),
  maxActiveMessages: integer(
    'LCM_MAX_ACTIVE_MESSAGES',
    [0, 100_000_000],
    0,
    'More messages than this in the window call for a compaction; 0 is off',
  ),
  freshTailCount: integer('LCM_FRESH_TAIL_COUNT', [0, 1_000_000], 8, 'The newest messages, never compacted'),
  leafChunkTokens: integer('LCM_LEAF_CHUNK_TOKENS', [1, 10_000_000], 4_000, 'At most this much becomes one leaf'),
  leafTargetTokens: integer('LCM_LEAF_TARGET_TOKENS', [1, 1_000_000], 600, 'How long a leaf should be'),
  leafConcurrency: integer('LCM_LEAF_CONCURRENCY', [1, 64], 4, 'How many leaves a model is asked for at once'),
  condensedTargetTokens: integer(
    'LCM_CONDENSED_TARGET_TOKENS',
    [1, 1_000_000],
    900,
    'How long a condensed summary should be',
  ),
  condensedMinFanout: integer('LCM_CONDENSED_MIN_FANOUT', [2, 1_000], 4, 'Fewest summaries that become one'),
  maxDepth: integer('LCM_MAX_DEPTH', [-1, 1_000], -1, 'Greatest depth of a summary; −1 is unlimited'),
  minMessagesToCompact: integer(
    'LCM_MIN_MESSAGES_TO_COMPACT',
    [0, 1_000_000],
    10,
    'With fewer messages that may go, nothing is done',
  ),
  maxExpandTokens: integer(
    'LCM_MAX_EXPAND_TOKENS',
    [1, 10_000_000],
    4_000,
    'Most tokens that one expansion returns; agents get at most 8000',
  ),
  checkOnOpening: flag('LCM_CHECK_ON_OPENING', true, 'Check a memory in the background when a window opens it'),
  autocompactDisabled: flag('LCM_AUTOCOMPACT_DISABLED', false, 'No compaction by itself'),
  largeFileTokenThreshold: integer(
    'LCM_LARGE_FILE_TOKEN_THRESHOLD',
    [1, 100_000_000],
    25_000,
    'From this size on a text is kept in a file beside the memory',
  ),
  filesDir: path('LCM_FILES_DIR', 'lcm-files beside the memory', 'Where such files are kept'),
  ledgerPath: path('LCM_LEDGER_PATH', 'none is kept', 'Where the ledger is written'),
  tokenEstimator: choice(
    'LCM_TOKEN_ESTIMATOR',
    TOKEN_ESTIMATORS,
    'heuristic',
    'How tokens of a new memory are counted',
  ),
  summarizers: {
    name: 'LCM_SUMMARIZERS',
    effect: 'The order in which models are asked by the summariser chain',
    accepts:
      'auto (every configured provider), or names of configured providers in the order in which they are tried, separated by commas',
    fallback: null,
    byDefault: 'chain of the settings file',
    parse: namesIn,
  } satisfies Variable<readonly string[], null>,
  explorers: {
    name: 'LCM_EXPLORERS',
    effect: 'The models, cheap ones, that describe large texts for lcm explore and after an import',
    accepts: 'names of configured providers in the order in which they are tried, separated by commas',
    fallback: null,
    byDefault: 'no model is asked',
    parse: namesIn,
  } satisfies Variable<readonly string[], null>,
  embeddings: {
    name: 'LCM_EMBEDDINGS',
    effect:
      'The model that turns texts and questions into vectors, so that questions find what says the same in other words',
    accepts: 'the name of a configured provider of the kind openai-embeddings',
    fallback: null,
    byDefault: 'questions are answered by their words',
    parse: providerName,
  } satisfies Variable<string, null>,
  embeddingsMaxTexts: integer(
    'LCM_EMBEDDINGS_MAX_TEXTS',
    [1, 100_000_000],
    100_000,
    'Most pieces of text that one run has turned into vectors; the next run goes on',
  ),
  spendCapTokens: following(
    integer('LCM_SPEND_CAP_TOKENS', [0, 1_000_000_000_000], 0, 'Most tokens that one run sends to models and gets'),
    'spendCapTokens of the settings file',
  ),
  promptsDir: path('LCM_PROMPTS_DIR', 'prompts beside the settings file', 'Folder of your own prompts'),
  logLevel: following(
    choice('LCM_LOG_LEVEL', LOG_LEVELS, 'info', 'The least level that is logged, from the next start on'),
    'info',
  ),
  updates: choice(
    'LCM_UPDATES',
    UPDATE_CHANNELS,
    'latest',
    'Which releases the installed desktop app fetches, from the next start on; builds without an address for releases fetch none',
  ),
  debugMode: flag('LCM_DEBUG_MODE', false, 'The same as the level debug, where no level is set'),
} as const

/** Texts by variable name, from the environment or from the settings file. */
export type SettingTexts = Readonly<Record<string, string | undefined>>

/**
 * Reads one variable. Returns its fallback when it is unset or blank.
 * @throws LcmError invalid_argument, naming the variable, its text and what it accepts
 */
export function readVariable<T, F extends T | null>(texts: SettingTexts, variable: Variable<T, F>): T | F {
  const { name, accepts, fallback, parse } = variable
  const text = textOf(texts, name)
  if (text === null) return fallback
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
/** The address without its password, which nothing here needs. */
function shownAddress(url: string): string | undefined {
  try {
    return parseAddress(url, 'environment').address.shown
  } catch {
    // The caller knows the name of the variable, and never repeats the address.
    return undefined
  }
}

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

/** Returns the name of a variable among the settings of a compaction, or null when it is none of them. */
export function compactionNameOf(variable: string): keyof CompactionSettings | null {
  const names = Object.keys(CompactionSettings.shape) as (keyof CompactionSettings)[]
  return names.find((name) => VARIABLES[name].name === variable) ?? null
}
