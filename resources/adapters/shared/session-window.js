import {
  compactBefore,
  isStored,
  standingRuns,
  standingWindow,
  summariesStanding,
  takeBack,
} from './compacted-window.js'
import { unless } from './failures.js'

/**
 * @typedef {import('./engine.js').Memory} Memory
 * @typedef {import('./compacted-window.js').CompactedWindow} CompactedWindow
 *
 * A message that a host is about to send. `usedTokens` is what the request and its answer took, where this is the
 * answer, and null otherwise.
 * @typedef {{ readonly id: string, readonly isOfPerson: boolean, readonly usedTokens: number | null,
 *   readonly chars: number, readonly isOfCompaction: boolean }} Sent
 *
 * What is sent: `text` in the place of everything before the message `from`.
 * @typedef {{ readonly from: number, readonly text: string }} Shortened
 */

/** A compaction is due at this part of what fits. Hosts compact by themselves where all of it is full. */
const DUE = 0.8
/** This part of what fits is kept as it was said. */
const KEPT = 0.25
/** Summaries take at most this part of what fits, and this many tokens. */
const SUMMARIES = 0.3
const MOST_SUMMARY_TOKENS = 8_000
const CHARS_PER_TOKEN = 4

/** Keeps the memory of one session in step with it, and its window no longer than it has to be. */
export class SessionWindow {
  /** @type {Memory} */
  #memory
  #sessionId
  #agent
  #database
  /** @type {Promise<unknown>} */
  #last = Promise.resolve()
  /** Null until the session is stored. @type {number | null} */
  conversationId = null
  /** Whether what is known of the window still holds. */
  #isKnown = false
  /** What is sent in the place of messages that left. @type {CompactedWindow | null} */
  #window = null
  /** The newest message at the last compaction. What was measured before it says nothing of the window now. */
  #measuredAfter = ''

  /**
   * @param {{ readonly memory: Memory, readonly sessionId: string, readonly agent: 'opencode' | 'openclaw',
   *   readonly database: () => string }} given `agent` is also the name of the importer of its database, so that both
   *   meet the same conversations
   */
  constructor({ memory, sessionId, agent, database }) {
    this.#memory = memory
    this.#sessionId = sessionId
    this.#agent = agent
    this.#database = database
  }

  /** Something was taken back or removed: nothing that is known of the window holds any more. */
  historyChanged() {
    this.#isKnown = false
  }

  /** Stores what the host has and the memory has not. */
  store() {
    return this.#inTurn(() => this.#import())
  }

  /** The text of the summaries that stand in the window, or null. */
  summaries() {
    return this.#window?.text ?? null
  }

