import { z } from 'zod'
import { CompactionSettings } from './compaction.ts'
import { ProviderInfo, ProviderSettings } from './provider.ts'

/** One configured value and where it comes from. */
export const EffectiveSetting = z.object({
  /** `LCM_…` */
  variable: z.string(),
  value: z.union([z.string(), z.number(), z.boolean(), z.null()]),
  source: z.enum(['environment', 'file', 'default']),
  /** The accepted range, for people. */
  accepts: z.string(),
})
export type EffectiveSetting = z.infer<typeof EffectiveSetting>

/** Systems whose defaults are known. */
export const PresetName = z.enum(['spec', 'argentos', 'pi-lcm', 'lossless-claw', 'hermes-lcm'])
export type PresetName = z.infer<typeof PresetName>

/** The compaction values that a known system uses by default. */
export const Preset = z.object({
  name: PresetName,
  label: z.string(),
  settings: CompactionSettings.partial(),
  /** What of that system's behaviour these values do not capture. */
  note: z.string().nullable(),
})
export type Preset = z.infer<typeof Preset>

export const SettingsReport = z.object({
  /** The settings file; it need not exist. */
  path: z.string(),
  effective: z.array(EffectiveSetting),
  providers: z.array(ProviderInfo),
  /** Names in the order in which they are tried; the deterministic summariser always stands last. */
  chain: z.array(z.string()),
  /** Most tokens that one run may send to models; null is no cap. */
  spendCapTokens: z.int().min(0).nullable(),
  /** Whether keys can be kept (the desktop app's keychain); otherwise they come from the environment only. */
  canStoreKeys: z.boolean(),
})
export type SettingsReport = z.infer<typeof SettingsReport>

/** What is to change in the settings file; what is left out stays as it is. */
export const SettingsPatch = z.object({
  /** By variable; null goes back to the default. */
  values: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).optional(),
  /** All of them. */
  providers: z.array(ProviderSettings).optional(),
  chain: z.array(z.string()).optional(),
  spendCapTokens: z.int().min(0).nullable().optional(),
})
export type SettingsPatch = z.infer<typeof SettingsPatch>
