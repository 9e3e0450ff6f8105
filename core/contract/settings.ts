import { z } from 'zod'
import { CompactionSettings } from './compaction.ts'
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
  /** The values by variable. Null returns to the default. */
  values: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).optional(),
  /** The whole list. */
  providers: z.array(ProviderSettings).optional(),
  chain: z.array(z.string()).optional(),
  spendCapTokens: z.int().min(0).nullable().optional(),
})
export type SettingsPatch = z.infer<typeof SettingsPatch>
