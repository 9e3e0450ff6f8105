import type { CompactionPlan, WhatIf } from '../contract/compaction.ts'
import { ItemReason } from '../contract/context.ts'
import type { WhatIfInput } from '../contract/what-if.ts'
import { tryOverrides } from '../settings/settings.ts'
import { presetSettings } from '../systems/presets.ts'
import type { KeptWindow } from '../window/kept-window.ts'
import { type Selection, selectItems } from '../window/selection.ts'
import type { Window } from '../window/window.ts'
import { sizeOf } from '../window/window-size.ts'
import { type PlannerSettings, settingsFor } from './conversation-settings.ts'
import { decide, simulatePlan, withInherited } from './plan-window.ts'

/**
 * Answers what would be compacted and what would fall out under other settings, without writing. The window is read
 * once and kept until the file changes, so that a slider can ask at every step.
 */
export class WhatIfPlanner {
  readonly #settings: PlannerSettings
  readonly #windows: KeptWindow

  constructor(windows: KeptWindow, settings: PlannerSettings) {
    this.#windows = windows
    this.#settings = settings
  }

  /**
   * `fallsOut` is what the model is not given in the next turn when nothing is compacted. `pressureAfter` is that of the
   * window assembled after the plan.
   * @throws LcmError not_found, invalid_argument
   */
  ask(input: WhatIfInput): WhatIf {
    const began = performance.now()
    const { preset, ...request } = input
    const preferred = preset ? presetSettings(preset) : {}
    const tried = tryOverrides(tryOverrides(this.#settings, preferred), request.settings)
    const asked = request.settings?.budgetTokens ?? preferred.budgetTokens
    const { judged, selected } = settingsFor(this.#settings, input.conversationId, tried, asked)
    const own = this.#windows.of(input.conversationId)
    const { window, homes } = this.#windows.sent(input.conversationId)
    const { plan, sizeAfter } = simulatePlan(own.window, own.covered, request, judged)
    const selection = selectItems({
      columns: window.columns,
      pairs: window.pairs,
      budgetTokens: selected.budgetTokens,
      freshTailCount: selected.freshTailCount,
    })
    return {
      decision: decide(window, judged, sizeOf(window.columns, selection), own.window),
      plan: withInherited(plan, window, homes),
      ...countSteps(plan),
      pressureAfter: sizeAfter(window, selected).fittingTokens / judged.budgetTokens,
      ...leftOut(window, selection),
      durationMs: performance.now() - began,
    }
  }
}

/** Sources that are nodes of the same plan count as well, because they are made first and then condensed. */
function countSteps({ steps }: CompactionPlan): Pick<WhatIf, 'messagesToLeaves' | 'summariesToCondensed'> {
  const messagesToLeaves = { messages: 0, leaves: 0 }
  const summariesToCondensed = { summaries: 0, condensed: 0 }
  for (const { pass, sources } of steps) {
    if (pass === 'leaf') {
      messagesToLeaves.messages += sources.length
      messagesToLeaves.leaves += 1
    } else {
      summariesToCondensed.summaries += sources.length
      summariesToCondensed.condensed += 1
    }
  }
  return { messagesToLeaves, summariesToCondensed }
}

/** Everything that is not sent counts, as in every other view of a window, and not only what the budget leaves out. */
function leftOut(window: Window, selection: Selection): Pick<WhatIf, 'fallsOut' | 'fallsOutTokens' | 'fallsOutBy'> {
  const fallsOut: string[] = []
  let fallsOutTokens = 0
  const sums = new Map<ItemReason, { items: number; tokens: number }>()
  for (let index = 0; index < window.length; index += 1) {
    if (selection.isIncluded(index)) continue
    const tokens = window.columns.tokens[index] as number
    fallsOut.push(window.idAt(index))
    fallsOutTokens += tokens
    const reason = selection.codeAt(index)
    const sum = sums.get(reason) ?? { items: 0, tokens: 0 }
    sums.set(reason, { items: sum.items + 1, tokens: sum.tokens + tokens })
  }
  const fallsOutBy = ItemReason.options.flatMap((reasonCode) => {
    const sum = sums.get(reasonCode)
    return sum ? { reasonCode, ...sum } : []
  })
  return { fallsOut, fallsOutTokens, fallsOutBy }
}
