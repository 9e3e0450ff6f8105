import { createHash } from 'node:crypto'
import { homedir } from 'node:os'
import { join } from 'node:path'

/**
 * @typedef {object} Settings
 * @property {boolean} isEnabled
 * @property {string} path The memory of the project, or of all.
 * @property {number} summaryTokens The most that a compaction puts before the messages that are kept.
 * @property {string} summarizer Who writes summaries: `deterministic`, a configured provider, or `chain`.
 * @property {Record<string, number>} compaction Values before the configured ones.
 */

/** The names of pi-lcm, and those of the library. */
const COMPACTION = {
  leafChunkTokens: 'leafChunkTokens',
  leafPassConcurrency: 'leafConcurrency',
  condensationThreshold: 'condensedMinFanout',
  maxDepth: 'maxDepth',
  minMessagesForCompaction: 'minMessagesToCompact',
}

/**
 * Reads the section `lcm` of Pi's settings, as pi-lcm has it. A variable that is not empty comes before it.
 * @param {string} cwd
 * @param {unknown} given the settings of the person and of the project, as Pi has merged them
 * @param {string} [memoryOfAll] the memory of all projects, where no folder is named for those of each
 * @returns {Settings}
 */
export function settingsOf(cwd, given, memoryOfAll) {
  const folder = process.env.PI_CODING_AGENT_DIR || join(homedir(), '.pi', 'agent')
  const own = isObject(given) && isObject(given.lcm) ? given.lcm : {}
  const named = process.env.LCM_DB_DIR || (typeof own.dbDir === 'string' ? own.dbDir : '')
  const dbDir = named || join(folder, 'lcm')
  // pi-lcm has a file of its own format there, named by the same digits.
  const name = `lcm-${createHash('sha256').update(cwd).digest('hex').slice(0, 16)}.db`
  return {
    isEnabled: own.enabled !== false && !/^(?:0|false|no|off)$/i.test(process.env.LCM_ENABLED ?? ''),
    path:
      named === '' && memoryOfAll !== undefined ? memoryOfAll : join(dbDir.replace(/^~(?=[\\/]|$)/, homedir()), name),
    summaryTokens: wholeNumber(own.maxSummaryTokens) ?? 8_000,
    summarizer: typeof own.summarizer === 'string' ? own.summarizer : 'deterministic',
    compaction: Object.fromEntries(
      Object.entries(COMPACTION).flatMap(([theirs, ours]) => {
        const value = wholeNumber(own[theirs])
        return value === null ? [] : [[ours, value]]
      }),
    ),
  }
}

/**
 * @param {unknown} value
 * @returns {number | null}
 */
const wholeNumber = (value) => (typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null)

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
