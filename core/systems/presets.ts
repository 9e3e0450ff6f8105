import type { CompactionSettings } from '../contract/compaction.ts'
import { type Preset, PresetName } from '../contract/settings.ts'
import { allSystems } from './systems.ts'

const SPEC: Preset = {
  name: 'spec',
  label: 'LCM specification',
  settings: {
    budgetTokens: 200_000,
    softThreshold: 0.75,
    hardThreshold: 1,
    freshTailCount: 8,
    leafChunkTokens: 4_000,
    leafTargetTokens: 600,
    leafConcurrency: 4,
    condensedTargetTokens: 900,
    condensedMinFanout: 4,
    maxDepth: -1,
    minMessagesToCompact: 10,
    maxActiveMessages: 0,
  },
  note: null,
}

/**
 * What each known system does by default, as far as it can be said in this engine's settings; what a system leaves to
 * the model or to its host stays as configured.
 */
export const PRESETS: readonly Preset[] = [SPEC, ...allSystems().flatMap(({ preset }) => preset ?? [])].sort(
  (a, b) => PresetName.options.indexOf(a.name) - PresetName.options.indexOf(b.name),
)

/** The values of a preset, for `withOverrides`. */
export function presetSettings(name: PresetName): Readonly<Partial<CompactionSettings>> {
  return PRESETS.find((preset) => preset.name === name)?.settings ?? {}
}
