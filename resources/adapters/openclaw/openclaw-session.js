import { join } from 'node:path'
import { sentMessages } from '../shared/compacted-window.js'
import { SessionWindow } from '../shared/session-window.js'

/**
 * @typedef {import('../shared/engine.js').Memory} Memory
 * @typedef {import('../shared/session-window.js').Sent} Sent
 * @typedef {import('./openclaw.d.ts').Message} Message
 */

export const AGENT = 'openclaw'
const DATABASE = 'openclaw-agent.sqlite'
const CHARS_PER_TOKEN = 4
/** How many messages are compared, from the newest on, to find a message of OpenClaw in the memory. */
const COMPARED = 8
/** OpenClaw has not been told yet how much fits. */
const LEAST_BUDGET = 8_000

/** One session of OpenClaw. Its messages have no ids where they are sent, so they are found by who says what. */
export class OpenClawSession {
  #memory
  #window

  /**
   * @param {Memory} memory
   * @param {string} sessionId
   * @param {string} agentDir the folder with the database of the agent
   */
  constructor(memory, sessionId, agentDir) {
    this.#memory = memory
    this.#window = new SessionWindow({ memory, sessionId, agent: AGENT, database: () => join(agentDir, DATABASE) })
  }

  async store() {
    await this.#window.store()
    return true
  }

  /**
   * @param {readonly Message[]} messages
   * @param {number | null} usableTokens
   */
  async assemble(messages, usableTokens) {
    const shortened = await this.#window.shorten(() => this.#found(messages), { usableTokens, mayCompact: true })
    const [first] = messages
    if (shortened === null || first === undefined) return { messages, estimatedTokens: estimate(messages) }
    const { from, text } = shortened
    const sent = [{ role: 'user', content: text, timestamp: first.timestamp }, ...messages.slice(from)]
    return { messages: sent, estimatedTokens: estimate(sent) }
  }

  /**
   * @param {number | null} tokenBudget
   * @param {AbortSignal} [signal]
   */
  async compact(tokenBudget, signal) {
    let tokensBefore = 0
    const stored = async () => {
      const messages = await this.#stored()
      tokensBefore = this.#tokensOf(messages)
      return messages.map(ofMemory)
    }
    const isCompacted = await this.#window.compact(stored, tokenBudget ?? LEAST_BUDGET, signal)
    if (!isCompacted) return { ok: true, compacted: false, reason: 'nothing is left to compact' }
    const tokensAfter = this.#tokensOf(await this.#stored())
    return { ok: true, compacted: true, result: { tokensBefore, tokensAfter } }
  }

  /** What messages take with the summaries that stand before them. @param {readonly Stored[]} messages */
  #tokensOf(messages) {
    const summaries = Math.ceil((this.#window.summaries() ?? '').length / CHARS_PER_TOKEN)
    return messages.reduce((sum, { tokens }) => sum + tokens, summaries)
  }

  async #stored() {
    const { conversationId } = this.#window
    return conversationId === null ? [] : sentMessages(this.#memory, conversationId)
  }

  /**
   * OpenClaw's messages with the ids that they have in the memory. The memory may have more at the end, of the turn that
   * is under way, or less.
   * @param {readonly Message[]} messages
   * @returns {Promise<Sent[]>}
   */
  async #found(messages) {
    const stored = await this.#stored()
    const shift = shiftOf(messages, stored)
    return messages.map((message, at) => ({
      id: stored[at + shift]?.externalId ?? `not stored ${at}`,
      isOfPerson: message.role === 'user',
      usedTokens: message.role === 'assistant' ? (message.usage?.totalTokens ?? null) : null,
      chars: JSON.stringify(message.content ?? '').length,
      isOfCompaction: message.role === 'compactionSummary',
    }))
  }
}

/**
 * @typedef {Awaited<ReturnType<typeof sentMessages>>[number]} Stored
 */

/** @param {Stored} message @returns {Sent} */
const ofMemory = ({ externalId, role, tokens }) => ({
  id: externalId,
  isOfPerson: role === 'user',
  usedTokens: null,
  chars: tokens * CHARS_PER_TOKEN,
  isOfCompaction: false,
})

/** @param {readonly Message[]} messages */
const estimate = (messages) =>
  messages.reduce((sum, { content }) => sum + Math.ceil(JSON.stringify(content ?? '').length / CHARS_PER_TOKEN), 0)

/**
 * How far the messages of the memory stand from those of OpenClaw, found where the last ones of both meet.
 * @param {readonly Message[]} messages
 * @param {readonly Stored[]} stored
 */
function shiftOf(messages, stored) {
  const whole = stored.length - messages.length
  for (let step = 0; step < Math.max(messages.length, stored.length); step += 1)
    for (const shift of step === 0 ? [whole] : [whole - step, whole + step])
      if (meet(messages, stored, shift)) return shift
  if (messages.length === 0 || stored.length === 0) return 0
  throw new Error('the messages of this session are not found in the memory')
}

/**
 * @param {readonly Message[]} messages
 * @param {readonly Stored[]} stored
 * @param {number} shift
 */
function meet(messages, stored, shift) {
  const last = Math.min(messages.length, stored.length - shift) - 1
  const first = Math.max(0, -shift, last - COMPARED + 1)
  if (last < first) return false
  for (let at = last; at >= first; at -= 1) if (!isSame(messages[at], stored[at + shift])) return false
  return true
}

/**
 * @param {Message | undefined} message
 * @param {Stored | undefined} stored
 */
function isSame(message, stored) {
  if (message === undefined || stored === undefined) return false
  const role = message.role === 'toolResult' ? 'tool' : message.role
  const text = textOf(message.content).trim().slice(0, 200)
  return role === stored.role && stored.text.includes(text)
}

/** The first text of a message. @param {Message['content']} content */
function textOf(content) {
  if (typeof content === 'string') return content
  return content?.find(({ type, text }) => type === 'text' && text !== undefined)?.text ?? ''
}
