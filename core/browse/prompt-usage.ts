import { firstAbove } from '../binary-search.ts'
import { ROLES } from '../contract/lists.ts'
import type { BreakCause, CacheBreak, Usage, UsageInput } from '../contract/usage.ts'
import type { Memory } from '../memory/memory.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import type { MemoryReader } from '../systems/reading/memory-reader.ts'
import { statedCost } from '../systems/records/stated-costs.ts'
import { type StepUsage, stepsOfMessages } from '../systems/records/steps.ts'
import type { TimeTravel } from '../window/time-travel/time-travel.ts'
import { TimeSlice } from '../yielding.ts'

type PromptUsageOptions = {
  readonly db: ReadDb
  readonly reader: MemoryReader
  readonly timeTravel: TimeTravel
}

/** An answer with what it used. */
type Step = StepUsage & { readonly position: number; readonly atMs: number | null }

const ASSISTANT = ROLES.indexOf('assistant')
const MESSAGES_AT_ONCE = 500
/** Providers cache in blocks and leave a short end out, so that a smaller difference is no break. */
const LEAST_LOST = 1024
const LEAST_SHARE = 0.1
/** Providers keep a prefix for five minutes unless they are asked for more. */
const KEPT_MS = 5 * 60_000

/** What the answers of a conversation used, and where the provider's prompt cache could not be used. */
export class PromptUsage {
  readonly #options: PromptUsageOptions

  constructor(options: PromptUsageOptions) {
    this.#options = options
  }

  /** @throws LcmError not_found, cancelled */
  async of({ conversationId, columns, limit }: UsageInput, signal?: AbortSignal): Promise<Usage> {
    const { reader, timeTravel } = this.#options
    await reader.prepareMemory(conversationId)
    const memory = reader.memory(conversationId)
    const steps = await this.#steps(memory, new TimeSlice(signal, 'Reading the usage was cancelled.'))
    const { events, prunings = [] } = timeTravel.timeline(conversationId)
    const replacedAt = Float64Array.from([...events, ...prunings], ({ messages }) => messages).sort()
    const breaks = breaksIn(steps, replacedAt)
    const isCacheKnown = steps.some(({ cached }) => cached !== null)
    const isWriteKnown = steps.some(({ written }) => written !== null)
    const isCostKnown = steps.some(({ cost }) => cost !== null)
    const sum = (of: (step: Step) => number | null): number => steps.reduce((all, step) => all + (of(step) ?? 0), 0)
    return {
      recorded: isCacheKnown ? 'cache' : steps.length > 0 ? 'tokens' : 'none',
      steps: steps.length,
      totals: {
        inputTokens: sum(({ input }) => input),
        cachedTokens: sum(({ cached }) => cached),
        writtenTokens: isWriteKnown ? sum(({ written }) => written) : null,
        outputTokens: sum(({ output }) => output),
        cost: isCostKnown ? sum(({ cost }) => cost) : statedCost(this.#options.db, conversationId),
      },
      columns: merged(steps, breaks, columns, memory),
      breaks: breaks.toSorted((a, b) => lostIn(b) - lostIn(a) || a.messages - b.messages).slice(0, limit),
      breakCount: breaks.length,
      lostTokens: breaks.reduce((all, one) => all + lostIn(one), 0),
    }
  }

  async #steps({ messages }: Memory, slice: TimeSlice): Promise<Step[]> {
    const steps: Step[] = []
    const answers = Array.from(messages.roles.keys()).filter((position) => messages.roles[position] === ASSISTANT)
    for (let from = 0; from < answers.length; from += MESSAGES_AT_ONCE) {
      const some = answers.slice(from, from + MESSAGES_AT_ONCE)
      const found = stepsOfMessages(
        this.#options.db,
        some.map((position) => messages.ids[position] as number),
      )
      for (const position of some) {
        const atMs = messages.clockMs[position]
        for (const step of found.get(messages.ids[position] as number) ?? [])
          steps.push({ ...step, position, atMs: atMs === undefined || Number.isNaN(atMs) ? null : atMs })
      }
      await slice.yieldIfOver()
    }
    return steps
  }
}

const lostIn = ({ expectedTokens, cachedTokens }: CacheBreak): number => expectedTokens - cachedTokens

/**
 * Finds the answers that read less from the cache than the answer before had sent. A window that became smaller cannot
 * have more cached than it holds.
 * @param replacedAt the numbers of messages before each replacement in the window, ascending
 */
function breaksIn(steps: readonly Step[], replacedAt: Float64Array): CacheBreak[] {
  const breaks: CacheBreak[] = []
  let before: Step | null = null
  for (const step of steps) {
    const { input, cached, position, atMs, cost, messageId } = step
    if (cached === null) {
      before = null
      continue
    }
    // A provider caches nothing of a short prompt.
    const isCaching = before !== null && ((before.cached ?? 0) > 0 || (before.written ?? 0) > 0)
    if (before !== null && isCaching) {
      const next = replacedAt[firstAbove(replacedAt, before.position)]
      const isCompacted = next !== undefined && next <= position
      const expected = isCompacted ? before.input : Math.min(before.input, input)
      const lost = expected - cached
      if (lost >= LEAST_LOST && lost >= expected * LEAST_SHARE) {
        const pauseMs = atMs === null || before.atMs === null ? null : atMs - before.atMs
        breaks.push({
          messageId: `msg_${messageId}`,
          messages: position + 1,
          atMs,
          expectedTokens: expected,
          cachedTokens: cached,
          cause: causeOf(isCompacted, before, step, pauseMs),
          pauseMs,
          cost,
        })
      }
    }
    before = step
  }
  return breaks
}

function causeOf(isCompacted: boolean, before: Step, step: Step, pauseMs: number | null): BreakCause | null {
  if (isCompacted) return 'compaction'
  if (before.model !== null && step.model !== null && before.model !== step.model) return 'model'
  return pauseMs !== null && pauseMs >= KEPT_MS ? 'pause' : null
}

function merged(
  steps: readonly Step[],
  breaks: readonly CacheBreak[],
  most: number,
  { messages }: Memory,
): Usage['columns'] {
  const columns: Usage['columns'] = {
    firstMessage: [],
    messages: [],
    atMs: [],
    steps: [],
    inputTokens: [],
    cachedTokens: [],
    writtenTokens: [],
    breaks: [],
    lostTokens: [],
    cost: [],
    breakCost: [],
  }
  const size = Math.max(1, Math.ceil(steps.length / most))
  const lostAt = new Map(breaks.map((one) => [one.messages - 1, lostIn(one)]))
  for (let from = 0; from < steps.length; from += size) {
    const some = steps.slice(from, from + size)
    const [first, last] = [some[0] as Step, some.at(-1) as Step]
    const sum = (of: (step: Step) => number | null): number => some.reduce((all, step) => all + (of(step) ?? 0), 0)
    columns.firstMessage.push(messages.ids[first.position] as number)
    columns.messages.push(last.position + 1)
    columns.atMs.push(last.atMs)
    columns.steps.push(some.length)
    columns.inputTokens.push(sum(({ input }) => input))
    columns.cachedTokens.push(sum(({ cached }) => cached))
    columns.writtenTokens.push(sum(({ written }) => written))
    const afterBreak = some.filter(({ position }) => lostAt.has(position))
    columns.breaks.push(afterBreak.length)
    columns.lostTokens.push(afterBreak.reduce((all, { position }) => all + (lostAt.get(position) ?? 0), 0))
    columns.cost.push(sum(({ cost }) => cost))
    columns.breakCost.push(afterBreak.reduce((all, { cost }) => all + (cost ?? 0), 0))
  }
  return columns
}
