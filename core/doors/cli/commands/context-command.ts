import { z } from 'zod'
import { isoTime } from '#core/clock.ts'
import type { CompactionSettings } from '#core/contract/compaction.ts'
import { AssembledContext, AssembleInput, type ContextItem, Provider } from '#core/contract/context.ts'
import { PresetName } from '#core/contract/settings.ts'
import { type ContextAt, type ContextDifference, Moment } from '#core/contract/time-travel.ts'
import { LcmError } from '#core/errors.ts'
import type { Lcm } from '#core/lcm.ts'
import { plural } from '#core/text.ts'
import { defineCommand, narrowed } from '../command.ts'
import { moment } from '../input/parse.ts'
import type { Answer } from '../output/output.ts'
import { documentAnswer, documentFile } from '../output/output-file.ts'
import { count, percent, table } from '../output/text.ts'
import { chooseOrNewest, withMemory } from '../session.ts'

/** The list of presets is loaded only when it is needed, because it knows every system. */
export const presetValues = async (name: PresetName | undefined): Promise<Partial<CompactionSettings>> =>
  name === undefined ? {} : (await import('#core/systems/presets.ts')).presetSettings(name)

/** Accepts `FROM..TO`, two moments. */
const TwoMoments = z.string().transform((text, context) => {
  const [from, to, ...rest] = text.split('..')
  if (from && to && rest.length === 0) return { from: moment(from), to: moment(to) }
  context.addIssue('Expected two moments with two dots between them, such as msg_12..now.')
  return z.NEVER
})

const fields = AssembleInput.omit({ conversationId: true, tokenBudget: true }).extend({
  ...narrowed,
  preset: PresetName.optional().describe('the defaults of a known system'),
  at: Moment.optional().describe('as it was: at a time, or after msg_N, run_ID, or the event of this number'),
  diff: TwoMoments.optional().meta({
    description: 'what left and what entered between two such moments',
    value: 'from..to',
  }),
  render: Provider.optional().describe('the payload as messages of a provider'),
  output: documentFile.output.describe(
    'with --render: write the payload there, where nothing may be; - is standard output',
  ),
  force: documentFile.force,
})

/** The window now, at a past moment, or the difference between two. */
export const context = defineCommand({
  name: 'context',
  example: 'context --db sample.db --conversation 1 --budget 8000',
  memory: 'reads',
  fields,
  exclusive: [
    ['resumed', 'at'],
    ['resumed', 'diff'],
    ['diff', 'at'],
    ['diff', 'render'],
  ],
  prints: AssembledContext,
  first: ({ output, render }) => {
    if (output !== undefined && render === undefined) {
      throw new LcmError('invalid_argument', 'A payload goes into the file of -o: say of which provider with --render.')
    }
  },
  run: (input, given) => withMemory(given, (lcm) => contextAnswer(lcm, input), { readOnly: true }),
})

async function contextAnswer(
  lcm: Lcm,
  { at, diff, render, preset, output, force, ...asked }: z.output<typeof fields>,
): Promise<Answer> {
  const preferred = await presetValues(preset)
  const input = {
    conversationId: chooseOrNewest(lcm, asked.conversationId),
    budgetTokens: asked.budgetTokens ?? preferred.budgetTokens,
    freshTailCount: asked.freshTailCount ?? preferred.freshTailCount,
    query: asked.query,
    resumed: asked.resumed,
  }
  if (diff) {
    const difference = lcm.timeTravel.difference({ ...input, ...diff })
    return { json: difference, text: () => differenceText(difference) }
  }
  if (render) {
    const rendered = at ? lcm.timeTravel.render({ ...input, moment: at }, render) : lcm.context.render(input, render)
    const answer = {
      json: { messages: rendered.messages, system: rendered.system },
      text: () => JSON.stringify(rendered, null, 2),
    }
    return documentAnswer({ answer, output, force, source: lcm.info.path })
  }
  if (at) {
    const context = lcm.timeTravel.contextAt({ ...input, moment: at })
    return { json: context, text: () => `${whenText(context)}\n${contextText(context)}` }
  }
  const context = lcm.context.assemble(input)
  return { json: context, text: () => contextText(context) }
}

function contextText(context: AssembledContext): string {
  const { historyOrder } = context
  const placeOf = new Map(historyOrder?.map((index, place) => [index, place]))
  return [
    ...(historyOrder
      ? ['The window is stored in another order than that of the history: the second column is the place in that one.']
      : []),
    `${count(context.tokens)} of ${plural(context.budget, 'token')} (${percent(context.pressure)})${context.overBudget ? ' · the fresh tail alone is over the budget' : ''}`,
    ...(context.resume ? [`${context.resume.text}.`] : []),
    ...(context.leftOutTokens === 0
      ? []
      : [`${count(context.activeTokens)} active tokens: ${count(context.leftOutTokens)} of them are left out.`]),
    ...(context.prunedTokens === undefined
      ? []
      : [
          `${plural(context.prunedTokens, 'token')} more that the agent has pruned from these messages: it does not see them.`,
        ]),
    ...(context.sentAgain === undefined
      ? []
      : [
          `${plural(context.sentAgain.results, 'result')} more (${plural(context.sentAgain.tokens, 'token')}) that the agent sends again since it resumed the session: not counted here.`,
        ]),
    '',
    table(
      ['#', ...(historyOrder ? ['hist'] : []), 'id', 'kind', 'tokens', '', 'why'],
      context.items.map((item, index) => [
        item.included ? String(item.ordinal) : '–',
        ...(historyOrder ? [placeOf.get(index) ?? ''] : []),
        item.id,
        kindText(item),
        item.tokens,
        item.included ? 'in' : 'out',
        [
          item.reason,
          ...(item.pruned ? [`${plural(item.pruned.tokens, 'token')} pruned`] : []),
          ...(item.conversationId === undefined ? [] : [`of conversation ${item.conversationId}`]),
        ].join('; '),
      ]),
    ),
  ].join('\n')
}

function differenceText({ before, after, left, entered, stayed }: ContextDifference): string {
  const rows = (sign: string, items: readonly ContextItem[]): [string, string, string, number, number][] =>
    items.map((item) => [sign, item.id, kindText(item), item.tokens, item.messages])
  return [
    `from ${whenText(before)}`,
    `to   ${whenText(after)}`,
    `${count(before.activeTokens)} → ${count(after.activeTokens)} active tokens: ${count(left.length)} left, ${count(entered.length)} entered, ${count(stayed)} stayed`,
    '',
    table(['', 'id', 'kind', 'tokens', 'stands for'], [...rows('−', left), ...rows('+', entered)]),
  ].join('\n')
}

function whenText({ atMs, events, reconstructed }: Omit<ContextAt, 'items'>): string {
  const when = isoTime(atMs) ?? 'at a time that is not known'
  return `${when} · after ${count(events)} ${events === 1 ? 'compaction event' : 'compaction events'}${reconstructed ? ' · reconstructed from creation times' : ''}`
}

const kindText = (item: ContextItem): string =>
  item.kind === 'message' ? (item.role ?? '') : `${item.kind} ${item.depth ?? ''}`.trim()
