import { InvalidArgumentError } from 'commander'
import { z } from 'zod'
import {
  CompactInput,
  type CompactionDecision,
  CompactionPlan,
  CompactionResult,
  CompactionSettings,
  type SpendEstimate,
  WithLoss,
} from '#core/contract/compaction.ts'
import { PresetName } from '#core/contract/settings.ts'
import { LcmError } from '#core/errors.ts'
import { neededRun } from '#core/jobs/auto-compaction.ts'
import type { Lcm } from '#core/lcm.ts'
import type { Settings } from '#core/settings/settings.ts'
import { whySwitchedOff } from '#core/settings/switched-off.ts'
import { plural } from '#core/text.ts'
import { defineCommand, narrowed } from '../command.ts'
import { flagsOf } from '../input/flags.ts'
import { interruptible } from '../interruptible.ts'
import { type Answer, EXIT } from '../output/output.ts'
import { count, percent, table } from '../output/text.ts'
import { chooseConversation, withMemory } from '../session.ts'
import { presetValues } from './context-command.ts'

const fields = CompactInput.pick({ mode: true, targetTokens: true, summarizer: true }).extend({
  ...narrowed,
  loss: WithLoss,
  plan: z.boolean().optional().describe('show what would be done, write nothing'),
  auto: z.boolean().optional().describe('only when a threshold is reached, and no further than under it'),
  preset: PresetName.optional().describe('the defaults of a known system'),
  set: z
    .array(z.string().transform(setting))
    .optional()
    .meta({ description: 'a compaction setting, before that of the preset', value: 'key=value' }),
})
type CompactOptions = z.output<typeof fields>

/** Ctrl-C stops it at the next step. What was committed stays, and the file is valid. */
export const compact = defineCommand({
  name: 'compact',
  example: 'compact --db sample.db --conversation 1 --plan --mode until-under --target 20000',
  memory: ({ plan }) => (plan ? 'reads' : 'changes'),
  fields,
  prints: z.union([CompactionResult, CompactionPlan]),
  run: (input, given) =>
    input.plan
      ? withMemory(given, (lcm) => planAnswer(lcm, input), { readOnly: true })
      : withMemory(given, (lcm) => compactAnswer(lcm, input)),
})

async function compactInput(lcm: Lcm, options: CompactOptions): Promise<CompactInput> {
  const { conversationId, mode, targetTokens, summarizer, preset, set = [] } = options
  if (targetTokens !== undefined && mode !== 'untilUnder') {
    throw new LcmError('invalid_argument', 'Only --mode until-under has a goal: add it, or leave --target out.')
  }
  // This is checked for a plan, too, because an unknown name is a mistake.
  lcm.summarizers.providersOf(summarizer)
  const settings = { ...(await presetValues(preset)), ...Object.fromEntries(set) }
  const chosen = chooseConversation(lcm, conversationId)
  return CompactInput.parse({ conversationId: chosen, mode, targetTokens, summarizer, settings })
}

async function planAnswer(lcm: Lcm, options: CompactOptions): Promise<Answer> {
  const asked = await compactInput(lcm, options)
  const { input, skipped } = options.auto ? automaticRun(lcm, asked) : { input: asked, skipped: null }
  const whole = lcm.planner.plan(input)
  const nothing = { steps: [], modelCalls: 0, expectedTokensAfter: whole.tokensBefore, skipped }
  const plan = skipped === null ? whole : { ...whole, ...nothing }
  const estimate = lcm.summarizers.estimate(input.summarizer, plan.steps)
  const text = (): string => [plan.skipped ?? planText(plan, estimate), ...inheritedLine(plan)].join('\n')
  return { json: { ...plan, estimate }, text }
}

const planText = (plan: CompactionPlan, estimate: SpendEstimate): string =>
  [
    table(
      ['step', 'pass', 'depth', 'sources', 'source tokens', 'expected tokens', 'messages'],
      plan.steps.map((step, index) => [
        String(index + 1),
        step.pass,
        step.depth,
        step.sources.length,
        step.sourceTokens,
        step.expectedTokens,
        `${step.firstSeq}–${step.lastSeq}`,
      ]),
    ),
    `${count(plan.tokensBefore)} → about ${plural(plan.expectedTokensAfter, 'token')}, ${count(plan.modelCalls)} model calls. Nothing was written.`,
    ...(estimate.provider === null ? [] : [spendText(estimate)]),
  ].join('\n')

