import type { CompactInput, CompactionSettings, PlanStep, PromptPreview } from '../contract/compaction.ts'
import { LcmError } from '../errors.ts'
import type { PromptLibrary } from '../models/prompts/prompt-library.ts'
import type { ModelLevel } from '../models/prompts/prompt-template.ts'
import type { SourceEntry } from '../models/summarizers/summarizer.ts'
import type { TokenEstimator } from '../models/token-estimator.ts'
import { withOverrides } from '../settings/settings.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { readSources } from '../systems/reading/sources.ts'
import type { KeptWindow } from '../window/kept-window.ts'
import type { WindowItem } from '../window/window.ts'
import type { CompactionPlanner } from './compaction-planner.ts'

const queries = {
  text: /* sql */ `
    SELECT content FROM summaries WHERE summary_id = :id`,
} as const

export type PromptPreviewerOptions = {
  readonly db: ReadDb
  readonly estimator: TokenEstimator
  readonly settings: Readonly<CompactionSettings>
  readonly planner: CompactionPlanner
  readonly windows: KeptWindow
  readonly prompts: () => PromptLibrary
}

/** Shows the prompt that a model would receive for a step of a plan. It only reads and calls no model. */
export class PromptPreviewer {
  readonly #options: PromptPreviewerOptions

  constructor(options: PromptPreviewerOptions) {
    this.#options = options
  }

  /**
   * Returns the text as it would be sent, except for two things: the code, which differs in every call, and summaries
   * that earlier steps have yet to write, which are named in their positions.
   * @param index of the step in `plan` of the same input, from 0
   * @throws LcmError not_found when the plan has no such step; invalid_argument
   */
  preview(input: CompactInput, index: number, level: ModelLevel): PromptPreview {
    const { estimator, planner, prompts, windows } = this.#options
    const settings = withOverrides(this.#options.settings, input.settings)
    const { steps } = planner.plan(input)
    const step = steps[index]
    if (!step) {
      throw new LcmError('not_found', `The plan has no step ${index}: it has ${steps.length}, counted from 0.`)
    }
    const { items } = windows.of(input.conversationId).window
    const built = prompts().build(
      {
        depth: step.depth,
        targetTokens: step.depth === 0 ? settings.leafTargetTokens : settings.condensedTargetTokens,
        sourceTokens: step.sourceTokens,
        entries: this.#entries(step, items),
        previousSummary: step.depth === 0 ? this.#previousSummary(steps, index, items) : null,
      },
      level,
    )
    const { promptVersion, source, system, prompt } = built
    const tokens = estimator.count(system) + estimator.count(prompt)
    return { promptVersion, source, depth: step.depth, level, system, prompt, tokens }
  }

  #entries(step: PlanStep, items: readonly WindowItem[]): SourceEntry[] {
    const byId = new Map(items.map((item) => [item.id, item]))
    return step.sources.flatMap((id): readonly SourceEntry[] => {
      const item = byId.get(id)
      if (!item) return [notYetWritten(id)]
      return readSources(this.#options.db, [item], item.summaryId === null ? 0 : 1)?.entries ?? []
    })
  }

  /** Returns the text of the nearest summary before the step's sources, written or planned. */
  #previousSummary(steps: readonly PlanStep[], index: number, items: readonly WindowItem[]): string | null {
    const first = items.findIndex((item) => item.id === steps[index]?.sources[0])
    const stored = items.slice(0, Math.max(0, first)).findLast((item) => item.summaryId !== null)
    const before = steps[index - 1]
    if (before) {
      const beforeAt = items.findIndex((item) => item.id === before.sources[0])
      if (!stored || beforeAt > items.indexOf(stored)) return notYetWritten(`step_${index - 1}`).text
    }
    const id = stored?.summaryId ?? null
    return id === null ? null : (this.#options.db.value<string>(queries.text, { id }) ?? null)
  }
}

const notYetWritten = (stepId: string): SourceEntry => ({
  id: stepId,
  kind: 'summary',
  role: null,
  atMs: null,
  text: `(the summary that step ${Number(stepId.replace('step_', '')) + 1} of the plan will write)`,
  calls: [],
  answer: null,
})
