import { InvalidArgumentError, Option } from 'commander'
import { isoTime } from '../../clock.ts'
import type { CompactionSettings } from '../../contract/compaction.ts'
import type { AssembledContext, AssembleInput, ContextItem } from '../../contract/context.ts'
import { PresetName } from '../../contract/settings.ts'
import type { ContextAt, ContextDifference, Moment } from '../../contract/time-travel.ts'
import type { Lcm } from '../../lcm.ts'
import { conversationOption, type Define, type Run } from './command.ts'
import type { Answer } from './output.ts'
import { integer, oneOf, time } from './parse.ts'
import { chooseOrNewest, type MemoryOptions, withMemory } from './session.ts'
import { count, percent, table } from './text.ts'

type ContextOptions = MemoryOptions & {
  conversation?: number
  budget?: number
  freshTail?: number
  preset?: PresetName
  query?: string
  at?: Moment
  diff?: { readonly from: Moment; readonly to: Moment }
  render?: 'anthropic' | 'openai'
}

export const presetOption = (): Option =>
  new Option('--preset <name>', `the defaults of a known system: ${PresetName.options.join(', ')}`).argParser(
    oneOf(...PresetName.options),
  )

/** The list of presets is loaded only when it is needed, because it knows every system. */
export const presetValues = async (name: PresetName | undefined): Promise<Partial<CompactionSettings>> =>
  name === undefined ? {} : (await import('../../systems/presets.ts')).presetSettings(name)

/** Adds the command context: the window now, at a past moment, or the difference between two. */
export function addContextCommand(define: Define, run: Run): void {
  run(
    define('context', 'what the model sees next turn, and why')
      .addOption(conversationOption())
      .option('--budget <tokens>', 'token budget', integer(1, 100_000_000))
      .option('--fresh-tail <n>', 'newest messages that are always in', integer(0, 1_000_000))
      .addOption(presetOption())
      .option('--query <text>', 'rank older items by relevance to this')
      .option('--at <moment>', 'as it was: at a time, or after msg_N, run_ID, or the event of this number', moment)
      .addOption(
        new Option('--diff <from..to>', 'what left and what entered between two such moments')
          .argParser(twoMoments)
          .conflicts(['at', 'render']),
      )
      .option('--render <provider>', 'the payload as anthropic or openai messages', oneOf('anthropic', 'openai')),
    async (options: ContextOptions): Promise<Answer> =>
      withMemory(options, (lcm) => contextAnswer(lcm, options), { readOnly: true }),
  )
}

async function contextAnswer(lcm: Lcm, options: ContextOptions): Promise<Answer> {
  const preferred = await presetValues(options.preset)
  const input: AssembleInput = {
    conversationId: chooseOrNewest(lcm, options.conversation),
    budgetTokens: options.budget ?? preferred.budgetTokens,
    freshTailCount: options.freshTail ?? preferred.freshTailCount,
    query: options.query,
  }
  const { at, diff, render } = options
  if (diff) {
    const difference = lcm.timeTravel.difference({ ...input, ...diff })
    return { json: difference, text: () => differenceText(difference) }
  }
  if (render) {
    const rendered = at ? lcm.timeTravel.render({ ...input, moment: at }, render) : lcm.context.render(input, render)
    return {
      json: { messages: rendered.messages, system: rendered.system },
      text: () => JSON.stringify(rendered, null, 2),
    }
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
    `${count(context.tokens)} of ${count(context.budget)} tokens (${percent(context.pressure)})${context.overBudget ? ' · the fresh tail alone is over the budget' : ''}`,
    ...(context.leftOutTokens === 0
      ? []
      : [`${count(context.activeTokens)} active tokens: ${count(context.leftOutTokens)} of them are left out.`]),
    ...(context.prunedTokens === undefined
      ? []
      : [
          `${count(context.prunedTokens)} tokens more that the agent has pruned from these messages: it does not see them.`,
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
        item.pruned ? `${item.reason}; ${count(item.pruned.tokens)} tokens pruned` : item.reason,
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

/**
 * Accepts `now`, `msg_12`, `run_ab12`, the number of a compaction event, or a time. A number is an event and never a
 * year.
 */
function moment(text: string): Moment {
  if (text === 'now') return { now: true }
  if (/^msg_\d{1,16}$/.test(text)) return { messageId: text }
  if (text.startsWith('run_')) return { runId: text }
  if (/^\d{1,15}$/.test(text)) return { eventId: Number(text) }
  try {
    return { atMs: time(text) }
  } catch {
    throw new InvalidArgumentError(
      'Expected now, a message (msg_12), a run (run_…), the number of a compaction event, or a time such as 2026-02-13T09:30:00Z.',
    )
  }
}

/** Accepts `FROM..TO`, two moments. */
function twoMoments(text: string): { readonly from: Moment; readonly to: Moment } {
  const [from, to, ...rest] = text.split('..')
  if (!from || !to || rest.length > 0) {
    throw new InvalidArgumentError('Expected two moments with two dots between them, such as msg_12..now.')
  }
  return { from: moment(from), to: moment(to) }
}