  /**
   * What is sent, after a compaction if one is due. Null for all messages as they are.
   * @param {() => Promise<readonly Sent[]>} messages what the host is about to send, asked for when it is stored
   * @param {{ readonly usableTokens: number | null, readonly mayCompact: boolean }} asked `usableTokens` fit before an
   *   answer, null if that is not known
   * @returns {Promise<Shortened | null>}
   */
  shorten(messages, { usableTokens, mayCompact }) {
    return this.#inTurn(async () => {
      const isFresh = !this.#isKnown
      if (!this.#isKnown) await this.#learn(messages)
      const sent = await messages()
      if (mayCompact && usableTokens !== null && this.#tokensOf(sent) > usableTokens * DUE) {
        if (!isFresh) await this.#import()
        await this.#compact(messages, usableTokens)
      }
      return this.#shortened(sent)
    })
  }

  /**
   * Compacts now.
   * @param {() => Promise<readonly Sent[]>} messages
   * @param {number} usableTokens
   * @param {AbortSignal} [signal]
   * @returns {Promise<boolean>} whether something left the window
   */
  compact(messages, usableTokens, signal) {
    return this.#inTurn(async () => {
      if (this.#isKnown) await this.#import()
      else await this.#learn(messages)
      return this.#compact(messages, usableTokens, signal)
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

  /** The database of the host knows forks, what was taken back, and what the host compacted by itself. */
  async #import() {
    const [paths, sessions] = [[this.#database()], [this.#sessionId]]
    const { files } = await this.#memory.job({ kind: 'import', paths, format: this.#agent, sessions })
    const stored = files[0]?.conversations.find(({ sessionId }) => sessionId === this.#sessionId)
    this.conversationId = stored?.conversationId ?? this.conversationId
  }

  /** Stores what is new, and finds what stands in the window. @param {() => Promise<readonly Sent[]>} messages */
  async #learn(messages) {
    const sessionId = this.#sessionId
    const stored = await unless(['not_found'], () => this.#memory.status({ sessionId }))
    // What is new is not stored yet, so that the window still ends where the person was before.
    if (stored) await this.#takeBackGivenUp(stored.conversationId, await messages())
    await this.#import()
    const conversationId = this.conversationId
    const sentIds = idsOf(await messages())
    this.#window =
      conversationId === null
        ? null
        : await standingWindow(this.#memory, { conversationId, sentIds, summaryTokens: MOST_SUMMARY_TOKENS })
    this.#isKnown = true
  }

  /**
   * Takes compactions back, from the newest on, while the first message behind their summaries is one that the person
   * took back since: then they tell of such messages, too.
   * @param {number} conversationId
   * @param {readonly Sent[]} sent
   */
  async #takeBackGivenUp(conversationId, sent) {
    const [first] = sent
    // After a compaction by the host that is not stored yet, the window begins anew, and nothing was taken back.
    if (first?.isOfCompaction && !(await isStored(this.#memory, conversationId, first.id))) return
    const asked = { conversationId, sentIds: idsOf(sent), summaryTokens: MOST_SUMMARY_TOKENS }
    for (const { runId } of await standingRuns(this.#memory, conversationId)) {
      if ((await summariesStanding(this.#memory, asked)) !== null) return
      await takeBack(this.#memory, conversationId, (run) => run.runId === runId)
    }
  }

  /**
   * Compacts what is stored.
   * @param {() => Promise<readonly Sent[]>} messages
   * @param {number} usableTokens
   * @param {AbortSignal} [signal]
   */
  async #compact(messages, usableTokens, signal) {
    const conversationId = this.conversationId
    const sent = await messages()
    if (conversationId === null || sent.length === 0) return false
    const compacted = await unless(['locked', 'not_found'], () =>
      compactBefore(
        this.#memory,
        {
          conversationId,
          sentIds: idsOf(sent),
          firstKeptId: firstKept(sent, usableTokens * KEPT),
          summaryTokens: Math.min(MOST_SUMMARY_TOKENS, Math.floor(usableTokens * SUMMARIES)),
          minMessagesToCompact: 1,
          lastSummaries: this.#window?.summaries,
        },
        signal,
      ),
    )
    this.#measuredAfter = sent.at(-1)?.id ?? ''
    if (!compacted) return false
    this.#window = compacted
    return true
  }

  /**
   * The size of the next request: that of the last one with its answer, and an estimate of what was said since.
   * @param {readonly Sent[]} sent
   */
  #tokensOf(sent) {
    const at = sent.findLastIndex(({ usedTokens }) => usedTokens !== null && usedTokens > 0)
    if (at < 0 || sent[at]?.isOfCompaction || at <= sent.findIndex(({ id }) => id === this.#measuredAfter)) return 0
    return (sent[at]?.usedTokens ?? 0) + estimate(sent.slice(at + 1))
  }

  /**
   * @param {readonly Sent[]} sent
   * @returns {Shortened | null}
   */
  #shortened(sent) {
    const window = this.#window
    if (window === null) return null
    const from = sent.findIndex(({ id }) => id === window.keptFrom)
    // Nothing is gained where only the summary of the host itself stands before it.
    return from < 1 || sent.slice(0, from).every(({ isOfCompaction }) => isOfCompaction)
      ? null
      : { from, text: window.text }
  }
}

/** @param {readonly Sent[]} sent */
const idsOf = (sent) => sent.map(({ id }) => id)

/** @param {readonly Sent[]} sent */
const estimate = (sent) => sent.reduce((sum, { chars }) => sum + Math.ceil(chars / CHARS_PER_TOKEN), 0)

/**
 * The first message that is kept: that of a person, if one stands among those that fit.
 * @param {readonly Sent[]} sent
 * @param {number} tokens
 */
function firstKept(sent, tokens) {
  let from = sent.length - 1
  for (let sum = estimate(sent.slice(from)); from > 0; from -= 1) {
    sum += estimate(sent.slice(from - 1, from))
    if (sum > tokens) break
  }
  const said = sent.findIndex(({ isOfPerson }, at) => at >= from && isOfPerson)
  return sent[said < 0 ? from : said]?.id ?? ''
}
