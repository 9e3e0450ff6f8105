import { compactBefore, standingRuns, standingWindow, takeBack, unless } from '../shared/compacted-window.js'

/**
 * @typedef {import('../shared/engine.js').Memory} Memory
 * @typedef {import('../shared/compacted-window.js').CompactedWindow} CompactedWindow
 * @typedef {import('./opencode.d.ts').Message} Message
 * @typedef {import('./opencode.d.ts').Limit} Limit
 */

/** The importer of opencode's database has the same name, so that both meet the same conversations. */
const AGENT = 'opencode'
/** A compaction is due at this part of what fits. opencode compacts by itself where all of it is full. */
const DUE = 0.8
/** This part of what fits is kept as it was said. */
const KEPT = 0.25
/** Summaries take at most this part of what fits, and this many tokens. */
const SUMMARIES = 0.3
const MOST_SUMMARY_TOKENS = 8_000
/** opencode leaves so much for an answer, whatever more the model may give. */
const MOST_ANSWER_TOKENS = 32_000
const CHARS_PER_TOKEN = 4

/** Keeps the memory of one session in step with it, and its window no longer than it has to be. */
export class SessionWindow {
  /** @type {Memory} */
  #memory
  /** @type {() => string} */
  #database
  #sessionId
  /** @type {Promise<unknown>} */
  #last = Promise.resolve()
  /** @type {number | null} */
  #conversationId = null
  /** Whether what is known of the window still holds. */
  #isKnown = false
  /** What is sent in the place of messages that left. @type {CompactedWindow | null} */
  #window = null
  /** The newest message at the last compaction. What was measured before it says nothing of the window now. */
  #measuredAfter = ''
  /** Of the model of the last request. @type {Limit | null} */
  limit = null

  /** @param {{ readonly memory: Memory, readonly database: () => string, readonly sessionId: string }} given */
  constructor({ memory, database, sessionId }) {
    this.#memory = memory
    this.#database = database
    this.#sessionId = sessionId
  }

  /** Something was taken back or removed: nothing that is known of the window holds any more. */
  historyChanged() {
    this.#isKnown = false
  }

  /** Stores what opencode has and the memory has not. */
  store() {
    return this.#inTurn(() => this.#import())
  }

  /** The text of the summaries that stand in the window, for a summary that opencode makes. */
  async summaries() {
    return this.#window?.text ?? null
  }

  /**
   * Puts summaries in the place of messages that left the window, and compacts first when it is due.
   * @param {Message[]} messages what opencode is about to send; it is changed in place
   * @param {{ readonly isCompacting: boolean }} asked whether opencode is about to make a summary itself
   */
  shorten(messages, { isCompacting }) {
    return this.#inTurn(async () => {
      const usable = this.#usable()
      if (!this.#isKnown) await this.#learn(messages)
      if (!isCompacting && usable !== null && this.#tokensOf(messages) > usable * DUE)
        await this.#compact(messages, usable)
      this.#apply(messages)
    })
  }

