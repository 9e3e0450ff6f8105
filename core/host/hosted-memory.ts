import type { z } from 'zod'
import { CompactInput, type CompactionResult } from '../contract/compaction.ts'
import { type HostCalls, hostCalls } from '../contract/host.ts'
import type { Job } from '../contract/job.ts'
import type { Core } from '../core.ts'
import { LcmError } from '../errors.ts'
import { ConversationStore } from '../ingest/conversation-store.ts'
import { LargeTexts } from '../ingest/large-texts.ts'
import { neededRun } from '../jobs/auto-compaction.ts'
import { AutoCompactor } from '../jobs/auto-compactor.ts'
import type { Lcm } from '../lcm.ts'
import { logCall } from '../log.ts'
import { requireEnabled } from '../settings/switched-off.ts'
import { despiteWrongValues } from '../systems/opening/wrong-values.ts'
import {
  conversationExists,
  conversationOfSession,
  noSuchConversation,
  storedConversations,
} from '../systems/records/conversations.ts'
import { knownRole, newestMessages } from '../systems/records/messages.ts'
import { throwIfCancelled } from '../yielding.ts'
import { readEntries } from './read-entries.ts'
import { readMessages, titleIn } from './read-messages.ts'
import { recall } from './recall.ts'

export type HostOptions = {
  readonly core: Core
  /** The name of the agent. Session ids are unique for one agent. */
  readonly agent: string
  /** Who writes summaries where a call does not say. */
  readonly summarizer: string
  /**
   * Whether windows are compacted without being asked: in the background from the soft threshold on, and before an
   * answer at the hard one.
   */
  readonly isAutomatic: boolean
}

type Input<Name extends keyof HostCalls> = z.infer<HostCalls[Name]['input']>
type Output<Name extends keyof HostCalls> = z.infer<HostCalls[Name]['output']>
export type HostCallName = keyof HostCalls

/** At the hard threshold an answer waits for a run that was under way, and for one more. */
const MOST_RUNS = 2

/** What a program that runs an agent asks of its memory. The library and the engine give it to others. */
export class HostedMemory {
  readonly #core: Core
  readonly #options: HostOptions
  readonly #compactor: AutoCompactor

  constructor(options: HostOptions) {
    this.#core = options.core
    this.#options = options
    this.#compactor = new AutoCompactor(options.core.jobs, options.summarizer)
  }

  /**
   * Validates the input of one of the calls and makes it.
   * @throws LcmError invalid_argument, naming the field
   */
  async call(name: HostCallName, input: unknown, signal: AbortSignal): Promise<Output<HostCallName>> {
    const start = performance.now()
    const { path } = this.#core
    try {
      const answer = await despiteWrongValues(path, () => this.#answer(name, input, signal))
      logCall(name, path, input, start, null)
      return answer
    } catch (error) {
      logCall(name, path, input, start, error)
      throw error
    }
  }

  async #answer(name: HostCallName, input: unknown, signal: AbortSignal): Promise<Output<HostCallName>> {
    throwIfCancelled(signal)
    const parsed = parsedInput(name, input)
    const handlers: { readonly [Name in HostCallName]: (given: never) => Promise<Output<Name>> } = {
      ingest: (given: Input<'ingest'>) => this.#ingest(given, signal),
      assemble: (given: Input<'assemble'>) => this.#assemble(given, signal),
      compact: (given: Input<'compact'>) => this.#compact(given, signal),
      recall: (given: Input<'recall'>) => this.#recall(given, signal),
      stored: (given: Input<'stored'>) => this.#stored(given),
      status: (given: Input<'status'>) => this.#status(given),
    }
    return await handlers[name](parsed as never)
  }

