import { z } from 'zod'
import { CompactionSettings } from './compaction.ts'
import { SystemId } from './memory.ts'
import { ProviderInfo, ProviderSettings } from './provider.ts'

/** One configured value and where it comes from. */
export const EffectiveSetting = z.object({
  /** `LCM_…` */
  variable: z.string(),
  value: z.union([z.string(), z.number(), z.boolean(), z.null()]),
  source: z.enum(['environment', 'file', 'default']),
  /** The other variable that gives this value, where one does: LCM_DATABASE_URL gives LCM_DATABASE_PATH. */
  givenBy: z.string().nullable(),
  /** What the value changes, for people. */
  effect: z.string(),
  /** The accepted range, for people. */
  accepts: z.string(),
  /** What holds where nothing is set, for people. */
  byDefault: z.string(),
})
export type EffectiveSetting = z.infer<typeof EffectiveSetting>

/** A variable of the environment that begins like ours and is none: a mistyped one, or another program's. */
export const UnknownVariable = z.object({
  variable: z.string(),
  /** The known variable that was most likely meant. */
  nearest: z.string().nullable(),
})
export type UnknownVariable = z.infer<typeof UnknownVariable>

/** The systems whose defaults are known. */
export const PresetName = z.enum(['spec', 'argentos', 'pi-lcm', 'lossless-claw', 'hermes-lcm'])
export type PresetName = z.infer<typeof PresetName>

/** The compaction values that a known system uses by default. */
export const Preset = z.object({
  name: PresetName,
  label: z.string(),
  settings: CompactionSettings.partial(),
  /** What these values do not express of that system's behaviour. */
  note: z.string().nullable(),
})
export type Preset = z.infer<typeof Preset>

/** A value that a file of another system's settings holds for something that this program has, too. */
export const FoundSetting = z.object({
  /** Its name there, with the names of the sections that it is in. */
  name: z.string(),
  /** Null when it cannot be taken over. Texts are not read, except one that stands for all models. */
  value: z.union([z.number(), z.boolean(), z.literal('auto')]).nullable(),
  /** `LCM_…` */
  variable: z.string(),
  /** Why it cannot be taken over, for people. */
  problem: z.string().nullable(),
})
export type FoundSetting = z.infer<typeof FoundSetting>

/** The settings that another system has on this machine. They are shown, and taken over only when somebody asks. */
export const FoundSettings = z.object({
  system: SystemId,
  /** The system's name for people. */
  label: z.string(),
  path: z.string(),
  values: z.array(FoundSetting),
  /** Those that say how to compact, as a preset of one run. */
  settings: CompactionSettings.partial(),
  /** What these values do not express of that system's behaviour. */
  note: z.string().nullable(),
  /** Why the file cannot be used, for people. */
  problem: z.string().nullable(),
})
export type FoundSettings = z.infer<typeof FoundSettings>

export const SettingsReport = z.object({
  /** The settings file, which may be missing. */
  path: z.string(),
  effective: z.array(EffectiveSetting),
  unknown: z.array(UnknownVariable),
  providers: z.array(ProviderInfo),
  /** The names in the order in which they are tried. The deterministic summariser is always the last. */
  chain: z.array(z.string()),
  /** The tokens that one run may send to models at most, or null for no cap. */
  spendCapTokens: z.int().min(0).nullable(),
  /**
   * True when keys can be stored (in the keychain, by the desktop app). Otherwise they come from the environment only.
   */
  canStoreKeys: z.boolean(),
})
export type SettingsReport = z.infer<typeof SettingsReport>

/** The changes of the settings file. What is left out stays unchanged. */
export const SettingsPatch = z.object({
  values: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
    .optional()
    .describe('values by variable; null returns to the default'),
  providers: z.array(ProviderSettings).optional().describe('a provider of the new list, which replaces the old one'),
  chain: z.array(z.string()).optional().describe('a provider of the new chain, in order'),
  spendCapTokens: z
    .int()
    .min(0)
    .nullable()
    .optional()
    .describe('tokens that one run may send to models at most; null for no cap'),
})
export type SettingsPatch = z.infer<typeof SettingsPatch>
