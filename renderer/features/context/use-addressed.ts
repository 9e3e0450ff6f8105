import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { CompactionSettings } from '#core/contract/compaction.ts'
import type { Preset } from '#core/contract/settings.ts'
import { api } from '#renderer/api.ts'
import { currentRoute, navigate, useShown } from '#renderer/routes.ts'
import { useConversationSettings } from '#renderer/ui/data/use-conversation-settings.ts'
import { addressedPoint, lastRun, NOW, pointAddress, type TimePoint } from './moments.ts'
import type { Time } from './use-time.ts'
import { parseWhatIf, triedSettings, type WhatIf } from './what-if.ts'

/** Two moments. What happened between them is shown. */
type Between = { readonly from: TimePoint; readonly to: TimePoint }

/** What the address tries out. */
export function useWhatIf(): readonly [WhatIf, (whatIf: WhatIf) => void] {
  const [preset] = useShown('window.preset')
  const [budget] = useShown('window.budget')
  const [threshold] = useShown('window.threshold')
  const [tail] = useShown('window.tail')
  const [rank] = useShown('window.rank')
  const whatIf = useMemo(
    () => parseWhatIf({ preset, budget, threshold, tail, rank }),
    [preset, budget, threshold, tail, rank],
  )
  return [whatIf, tryOut]
}

function tryOut({ preset, budgetTokens, softThreshold, freshTailCount, query }: WhatIf): void {
  const text = (value: number | null) => (value === null ? null : String(value))
  const shown = {
    'window.preset': preset,
    'window.budget': text(budgetTokens),
    'window.threshold': text(softThreshold),
    'window.tail': text(freshTailCount),
    'window.rank': query,
  }
  navigate({ shown }, 'replace')
}

/** The moment of the address. */
export function useAddressedPoint(time: Time | null): readonly [TimePoint, (point: TimePoint) => void] {
  const [at, setAt] = useShown('window.at')
  const point = useMemo(() => (time === null ? NOW : addressedPoint(at, time.timeline, time.course)), [at, time])
  return [point, (next) => setAt(time && pointAddress(next, time.timeline))]
}

/** The two moments of the address, or those around the last compaction. */
export function useAddressedBetween(time: Time): readonly [Between, (between: Between) => void] {
  const [from] = useShown('window.from')
  const [to] = useShown('window.to')
  const { timeline, course } = time
  const between = useMemo(() => {
    const last = lastRun(timeline.events, course)
    return {
      from: from === null ? last.from : addressedPoint(from, timeline, course),
      to: to === null ? last.to : addressedPoint(to, timeline, course),
    }
  }, [from, to, timeline, course])
  const change = (next: Between) => {
    const text = (point: TimePoint) => pointAddress(point, timeline) ?? 'now'
    navigate({ shown: { 'window.from': text(next.from), 'window.to': text(next.to) } }, 'replace')
  }
  return [between, change]
}

/** True when the address names a moment of the past, which is known only with the moments of the conversation. */
export const isMomentAddressed = (): boolean => currentRoute().shown['window.at'] !== undefined

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
export function useTried(
  conversationId: number,
  { preset, budgetTokens, softThreshold, freshTailCount }: WhatIf,
): Tried {
  const configured = useConversationSettings(conversationId)
  const { data: presets = NO_PRESETS } = useQuery(api.compaction.presets.queryOptions())
  return useMemo(() => {
    const settings = triedSettings({ preset, budgetTokens, softThreshold, freshTailCount, query: '' }, presets)
    return { settings, presets, effective: configured && { ...configured, ...settings } }
  }, [configured, presets, preset, budgetTokens, softThreshold, freshTailCount])
}
