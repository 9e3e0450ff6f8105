import type { CompactionSettings } from '../contract/compaction.ts'
import type { Preset, PresetName } from '../contract/settings.ts'

/**
 * What each known system does by default, as far as it can be said in this engine's settings; what a system leaves to
 * the model or to its host stays as configured. Sources: the defaults in each system's code and documentation.
 */
export const PRESETS: readonly Preset[] = [
  {
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
  },
  {
    name: 'argentos',
    label: 'ArgentOS',
    settings: {
      budgetTokens: 128_000,
      softThreshold: 0.75,
      freshTailCount: 32,
      leafChunkTokens: 20_000,
      leafTargetTokens: 1_200,
      condensedTargetTokens: 2_000,
      condensedMinFanout: 4,
      maxDepth: -1,
      maxActiveMessages: 0,
    },
    note: 'Counts a token for every 4 characters, puts a new summary after the newest message instead of in the place of its sources, and can fold more than four summaries into one.',
  },
  {
    name: 'pi-lcm',
    label: 'pi-lcm',
    settings: {
      freshTailCount: 0,
      leafChunkTokens: 4_000,
      leafConcurrency: 4,
      condensedMinFanout: 6,
      maxDepth: 5,
      minMessagesToCompact: 10,
      maxActiveMessages: 0,
    },
    note: 'Pi decides when to compact and which newest messages it keeps; both are not in the file. Of the summaries it shows only the newest of each depth, in at most 8,000 tokens; all of them stay in the window here. It counts a token for every 3.5 characters and states no length for summaries: those are as configured.',
  },
  {
    name: 'lossless-claw',
    label: 'lossless-claw',
    settings: {
      softThreshold: 0.75,
      freshTailCount: 64,
      leafChunkTokens: 20_000,
      leafTargetTokens: 2_400,
      condensedTargetTokens: 2_000,
      condensedMinFanout: 4,
      maxDepth: 1,
      minMessagesToCompact: 8,
      maxActiveMessages: 0,
    },
    note: 'The budget is the window of the model in use. Under pressure it condenses from 2 summaries on; a sweep ends after 12 passes or 120 seconds and goes on later. Characters outside the Latin scripts count for more tokens.',
  },
  {
    name: 'hermes-lcm',
    label: 'hermes-lcm',
    settings: {
      softThreshold: 0.75,
      freshTailCount: 64,
      leafChunkTokens: 20_000,
      condensedMinFanout: 4,
      maxDepth: 1,
      maxActiveMessages: 0,
    },
    note: 'The budget is the window of the model in use, and the length of a summary follows that of its sources: both are as configured here. Every message counts 4 tokens and every tool call 3 more than its text. LCM-X compacts from 0.35 on, keeps 32 messages and condenses to depth 3.',
  },
]

/** The values of a preset, for `withOverrides`. */
export function presetSettings(name: PresetName): Readonly<Partial<CompactionSettings>> {
  return PRESETS.find((preset) => preset.name === name)?.settings ?? {}
}
