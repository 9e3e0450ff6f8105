import { unless } from './failures.js'

/**
 * @typedef {import('#core/doors/library/api.ts').Lcm} Lcm
 * @typedef {Awaited<ReturnType<Lcm['assemble']>>} Window
 * @typedef {Pick<Lcm, 'call' | 'compact' | 'assemble' | 'stored' | 'recall' | 'job'>} Memory
 * @typedef {{ readonly runId: string }} Run
 *
 * What stands in the place of the messages that left: `text` is sent before the message `keptFrom`.
 * @typedef {{ readonly text: string, readonly keptFrom: string, readonly summaries: readonly string[] }} CompactedWindow
 */

const ALL_TOKENS = 100_000_000
/** More messages than a window holds. */
const MOST_KEPT = 20_000

/** Of so many messages, and of so much of each, the text is read to find a message of a host again. */
const MOST_COMPARED = 200
const MOST_COMPARED_CHARS = 4_000

/** What left the window and stands in no summary takes at most so much, beside the summaries. */
const LEFT_TOKENS = 1_500

const HEADING = `The conversation before this point is stored whole in a memory. These are its summaries, from the oldest to the newest.
Look details up instead of guessing: lcm_grep searches everything that was said, lcm_expand opens a summary by its id, lcm_describe reads one message or summary.`

/**
 * Compacts everything before a message of the host. A compaction that leads to nothing the host can send is taken back,
 * because the host compacts by itself then, and that is stored, too.
 * @param {Memory} lcm
 * @param {{ readonly conversationId: number, readonly sentIds: readonly string[], readonly firstKeptId: string,
 *   readonly summaryTokens: number, readonly minMessagesToCompact: number,
 *   readonly lastSummaries: readonly string[] | undefined }} asked `sentIds` are the host's messages in their order;
 *   `summaryTokens` is the most that summaries take; `lastSummaries` are those that the host sends already
 * @param {AbortSignal} [signal]
 * @returns {Promise<(CompactedWindow & { readonly runs: readonly string[] }) | null>} null when nothing became smaller
 */
export async function compactBefore(lcm, asked, signal) {
  const { conversationId, sentIds, firstKeptId, summaryTokens, minMessagesToCompact, lastSummaries } = asked
  const options = signal ? { signal } : {}
  const first = sentIds.indexOf(firstKeptId)
  const externalIds = await externalIdsOf(lcm, conversationId, options)
  const { items } = await lcm.call('context.assemble', { conversationId, budgetTokens: ALL_TOKENS }, options)
  const kept = new Set(first < 0 ? [] : sentIds.slice(first))
  const from = items.findIndex((item) => isSent(item) && kept.has(externalIds.get(item.id) ?? ''))
  if (from < 0) return null
  const freshTailCount = items.slice(from).filter(isSent).length
  const isSystem = systemOf(items)
  const others = items.filter((item, at) => isSent(item) && (at >= from || isSystem.has(item.id)))
  const budgetTokens = others.reduce((sum, { tokens }) => sum + tokens, summaryTokens)
  const before = new Set((await standingRuns(lcm, conversationId)).map(({ runId }) => runId))
  let compacted = null
  try {
    const settings = { freshTailCount, minMessagesToCompact }
    const { runId } = await lcm.compact({ conversationId, settings }, options)
    const window = await lcm.assemble({ conversationId, budgetTokens, freshTailCount }, options)
    const answer = compactedWindow(window, { externalIds, sentIds, isSystem })
    const isNew = runId !== null || String(answer?.summaries) !== String(lastSummaries)
    if (answer !== null && isNew) {
      const text = await withLeft(lcm, conversationId, answer.text, options)
      compacted = { ...answer, text, runs: runId === null ? [] : [runId] }
    }
  } finally {
    if (compacted === null) await takeBack(lcm, conversationId, ({ runId }) => !before.has(runId))
  }
  return compacted
}

/**
 * What stands in the place of messages that left before, by compactions of this program. Null when there is none.
 * @param {Memory} lcm
 * @param {{ readonly conversationId: number, readonly sentIds: readonly string[], readonly summaryTokens: number }} asked
 * @returns {Promise<CompactedWindow | null>}
 */
export async function standingWindow(lcm, asked) {
  const standing = await summariesStanding(lcm, asked)
  return standing && { ...standing, text: await withLeft(lcm, asked.conversationId, standing.text, {}) }
}

/**
 * The same, with the summaries alone.
 * @param {Memory} lcm
 * @param {Parameters<typeof standingWindow>[1]} asked
 * @returns {Promise<CompactedWindow | null>}
 */
export async function summariesStanding(lcm, { conversationId, sentIds, summaryTokens }) {
  if ((await standingRuns(lcm, conversationId)).length === 0) return null
  const externalIds = await externalIdsOf(lcm, conversationId, {})
  const { items } = await lcm.call('context.assemble', { conversationId, budgetTokens: ALL_TOKENS })
  const isSystem = systemOf(items)
  const rest = items.filter(isSent)
  const budgetTokens = rest.reduce((sum, { tokens }) => sum + tokens, summaryTokens)
  const freshTailCount = rest.filter(({ id }) => !isSystem.has(id)).length
  const window = await lcm.assemble({ conversationId, budgetTokens, freshTailCount })
  return compactedWindow(window, { externalIds, sentIds, isSystem })
}