/** Of a fork, only its own part of the window can be compacted. */
const inheritedLine = ({ inherited }: CompactionPlan): string[] =>
  inherited === undefined
    ? []
    : [
        `This is a fork: what stands before it in the window (${plural(inherited.items, 'item')}, ${plural(inherited.tokens, 'token')}) is of conversation ${inherited.conversationId} and stays as it is.`,
      ]

function spendText({ provider, inputTokens, outputTokens, cost, capTokens }: SpendEstimate): string {
  const price = cost === null ? 'no price configured' : `cost about ${cost.toFixed(4)}`
  const cap = capTokens === null ? 'no cap' : `capped at ${plural(capTokens, 'token')} a run`
  return `${provider} would be sent about ${plural(inputTokens, 'token')} and answer ${count(outputTokens)}: ${price}, ${cap}.`
}

async function compactAnswer(lcm: Lcm, options: CompactOptions): Promise<Answer> {
  lcm.requireWrite('compact')
  const asked = await compactInput(lcm, options)
  const { input, skipped } = options.auto ? automaticRun(lcm, asked) : { input: asked, skipped: null }
  if (skipped !== null) return skippedAnswer(lcm.planner.evaluate(asked), skipped)
  const { compactJob } = await import('#core/doors/run-job.ts')
  const value = await interruptible((signal) => compactJob(lcm, { ...input, loss: options.loss }, signal))
  const text = (): string =>
    value.skipped ??
    [
      `${count(value.tokensBefore)} → ${plural(value.tokensAfter, 'token')} (${percent(value.reduction)} less), ${plural(value.created.length, 'summary', 'summaries')}, stopped: ${value.stopReason.replaceAll('_', ' ')}`,
      table(
        ['id', 'kind', 'depth', 'level', 'source tokens', 'tokens'],
        value.created.map((node) => [node.id, node.kind, node.depth, node.level, node.sourceTokens, node.tokens]),
      ),
      ...lossLine(value),
    ].join('\n')
  return { json: value, text, exitCode: value.stopReason === 'cancelled' ? EXIT.interrupted : EXIT.done }
}

function lossLine({ loss, runId, conversationId }: CompactionResult): string[] {
  if (runId === null) return []
  const command = `"lcm loss --conversation ${conversationId} --run ${runId}"`
  if (loss === undefined) return [`${command} lists what was dropped or changed.`]
  const { details, dropped, changed } = loss.counts
  return [
    `Of ${plural(details, 'detail')} ${count(dropped)} were dropped and ${count(changed)} changed: ${command} lists them.`,
  ]
}

type AutomaticRun = { readonly input: CompactInput; readonly skipped: string | null }

/** Returns the run that --auto makes now to bring the window below its threshold, or why there is none. */
function automaticRun({ planner, settings }: Lcm, asked: CompactInput): AutomaticRun {
  const decision = planner.evaluate(asked)
  const input = neededRun(decision, asked) ?? asked
  return { input, skipped: whySwitchedOff(settings) ?? whyNotAutomatic(settings) ?? whyNotNeeded(decision) }
}

const whyNotAutomatic = ({ autocompactDisabled }: Settings): string | null =>
  autocompactDisabled
    ? 'LCM_AUTOCOMPACT_DISABLED is true: nothing is compacted by itself. Leave out --auto to compact now.'
    : null

const whyNotNeeded = ({ should, activeTokens, budget }: CompactionDecision): string | null =>
  should
    ? null
    : `No threshold is reached: the window takes ${plural(activeTokens, 'token')}, ${percent(activeTokens / budget)} of its budget.`

function skippedAnswer({ conversationId, activeTokens, should }: CompactionDecision, skipped: string): Answer {
  const json: CompactionResult = {
    runId: null,
    conversationId,
    stopReason: should ? 'nothing_eligible' : 'target_reached',
    tokensBefore: activeTokens,
    tokensAfter: activeTokens,
    reduction: 0,
    created: [],
    skipped,
    durationMs: 0,
  }
  return { json, text: () => skipped }
}

/** Accepts `leafChunkTokens=8000` or `leaf_chunk_tokens=8000`. @throws InvalidArgumentError */
function setting(text: string): [string, unknown] {
  const at = text.includes('=') ? text.indexOf('=') : text.length
  const name = text.slice(0, at)
  const key = name.trim().replace(/[-_]([a-z])/g, (_all, letter: string) => letter.toUpperCase())
  const known = flagsOf(CompactionSettings)
  const flag = known.find(({ field }) => field === key)
  if (flag === undefined) {
    const names = known.map(({ field }) => field).join(', ')
    throw new InvalidArgumentError(`There is no setting ${JSON.stringify(name)}: use one of ${names}.`)
  }
  return [key, flag.read(text.slice(at + 1))]
}
