import { join } from 'node:path'
import { CompactionSettings } from '../contract/compaction.ts'
import type { LogLevel, UpdateChannel } from '../contract/lists.ts'
import { isWriter } from '../contract/lists.ts'
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
  /** A window has its memory checked in the background. */
  readonly checkOnOpening: boolean
  readonly largeFileTokenThreshold: number
  /** Null means `lcm-files` beside the database. */
  readonly filesDir: string | null
  /** Null means that no ledger is kept. */
  readonly ledgerPath: string | null
  readonly tokenEstimator: TokenEstimatorName
  /** Which releases the installed desktop app fetches by itself. */
  readonly updates: UpdateChannel
  readonly models: ModelSettings
  /** The names of the providers that describe large texts, in the order in which they are tried. */
  readonly explorers: readonly string[]
  readonly embeddings: EmbeddingSettings
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

/** The model that turns texts into vectors. */
type EmbeddingSettings = {
  /** Null when questions are answered by their words. */
  readonly provider: ProviderSettings | null
  /** How many pieces of text one run sends at most. */
  readonly maxTexts: number
}

const NO_MODELS: ModelSettings = { providers: [], chain: [], spendCapTokens: null, promptsDir: null }

/**
 * Reads the `LCM_…` variables. Unset and blank ones take their default, those about models take the value of `models`.
 * @throws LcmError invalid_argument, naming the variable and what it accepts
 */
export function readSettings(texts: SettingTexts, models: ModelSettings = NO_MODELS): Settings {
  const read = <T, F extends T | null>(variable: Variable<T, F>): T | F => readVariable(texts, variable)
  const compaction: CompactionSettings = {
    budgetTokens: read(VARIABLES.budgetTokens),
    softThreshold: read(VARIABLES.softThreshold),
    hardThreshold: read(VARIABLES.hardThreshold),
    freshTailCount: read(VARIABLES.freshTailCount),
    leafChunkTokens: read(VARIABLES.leafChunkTokens),
    leafTargetTokens: read(VARIABLES.leafTargetTokens),
    leafConcurrency: read(VARIABLES.leafConcurrency),
    condensedTargetTokens: read(VARIABLES.condensedTargetTokens),
    condensedMinFanout: read(VARIABLES.condensedMinFanout),
    maxDepth: read(VARIABLES.maxDepth),
    minMessagesToCompact: read(VARIABLES.minMessagesToCompact),
    maxActiveMessages: read(VARIABLES.maxActiveMessages),
  }
  if (compaction.softThreshold > compaction.hardThreshold) {
    throw new LcmError(
      'invalid_argument',
      `LCM_CONTEXT_THRESHOLD is ${compaction.softThreshold}, above LCM_HARD_THRESHOLD (${compaction.hardThreshold}): it must not be greater.`,
      { variable: 'LCM_CONTEXT_THRESHOLD' },
    )
  }
  return {
    enabled: read(VARIABLES.enabled),
    databasePath:
      read(VARIABLES.databasePath) ??
      read(VARIABLES.databaseUrl) ??
      join(read(VARIABLES.databaseFolder) ?? userFolders(texts).data, 'lcm.db'),
    compaction,
    maxExpandTokens: read(VARIABLES.maxExpandTokens),
    autocompactDisabled: read(VARIABLES.autocompactDisabled),
    checkOnOpening: read(VARIABLES.checkOnOpening),
    largeFileTokenThreshold: read(VARIABLES.largeFileTokenThreshold),
    filesDir: read(VARIABLES.filesDir),
    ledgerPath: read(VARIABLES.ledgerPath),
    tokenEstimator: read(VARIABLES.tokenEstimator),
    updates: read(VARIABLES.updates),
    models: {
      providers: models.providers,
      chain: chainOf(read(VARIABLES.summarizers) ?? models.chain, models.providers),
      spendCapTokens: read(VARIABLES.spendCapTokens) ?? models.spendCapTokens,
      promptsDir: read(VARIABLES.promptsDir) ?? models.promptsDir,
    },
    embeddings: {
      provider: embedderOf(read(VARIABLES.embeddings), models.providers),
      maxTexts: read(VARIABLES.embeddingsMaxTexts),
    },
    explorers: configured(VARIABLES.explorers.name, read(VARIABLES.explorers) ?? [], models.providers),
    logLevel: read(VARIABLES.logLevel) ?? (read(VARIABLES.debugMode) ? 'debug' : 'info'),
  }
}

/**
 * The deterministic summariser is the last whether it is named or not. `auto` stands for every provider that is not
 * named, which is what systems with a router of models call it.
 */
function chainOf(names: readonly string[], providers: readonly ProviderSettings[]): readonly string[] {
  const writers = providers.filter(isWriter).map((provider) => provider.name)
  const all = names.flatMap((name) => (name === 'auto' ? writers : name))
  const wanted = all.filter((name) => name !== 'deterministic')
  return configured(VARIABLES.summarizers.name, wanted, providers)
}

/**
 * Returns each name once.
 * @throws LcmError invalid_argument for a name that no provider has, or one whose model writes nothing
 */
function configured(
  variable: string,
  names: readonly string[],
  providers: readonly ProviderSettings[],
): readonly string[] {
  for (const name of names) {
    if (!isWriter(providerNamed(variable, name, providers))) {
      const problem = `${variable} names ${JSON.stringify(name)}, whose model makes vectors and writes no texts.`
      throw new LcmError('invalid_argument', problem, { variable })
    }
  }
  return [...new Set(names)]
}

/** @throws LcmError invalid_argument for a name that no provider has, or one that makes no vectors */
function embedderOf(name: string | null, providers: readonly ProviderSettings[]): ProviderSettings | null {
  if (name === null) return null
  const variable = VARIABLES.embeddings.name
  const provider = providerNamed(variable, name, providers)
  if (!isWriter(provider)) return provider
  const problem = `${variable} names ${JSON.stringify(name)}, a provider of the kind ${provider.kind}: name one of the kind openai-embeddings.`
  throw new LcmError('invalid_argument', problem, { variable })
}

function providerNamed(variable: string, name: string, providers: readonly ProviderSettings[]): ProviderSettings {
  const found = providers.find((provider) => provider.name === name)
  if (found) return found
  const known = providers.map((provider) => provider.name).join(', ') || 'none is configured yet'
  throw new LcmError(
    'invalid_argument',
    `${variable} names ${JSON.stringify(name)}, which is no configured provider (${known}).`,
    { variable },
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
