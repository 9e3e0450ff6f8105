import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import envPaths from 'env-paths'
import { TOKEN_ESTIMATORS, type TokenEstimatorName } from '../context/token-estimator.ts'
import { CompactionSettings } from '../contract/compaction.ts'
import { LcmError } from '../errors.ts'

/** Everything that can be configured, with defaults filled in. */
export type Settings = {
  readonly enabled: boolean
  readonly databasePath: string
  readonly compaction: Readonly<CompactionSettings>
  readonly maxExpandTokens: number
  readonly autocompactDisabled: boolean
  readonly largeFileTokenThreshold: number
  /** Null: `lcm-files` beside the database. */
  readonly filesDir: string | null
  /** Null: no ledger is kept. */
  readonly ledgerPath: string | null
  readonly tokenEstimator: TokenEstimatorName
}

/** Texts by variable name. The environment is one such source; a settings file goes under it: `{ ...file, ...env }`. */
export type SettingTexts = Readonly<Record<string, string | undefined>>

/**
 * Reads the `LCM_…` variables. Unset and blank ones take their default.
 * @throws LcmError invalid_argument, naming the variable and what it accepts
 */
export function readSettings(texts: SettingTexts): Settings {
  const read = new SettingReader(texts)
  const compaction: CompactionSettings = {
    budgetTokens: read.integer('LCM_TOKEN_BUDGET', 200_000, 1, 100_000_000),
    softThreshold: read.fraction('LCM_CONTEXT_THRESHOLD', 0.75, 1),
    hardThreshold: read.fraction('LCM_HARD_THRESHOLD', 1, 10),
    freshTailCount: read.integer('LCM_FRESH_TAIL_COUNT', 8, 0, 1_000_000),
    leafChunkTokens: read.integer('LCM_LEAF_CHUNK_TOKENS', 4_000, 1, 10_000_000),
    leafTargetTokens: read.integer('LCM_LEAF_TARGET_TOKENS', 600, 1, 1_000_000),
    leafConcurrency: read.integer('LCM_LEAF_CONCURRENCY', 4, 1, 64),
    condensedTargetTokens: read.integer('LCM_CONDENSED_TARGET_TOKENS', 900, 1, 1_000_000),
    condensedMinFanout: read.integer('LCM_CONDENSED_MIN_FANOUT', 4, 2, 1_000),
    maxDepth: read.integer('LCM_MAX_DEPTH', -1, -1, 1_000),
    minMessagesToCompact: read.integer('LCM_MIN_MESSAGES_TO_COMPACT', 10, 0, 1_000_000),
    maxActiveMessages: read.integer('LCM_MAX_ACTIVE_MESSAGES', 0, 0, 100_000_000),
  }
  if (compaction.softThreshold > compaction.hardThreshold) {
    throw new LcmError(
      'invalid_argument',
      `LCM_CONTEXT_THRESHOLD is ${compaction.softThreshold}, above LCM_HARD_THRESHOLD (${compaction.hardThreshold}): it must not be greater.`,
      { variable: 'LCM_CONTEXT_THRESHOLD' },
    )
  }
  return {
    enabled: read.flag('LCM_ENABLED', true),
    databasePath: readDatabasePath(read),
    compaction,
    maxExpandTokens: read.integer('LCM_MAX_EXPAND_TOKENS', 4_000, 1, 10_000_000),
    autocompactDisabled: read.flag('LCM_AUTOCOMPACT_DISABLED', false),
    largeFileTokenThreshold: read.integer('LCM_LARGE_FILE_TOKEN_THRESHOLD', 25_000, 1, 100_000_000),
    filesDir: read.text('LCM_FILES_DIR'),
    ledgerPath: read.text('LCM_LEDGER_PATH'),
    tokenEstimator: read.choice('LCM_TOKEN_ESTIMATOR', TOKEN_ESTIMATORS, 'heuristic'),
  }
}

/** What `settings` says, completed and checked against the configured values. */
export function withOverrides(
  base: Readonly<CompactionSettings>,
  overrides: Readonly<Partial<CompactionSettings>> | undefined,
): Readonly<CompactionSettings> {
  if (!overrides) return base
  const given = Object.entries(overrides).filter(([, value]) => value !== undefined)
  const merged = CompactionSettings.safeParse({ ...base, ...Object.fromEntries(given) })
  if (merged.success) return merged.data
  const problem = merged.error.issues[0]
  throw new LcmError(
    'invalid_argument',
    `The compaction setting ${problem?.path.join('.') ?? '?'} is out of range: ${problem?.message ?? 'not accepted'}.`,
  )
}

function readDatabasePath(read: SettingReader): string {
  const path = read.text('LCM_DATABASE_PATH')
  if (path !== null) return path
  const url = read.text('LCM_DATABASE_URL')
  if (url !== null)
    return read.parsed('LCM_DATABASE_URL', 'a file: URL such as file:///home/me/lcm.db', pathOfFileUrl) ?? url
  return join(envPaths('lcm-inspector', { suffix: '' }).data, 'lcm.db')
}

/** `file:///abs/path`, `file:/abs/path` and `file:relative`, as SQLite reads them; undefined for anything else. */
function pathOfFileUrl(url: string): string | undefined {
  if (!/^file:/i.test(url)) return undefined
  const withoutQuery = url.replace(/[?#].*$/, '')
  try {
    if (/^file:\/\//i.test(withoutQuery)) return fileURLToPath(withoutQuery)
    const path = decodeURIComponent(withoutQuery.slice('file:'.length))
    return path === '' ? undefined : path
  } catch {
    // A URL that cannot be decoded is refused by the caller with the variable's name.
    return undefined
  }
}

/** Turns texts into values; every refusal names the variable, what stood there and what is accepted. */
class SettingReader {
  readonly #texts: SettingTexts

  constructor(texts: SettingTexts) {
    this.#texts = texts
  }

  text(name: string): string | null {
    const text = this.#texts[name]?.trim()
    return text === undefined || text === '' ? null : text
  }

  parsed<T>(name: string, accepted: string, parse: (text: string) => T | undefined): T | undefined {
    const text = this.text(name)
    if (text === null) return undefined
    const value = parse(text)
    if (value !== undefined) return value
    throw new LcmError('invalid_argument', `${name} is "${text.slice(0, 100)}": it must be ${accepted}.`, {
      variable: name,
      accepted,
    })
  }

  integer(name: string, otherwise: number, least: number, most: number): number {
    const parse = (text: string) => {
      const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN
      return value >= least && value <= most ? value : undefined
    }
    return this.parsed(name, `a whole number from ${least} to ${most}`, parse) ?? otherwise
  }

  fraction(name: string, otherwise: number, most: number): number {
    const parse = (text: string) => {
      const value = /^\+?(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : Number.NaN
      return value > 0 && value <= most ? value : undefined
    }
    return this.parsed(name, `a number above 0 and at most ${most}`, parse) ?? otherwise
  }

  flag(name: string, otherwise: boolean): boolean {
    const parse = (text: string) =>
      YES.includes(text.toLowerCase()) ? true : NO.includes(text.toLowerCase()) ? false : undefined
    return this.parsed(name, 'true or false (or 1, 0, yes, no, on, off)', parse) ?? otherwise
  }

  choice<T extends string>(name: string, choices: readonly T[], otherwise: T): T {
    const parse = (text: string) => choices.find((choice) => choice === text)
    return this.parsed(name, `one of ${choices.join(', ')}`, parse) ?? otherwise
  }
}

const YES: readonly string[] = ['true', '1', 'yes', 'on']
const NO: readonly string[] = ['false', '0', 'no', 'off']