  /**
   * @template T
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  #inTurn(work) {
    const done = this.#last.then(work)
    this.#last = done.catch(() => undefined)
    return done
  }

  /** opencode's database knows forks, what was taken back, and what opencode compacted by itself. */
  async #import() {
    const paths = [this.#database()]
    const imported = await this.#memory.job({ kind: 'import', paths, format: AGENT, sessions: [this.#sessionId] })
    const [file] = imported.files
    if (file?.error) throw new Error(file.error)
    const stored = file?.conversations.find(({ sessionId }) => sessionId === this.#sessionId)
    this.#conversationId = stored?.conversationId ?? this.#conversationId
  }

  /** @param {readonly Message[]} messages */
  async #learn(messages) {
    const sessionId = this.#sessionId
    const stored = await unless(['not_found'], () => this.#memory.status({ sessionId }))
    const asked = { sentIds: idsOf(messages), summaryTokens: MOST_SUMMARY_TOKENS }
    // What is new is not stored yet, so that the window still ends where the person was before.
    if (stored) await this.#takeBackGivenUp({ ...asked, conversationId: stored.conversationId }, messages)
    await this.#import()
    const conversationId = this.#conversationId
    this.#window = conversationId === null ? null : await standingWindow(this.#memory, { ...asked, conversationId })
    this.#isKnown = true
  }

  /**
   * Takes compactions back, from the newest on, while the first message behind their summaries is one that the person
   * took back since: then they tell of such messages, too.
   * @param {{ readonly conversationId: number, readonly sentIds: readonly string[], readonly summaryTokens: number }} asked
   * @param {readonly Message[]} messages
   */
  async #takeBackGivenUp(asked, [first]) {
    const { conversationId } = asked
    // After a compaction by opencode that is not stored yet, the window begins anew, and nothing was taken back.
    if (first && isOfCompaction(first) && !(await this.#isStored(conversationId, first.info.id))) return
    const runs = await standingRuns(this.#memory, conversationId)
    for (const { runId } of runs) {
      if ((await standingWindow(this.#memory, asked)) !== null) return
      await takeBack(this.#memory, conversationId, (run) => run.runId === runId)
    }
  }

  /**
   * @param {number} conversationId
   * @param {string} messageId
   */
  async #isStored(conversationId, messageId) {
    const sql = `SELECT 1 FROM messages
      WHERE conversation_id = ${conversationId} AND external_id = '${messageId.replaceAll("'", "''")}'`
    return (await this.#memory.call('sql.run', { sql, limit: 1 })).rows.length > 0
  }

  /**
   * @param {readonly Message[]} messages
   * @param {number} usable
   */
  async #compact(messages, usable) {
    await this.#import()
    if (this.#conversationId === null) return
    const compacted = await unless(['locked', 'not_found'], () =>
      compactBefore(this.#memory, {
        conversationId: /** @type {number} */ (this.#conversationId),
        sentIds: idsOf(messages),
        firstKeptId: firstKept(messages, usable * KEPT),
        summaryTokens: Math.min(MOST_SUMMARY_TOKENS, Math.floor(usable * SUMMARIES)),
        minMessagesToCompact: 1,
        lastSummaries: this.#window?.summaries,
      }),
    )
    this.#measuredAfter = messages.at(-1)?.info.id ?? ''
    if (compacted) this.#window = compacted
  }

  /** How many tokens fit before an answer. Null until the first request has said it. */
  #usable() {
    if (this.limit === null || this.limit.context <= 0) return null
    return (this.limit.input ?? this.limit.context) - Math.min(this.limit.output, MOST_ANSWER_TOKENS)
  }

  /**
   * The size of the next request: that of the last one with its answer, and an estimate of what was said since.
   * @param {readonly Message[]} messages
   */
  #tokensOf(messages) {
    const at = messages.findLastIndex(({ info }) => info.role === 'assistant' && (info.tokens?.output ?? 0) > 0)
    const info = messages[at]?.info
    if (info === undefined || info.summary === true || info.id <= this.#measuredAfter) return 0
    const { input = 0, output = 0, reasoning = 0, cache = { read: 0, write: 0 } } = info.tokens ?? {}
    return input + output + reasoning + cache.read + cache.write + estimate(messages.slice(at + 1))
  }

  /** @param {Message[]} messages */
  #apply(messages) {
    const window = this.#window
    const at = window === null ? -1 : messages.findIndex(({ info }) => info.id === window.keptFrom)
    const [first] = messages
    // Nothing is gained where only the summary of opencode itself stands before it.
    if (window === null || first === undefined || at < 1 || messages.slice(0, at).every(isOfCompaction)) return
    messages.splice(0, at, summaryMessage(first, window.text))
  }
}

/** @param {readonly Message[]} messages */
const idsOf = (messages) => messages.map(({ info }) => info.id)

/** @param {Message} message */
const isOfCompaction = ({ info, parts }) => info.summary === true || parts.some(({ type }) => type === 'compaction')

/** @param {readonly Message[]} messages */
const estimate = (messages) =>
  messages.reduce((sum, { parts }) => sum + Math.ceil(JSON.stringify(parts).length / CHARS_PER_TOKEN), 0)

/**
 * The first message that is kept: that of a person, if one stands among those that fit.
 * @param {readonly Message[]} messages
 * @param {number} tokens
 */
function firstKept(messages, tokens) {
  let from = messages.length - 1
  for (let sum = estimate(messages.slice(from)); from > 0; from -= 1) {
    sum += estimate(messages.slice(from - 1, from))
    if (sum > tokens) break
  }
  const said = messages.findIndex(({ info }, at) => at >= from && info.role === 'user')
  return messages[said < 0 ? from : said]?.info.id ?? ''
}

/**
 * What opencode sends as said by the person, and never stores.
 * @param {Message} first
 * @param {string} text
 * @returns {Message}
 */
function summaryMessage({ info }, text) {
  const { sessionID, time, agent, model } = info
  const id = 'msg_lcm'
  return {
    info: { id, role: 'user', sessionID, time, agent, model },
    parts: [{ id: 'prt_lcm', messageID: id, sessionID, type: 'text', text, synthetic: true }],
  }
}
