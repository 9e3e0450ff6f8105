import { join } from 'node:path'
import { CompactionSettings } from '../contract/compaction.ts'
import type { LogLevel } from '../contract/lists.ts'
import type { ProviderSettings } from '../contract/provider.ts'
import { LcmError } from '../errors.ts'
import { userFolders } from '../folders.ts'
import type { TokenEstimatorName } from '../models/token-estimator.ts'
import { readVariable, type SettingTexts, VARIABLES, type Variable } from './variables.ts'

/** All settings, with defaults filled in. */
export type Settings = {
  readonly enabled: boolean
  readonly databasePath: string
  readonly compaction: Readonly<CompactionSettings>
  readonly maxExpandTokens: number
  readonly autocompactDisabled: boolean
  readonly largeFileTokenThreshold: number
  /** Null means `lcm-files` beside the database. */
  readonly filesDir: string | null
  /** Null means that no ledger is kept. */
  readonly ledgerPath: string | null
  readonly tokenEstimator: TokenEstimatorName
  readonly models: ModelSettings
  /** The least level that is logged. `LCM_DEBUG_MODE` means debug where no level is set. */
  readonly logLevel: LogLevel
}

/** The models that can be asked for summaries. */
export type ModelSettings = {
  readonly providers: readonly ProviderSettings[]
  /**
   * The names of providers in the order in which `chain` tries them. The deterministic summariser is always the last.
   */
  readonly chain: readonly string[]
  /** The input and output tokens of one run, or null for no cap. */
  readonly spendCapTokens: number | null
  /** The folder of the user's own prompts, or null for those of this app. */
  readonly promptsDir: string | null
}

const NO_MODELS: ModelSettings = { providers: [], chain: [], spendCapTokens: null, promptsDir: null }

/**
 * Reads the `LCM_…` variables. Unset and blank ones take their default, those about models take the value of `models`.
 * @throws LcmError invalid_argument, naming the variable and what it accepts
 */
export function readSettings(texts: SettingTexts, models: ModelSettings = NO_MODELS): Settings {
  const read = <T>(variable: Variable<T>): T | null => readVariable(texts, variable)
  const compaction: CompactionSettings = {
    budgetTokens: read(VARIABLES.budgetTokens) ?? 200_000,
    softThreshold: read(VARIABLES.softThreshold) ?? 0.75,
    hardThreshold: read(VARIABLES.hardThreshold) ?? 1,
    freshTailCount: read(VARIABLES.freshTailCount) ?? 8,
    leafChunkTokens: read(VARIABLES.leafChunkTokens) ?? 4_000,
    leafTargetTokens: read(VARIABLES.leafTargetTokens) ?? 600,
    leafConcurrency: read(VARIABLES.leafConcurrency) ?? 4,
    condensedTargetTokens: read(VARIABLES.condensedTargetTokens) ?? 900,
    condensedMinFanout: read(VARIABLES.condensedMinFanout) ?? 4,
    maxDepth: read(VARIABLES.maxDepth) ?? -1,
    minMessagesToCompact: read(VARIABLES.minMessagesToCompact) ?? 10,
    maxActiveMessages: read(VARIABLES.maxActiveMessages) ?? 0,
  }
  if (compaction.softThreshold > compaction.hardThreshold) {
    throw new LcmError(
      'invalid_argument',
      `LCM_CONTEXT_THRESHOLD is ${compaction.softThreshold}, above LCM_HARD_THRESHOLD (${compaction.hardThreshold}): it must not be greater.`,
      { variable: 'LCM_CONTEXT_THRESHOLD' },
    )
  }
  return {
    enabled: read(VARIABLES.enabled) ?? true,
    databasePath:
      read(VARIABLES.databasePath) ?? read(VARIABLES.databaseUrl) ?? join(userFolders(texts).data, 'lcm.db'),
    compaction,
    maxExpandTokens: read(VARIABLES.maxExpandTokens) ?? 4_000,
    autocompactDisabled: read(VARIABLES.autocompactDisabled) ?? false,
    largeFileTokenThreshold: read(VARIABLES.largeFileTokenThreshold) ?? 25_000,
    filesDir: read(VARIABLES.filesDir),
    ledgerPath: read(VARIABLES.ledgerPath),
    tokenEstimator: read(VARIABLES.tokenEstimator) ?? 'heuristic',
    models: {
      providers: models.providers,
      chain: chainOf(read(VARIABLES.summarizers) ?? models.chain, models.providers),
      spendCapTokens: read(VARIABLES.spendCapTokens) ?? models.spendCapTokens,
      promptsDir: read(VARIABLES.promptsDir) ?? models.promptsDir,
    },
    logLevel: read(VARIABLES.logLevel) ?? (read(VARIABLES.debugMode) ? 'debug' : 'info'),
  }
}

/** The deterministic summariser is the last whether it is named or not. */
function chainOf(names: readonly string[], providers: readonly ProviderSettings[]): readonly string[] {
  const wanted = [...new Set(names)].filter((name) => name !== 'deterministic')
  const unknown = wanted.find((name) => !providers.some((provider) => provider.name === name))
  if (unknown === undefined) return wanted
  const known = providers.map(({ name }) => name).join(', ') || 'none is configured yet'
  throw new LcmError(
    'invalid_argument',
    `LCM_SUMMARIZERS names ${JSON.stringify(unknown)}, which is no configured provider (${known}).`,
    { variable: 'LCM_SUMMARIZERS' },
  )
}

type Overrides = Readonly<Partial<CompactionSettings>> | undefined

/**
 * Puts the values of one command over the configured ones.
 * @throws LcmError invalid_argument for a value out of its range, and for a soft threshold above the hard one
 */
export function withOverrides(base: Readonly<CompactionSettings>, overrides: Overrides): Readonly<CompactionSettings> {
  const merged = tryOverrides(base, overrides)
  if (merged.softThreshold <= merged.hardThreshold) return merged
  throw new LcmError(
    'invalid_argument',
    `softThreshold is ${merged.softThreshold}, above hardThreshold (${merged.hardThreshold}): it must not be greater. Lower the one or raise the other.`,
    { softThreshold: merged.softThreshold, hardThreshold: merged.hardThreshold },
  )
}

/**
 * Like `withOverrides`, but for a what-if, where a slider may move one threshold past the other.
 * @throws LcmError invalid_argument for a value out of its range
 */
export function tryOverrides(base: Readonly<CompactionSettings>, overrides: Overrides): Readonly<CompactionSettings> {
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
