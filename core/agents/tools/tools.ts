// Why it is so: docs/decisions/0027-grants.md

import { z } from 'zod'
import { ExpandQueryInput, type ExpandQueryResult } from '#core/contract/expand-query.ts'
import type { AgentTool } from '#core/contract/grants.ts'
import { MOST_AGENT_TOKENS } from '#core/contract/lists.ts'
import { LcmError } from '#core/errors.ts'
import { ANY_DEPTH, Scope } from '../grants/scope.ts'
import { idsOf } from '../grants/scoped-view.ts'
import { describe } from './describe.ts'
import { expand } from './expand.ts'
import { fitInput } from './fit-input.ts'
import { grep } from './grep.ts'
import { loss } from './loss.ts'
import { Reading, type ToolServices } from './reading.ts'
import { INPUTS, type ToolInput, type ToolName } from './tool-inputs.ts'
import { TEXTS } from './tool-texts.ts'

/** What a caller may read: everything, one conversation, or what a grant allows. */
export type Access =
  | { readonly kind: 'all' }
  | { readonly kind: 'conversation'; readonly conversationId: number }
  | { readonly kind: 'grant'; readonly grantId: string }

/** An answer that costs more than is left is made again with a lower cap, at most this often. */
const MOST_ATTEMPTS = 4

const NAMES = Object.keys(INPUTS) as ToolName[]
const isTool = (name: string): name is ToolName => Object.hasOwn(INPUTS, name)

/** The descriptions of the tools. They never change, so that prompts that contain them stay cached. */
export const agentTools = (): AgentTool[] =>
  NAMES.map((name) => ({ name, ...TEXTS[name], inputSchema: z.toJSONSchema(INPUTS[name], { io: 'input' }) }))

/** The tools with which agents read a memory. No answer holds anything outside of the given access. */
export class Tools {
  readonly #services: () => Promise<ToolServices>
  readonly #access: Access

  constructor(services: () => Promise<ToolServices>, access: Access) {
    this.#services = services
    this.#access = access
  }

  /**
   * Calls a tool on the present state of the memory. The notes of the answer say which arguments were changed or
   * ignored.
   * @throws LcmError
   */
  async call(name: string, args: unknown, signal: AbortSignal): Promise<object> {
    if (!isTool(name)) {
      throw new LcmError('not_found', `There is no such tool here. There are ${NAMES.join(', ')}.`)
    }
    const { input, notes, given } = fitInput(INPUTS[name], args)
    const services = await this.#services()
    const ask = (reading: Reading): Promise<object> => answerOf(reading, name, input, signal)
    const answer: object & { notes?: readonly string[] } = await this.#within(services, ask)
    const told = [...notes, ...withoutEffect(name, input, given), ...(answer.notes ?? [])]
    return told.length > 0 ? { ...answer, notes: told } : answer
  }

  async #within(services: ToolServices, ask: (reading: Reading) => Promise<object>): Promise<object> {
    const access = this.#access
    switch (access.kind) {
      case 'all':
        return ask(new Reading(services, { scope: null, cap: MOST_AGENT_TOKENS, outside: notCovered }))
      case 'conversation': {
        const { conversationId } = access
        const extent = { conversationIds: [conversationId], rootIds: [], depth: ANY_DEPTH }
        const scope = new Scope(services.read, services.reader, extent)
        const outside = (what: string): LcmError =>
          new LcmError(
            'grant_scope',
            `This server gives access to conversation ${conversationId} only, not to ${what}: leave it out, or ask for another server.`,
          )
        return ask(new Reading(services, { scope, cap: MOST_AGENT_TOKENS, outside }))
      }
      case 'grant':
        return this.#underGrant(services, access.grantId, ask)
    }
  }

  /** Charges the answer to the grant before it is returned. */
  async #underGrant(
    services: ToolServices,
    grantId: string,
    ask: (reading: Reading) => Promise<object>,
  ): Promise<object> {
    const scope = services.grants.scope(grantId)
    const { grants } = services.grants
    const left = grants.use(grantId)
    const outside = (what: string): LcmError => grants.refuse(grantId, notCovered(what).message)
    let cap = Math.min(MOST_AGENT_TOKENS, left)
    for (let attempt = 1; ; attempt += 1) {
      const reading = new Reading(services, { scope, cap, outside })
      const answer = await ask(reading)
      const cost = Math.max(reading.costOf(answer), usedBy(answer))
      const less = cap - (cost - left)
      if (cost <= left || less < 1 || attempt === MOST_ATTEMPTS) {
        grants.charge(grantId, cost, idsOf(answer))
        return answer
      }
      cap = less
    }
  }
}

const notCovered = (what: string): LcmError =>
  new LcmError(
    'grant_scope',
    `The grant does not cover ${what}: use ids that an answer gave, or ask for another grant.`,
  )

/** Returns the tokens that a sub-agent read for the answer. */
const usedBy = (answer: object): number =>
  'tokensUsed' in answer && typeof answer.tokensUsed === 'number' ? answer.tokensUsed : 0

async function answerOf(reading: Reading, name: ToolName, input: object, signal: AbortSignal): Promise<object> {
  switch (name) {
    case 'lcm_grep':
      return grep(reading, input as ToolInput<'lcm_grep'>, signal)
    case 'lcm_describe':
      return describe(reading, input as ToolInput<'lcm_describe'>, signal)
    case 'lcm_expand':
      return expand(reading, input as ToolInput<'lcm_expand'>)
    case 'lcm_expand_query':
      return expandQuery(reading, input as ToolInput<'lcm_expand_query'>, signal)
    case 'lcm_loss':
      return loss(reading, input as ToolInput<'lcm_loss'>, signal)
  }
}

async function expandQuery(
  reading: Reading,
  input: ToolInput<'lcm_expand_query'>,
  signal: AbortSignal,
): Promise<ExpandQueryResult> {
  for (const id of input.summaryIds ?? []) reading.find(id)
  const asked = input.conversationId === undefined ? undefined : reading.conversations([input.conversationId])?.[0]
  const tokenCap = Math.min(reading.capFor(input.tokenCap), reading.cap)
  const question = ExpandQueryInput.parse({ ...input, conversationId: asked, tokenCap })
  return reading.shown(await reading.services.expandQuery.ask(question, signal, reading.scope ?? undefined))
}

/** Returns a sentence for each argument that has no effect together with the others. */
function withoutEffect(name: ToolName, input: object, given: ReadonlySet<string>): string[] {
  const ignored = (names: readonly string[], why: string): string[] =>
    names.filter((one) => given.has(one)).map((one) => `${one} was ignored: ${why}.`)
  if (name === 'lcm_grep' && (input as ToolInput<'lcm_grep'>).mode !== 'full_text')
    return ignored(['match'], 'it belongs to full text')
  if (name !== 'lcm_describe') return []
  if (!given.has('id'))
    return ignored(['offset', 'page', 'lines', 'find', 'regex', 'fromRow'], 'it belongs to one id, and none was given')
  return [
    ...ignored(['section', 'conversationId'], 'it belongs to an overview, which is given without id'),
    ...(given.has('find')
      ? ignored(['page', 'lines', 'offset'], 'find was given')
      : ignored(['regex', 'fromRow'], 'it belongs to find')),
    ...(given.has('lines') && !given.has('find') ? ignored(['page'], 'lines was given') : []),
  ]
}
