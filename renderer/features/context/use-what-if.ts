import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { CompactionSettings } from '../../../core/contract/compaction.ts'
import type { Preset } from '../../../core/contract/settings.ts'
import { api } from '../../api.ts'
import { triedSettings, type WhatIf } from './what-if.ts'

/** The settings that are tried out, in the terms of the engine. */
export type Tried = {
  /** Only the settings that differ from the configured ones. */
  readonly settings: Partial<CompactionSettings>
  /** All settings, or null while the configured ones are being fetched. */
  readonly effective: CompactionSettings | null
  readonly presets: readonly Preset[]
}

const NO_PRESETS: readonly Preset[] = []

/** Returns the settings of a what-if. It is the same object as long as nothing changes. */
export function useTried({ preset, budgetTokens, softThreshold, freshTailCount }: WhatIf): Tried {
  const { data: configured } = useQuery(api.memory.settings.queryOptions())
  const { data: presets = NO_PRESETS } = useQuery(api.compaction.presets.queryOptions())
  return useMemo(() => {
    const settings = triedSettings({ preset, budgetTokens, softThreshold, freshTailCount, query: '' }, presets)
    return { settings, presets, effective: configured === undefined ? null : { ...configured, ...settings } }
  }, [configured, presets, preset, budgetTokens, softThreshold, freshTailCount])
}