  /** The answer says that the messages are in the file. */
  async #ingest(input: Input<'ingest'>, signal: AbortSignal): Promise<Output<'ingest'>> {
    const lcm = await this.#core.lcm()
    requireEnabled(lcm.settings, 'store messages')
    const db = lcm.requireWrite('store messages')
    const nowMs = lcm.clock()
    const messages = [...readMessages(input.messages ?? [], nowMs), ...readEntries(input.entries ?? [], nowMs)]
    const texts = new LargeTexts(db, lcm.files, signal)
    const conversation = {
      importer: this.#options.agent,
      sessionId: input.sessionId,
      logicalKey: input.project ?? null,
      title: input.title ?? titleIn(messages),
    }
    try {
      const store = new ConversationStore(db, lcm.estimator, lcm.clock)
      const stored = await store.ingest(conversation, messages, texts)
      const { conversationId, added, alreadyThere, addedTokens } = stored
      const isIdle = this.#isAutomatic(lcm) && this.#running(conversationId) === null
      const growth = { messages: added, tokens: addedTokens }
      const compactionJobId = isIdle ? this.#compactor.lookAfter(lcm, conversationId, growth) : null
      return { conversationId, added, alreadyThere, compactionJobId }
    } finally {
      texts.finish()
    }
  }

  async #assemble(input: Input<'assemble'>, signal: AbortSignal): Promise<Output<'assemble'>> {
    const conversationId = this.#conversation(await this.#core.lcm(), input)
    const compaction = await this.#relieve(conversationId, signal)
    const { context } = await this.#core.lcm()
    const { budgetTokens, freshTailCount, query, provider } = input
    const asked = { conversationId, budgetTokens, freshTailCount, query }
    const { context: window, rendered } = context.assembleAndRender(asked, provider)
    const { tokens, activeTokens, leftOutTokens, budget, pressure, overBudget, items } = window
    return {
      ...{ conversationId, tokens, activeTokens, leftOutTokens, budget, pressure, overBudget },
      ...rendered,
      compaction,
      items: items.map(({ id, kind, tokens, included, reasonCode }) => ({ id, kind, tokens, included, reasonCode })),
    }
  }

  /** Compacts a window that has reached the hard threshold, and waits for that. */
  async #relieve(conversationId: number, signal: AbortSignal): Promise<Output<'assemble'>['compaction']> {
    let waited: Job | null = null
    for (let run = 0; run < MOST_RUNS; run += 1) {
      const lcm = await this.#core.lcm()
      if (!this.#isAutomatic(lcm)) break
      const request = { conversationId, summarizer: this.#options.summarizer }
      if (lcm.planner.evaluate(CompactInput.parse(request)).urgency !== 'hard') break
      const jobId = this.#running(conversationId) ?? this.#compactor.lookAt(lcm, conversationId)
      if (jobId === null) break
      waited = await this.#core.jobs.wait(jobId, signal)
    }
    if (waited === null) return null
    const { jobId, state, error } = waited
    return { jobId, state: state === 'running' ? 'cancelled' : state, error }
  }

  /** A run that was begun by itself is waited for, because two runs on one conversation exclude each other. */
  async #compact(input: Input<'compact'>, signal: AbortSignal): Promise<CompactionResult | null> {
    const lcm = await this.#core.lcm()
    const conversationId = this.#conversation(lcm, input)
    const { ifNeeded, mode, targetTokens, settings, loss, summarizer = this.#options.summarizer } = input
    const running = this.#running(conversationId)
    if (running !== null) await this.#core.jobs.wait(running, signal)
    const asked = CompactInput.parse({ conversationId, mode, targetTokens, settings, summarizer })
    requireEnabled(lcm.settings, 'compact')
    lcm.summarizers.providersOf(summarizer)
    const wanted = ifNeeded ? neededRun((await this.#core.lcm()).planner.evaluate(asked), asked) : asked
    if (wanted === null) return null
    const spec = { kind: 'compact' as const, ...CompactInput.parse(wanted), loss }
    const jobId = this.#core.jobs.start({ path: lcm.info.path, create: false, spec })
    const result = await this.#core.jobs.result(jobId, signal)
    return result.kind === 'compact' ? result.value : null
  }

  async #recall(input: Input<'recall'>, signal: AbortSignal): Promise<Output<'recall'>> {
    const lcm = await this.#core.lcm()
    const { query, tokenCap, everywhere } = input
    if (query !== undefined)
      return recall(
        lcm,
        { ...input, query, conversationId: everywhere ? null : this.#conversation(lcm, input) },
        signal,
      )
    const conversationId = this.#conversation(lcm, input)
    // What compares texts is loaded with the first answer that needs it.
    const { whatLeftWindow } = await import('./hooks/left-window.ts')
    const text = await whatLeftWindow(lcm, { conversationId, isLeaving: false, summary: null, tokenCap }, signal)
    return { text, passages: [], tokens: lcm.estimator.count(text) }
  }

  async #stored(input: Input<'stored'>): Promise<Output<'stored'>> {
    const lcm = await this.#core.lcm()
    const { limit, textChars } = input
    const newest = newestMessages(lcm.read, { conversationId: this.#conversation(lcm, input), limit, textChars })
    return newest.map(({ number, externalId, role, text }) => {
      return { id: `msg_${number}`, externalId, role: knownRole(role), text }
    })
  }

  async #status(input: Input<'status'>): Promise<Output<'status'>> {
    const lcm = await this.#core.lcm()
    const conversationId = this.#conversation(lcm, input)
    const [stored] = storedConversations(lcm.read, [conversationId])
    return {
      path: lcm.info.path,
      conversationId,
      sessionId: stored?.sessionId ?? '',
      title: stored?.title ?? null,
      messages: lcm.reader.order(conversationId).length,
      decision: lcm.planner.evaluate(CompactInput.parse({ conversationId })),
      isAutomatic: this.#isAutomatic(lcm),
      compactionJobId: this.#running(conversationId),
    }
  }

  #isAutomatic({ settings, info }: Lcm): boolean {
    return this.#options.isAutomatic && settings.enabled && !settings.autocompactDisabled && !info.readOnly
  }

  #running(conversationId: number): string | null {
    const runs = this.#core.jobs.list().filter(({ kind, state }) => kind === 'compact' && state === 'running')
    return runs.find((job) => job.conversationId === conversationId)?.jobId ?? null
  }

  /** @throws LcmError conversation_required, not_found */
  #conversation(lcm: Lcm, { sessionId, conversationId }: NamedConversation): number {
    requireOneConversation({ sessionId, conversationId })
    if (conversationId === undefined) return conversationOfSession(lcm.read, this.#options.agent, sessionId ?? '')
    if (!conversationExists(lcm.read, conversationId)) throw noSuchConversation(lcm.read, conversationId)
    return conversationId
  }
}

/** @throws LcmError invalid_argument, naming the fields that are wrong */
export function parsedInput(name: HostCallName, input: unknown): z.infer<HostCalls[HostCallName]['input']> {
  const parsed = hostCalls[name].input.safeParse(input ?? {})
  if (parsed.success) return parsed.data
  const said = parsed.error.issues.slice(0, 5).map(({ path, message }) => `${path.join('.') || 'input'}: ${message}`)
  throw new LcmError('invalid_argument', `The input of ${name} is not valid. ${said.join('; ')}.`)
}

export type NamedConversation = Pick<Input<'status'>, 'sessionId' | 'conversationId'>

/** @throws LcmError conversation_required when a call names no conversation, or names one twice */
export function requireOneConversation({ sessionId, conversationId }: NamedConversation): void {
  if ((sessionId === undefined) !== (conversationId === undefined)) return
  throw new LcmError('conversation_required', 'Name one conversation: by its sessionId, or by its conversationId.')
}