/**
 * Adds what left the window and stands in no summary, what is pinned first.
 * @param {Memory} lcm
 * @param {number} conversationId
 * @param {string} text
 * @param {{ readonly signal?: AbortSignal }} options
 */
async function withLeft(lcm, conversationId, text, options) {
  const left = await lcm.recall({ conversationId, tokenCap: LEFT_TOKENS }, options)
  return left.text === '' ? text : `${text}\n\n${left.text}`
}

/**
 * The compactions of this program that still stand, newest first.
 * @param {Pick<Memory, 'call'>} lcm
 * @param {number} conversationId
 * @returns {Promise<Run[]>}
 */
export async function standingRuns(lcm, conversationId) {
  const runs = await lcm.call('compaction.runs', { conversationId })
  return runs.filter(({ owner, stopReason }) => owner !== 'import' && stopReason !== 'undone')
}

/**
 * Takes compactions back, from the newest on. One that something was built on since stays.
 * @param {Memory} lcm
 * @param {number} conversationId
 * @param {(run: Run) => boolean} isMeant
 */
export async function takeBack(lcm, conversationId, isMeant) {
  for (const run of await standingRuns(lcm, conversationId)) {
    if (!isMeant(run)) continue
    const { runId } = run
    await unless(['conflict', 'not_found'], () => lcm.job({ kind: 'undo_compaction', conversationId, runId }))
  }
}

/**
 * The host's ids of the newest messages, by ours.
 * @param {Memory} lcm
 * @param {number} conversationId
 * @param {{ readonly signal?: AbortSignal }} options
 * @returns {Promise<ReadonlyMap<unknown, string>>}
 */
async function externalIdsOf(lcm, conversationId, options) {
  const stored = await lcm.stored({ conversationId, limit: MOST_KEPT }, options)
  return new Map(stored.flatMap(({ id, externalId }) => (externalId === null ? [] : [[id, externalId]])))
}

/**
 * Whether a message of the host is among the newest messages of the memory.
 * @param {Memory} lcm
 * @param {number} conversationId
 * @param {string} messageId
 */
export async function isStored(lcm, conversationId, messageId) {
  const externalIds = await externalIdsOf(lcm, conversationId, {})
  return [...externalIds.values()].includes(messageId)
}

/**
 * The messages of a window that are sent, in their order, for a host that does not name its own. `text` begins a message
 * that is among the newest, and is empty for the others.
 * @param {Memory} lcm
 * @param {number} conversationId
 */
export async function sentMessages(lcm, conversationId) {
  const newest = await lcm.stored({ conversationId, limit: MOST_COMPARED, textChars: MOST_COMPARED_CHARS })
  const texts = new Map(newest.map(({ id, text }) => [id, text]))
  const externalIds = await externalIdsOf(lcm, conversationId, {})
  const { items } = await lcm.call('context.assemble', { conversationId, budgetTokens: ALL_TOKENS })
  const isSystem = systemOf(items)
  return items
    .filter((item) => isSent(item) && !isSystem.has(item.id))
    .map(({ id, role, tokens }) => ({
      ...{ externalId: externalIds.get(id) ?? id, role: role ?? '', tokens },
      text: texts.get(id) ?? '',
    }))
}

/** @param {readonly { readonly id: string, readonly role?: string | null }[]} items */
const systemOf = (items) => new Set(items.filter(({ role }) => role === 'system').map(({ id }) => id))

/**
 * A message that the model is sent. Failed answers and branches that were given up stay in the window without that.
 * @param {Pick<Window['items'][number], 'kind' | 'reasonCode'>} item
 */
const isSent = ({ kind, reasonCode }) => kind === 'message' && reasonCode !== 'not_sent'

/** @param {Pick<Window['items'][number], 'kind'>} item */
const isSummary = ({ kind }) => kind === 'leaf' || kind === 'condensed'

/**
 * What a host is to send of a window: the summaries, and from which message on it sends its own. Null when it would gain
 * nothing, or when a message stands between summaries. A fork has such messages of its origin.
 * @param {Window} window
 * @param {{ readonly externalIds: ReadonlyMap<unknown, string>, readonly sentIds: readonly string[],
 *   readonly isSystem: ReadonlySet<string> }} known
 * @returns {CompactedWindow | null}
 */
function compactedWindow({ items, messages }, { externalIds, sentIds, isSystem }) {
  const at = items.findLastIndex(isSummary)
  const isRest = items.slice(0, Math.max(at, 0)).some((item) => isSent(item) && !isSystem.has(item.id))
  const keptFrom = externalIds.get(items.slice(at + 1).find(isSent)?.id)
  if (at < 0 || isRest || keptFrom === undefined || !sentIds.includes(keptFrom)) return null
  const summaries = items.filter(isSummary)
  const shown = summaries.filter(({ included }) => included)
  if (shown.length === 0) return null
  const left = summaries.length - shown.length
  const note = left > 0 ? [`${left} more summaries are left out here; lcm_describe lists them.`] : []
  // Nothing but system messages stands before the summaries, and those are not among the messages.
  const texts = messages.slice(0, shown.length).map(({ content }) => String(content))
  return { text: [HEADING, ...note, ...texts].join('\n\n'), keptFrom, summaries: summaries.map(({ id }) => id) }
}
