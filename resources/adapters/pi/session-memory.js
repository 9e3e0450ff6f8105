import { existsSync, mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compactBefore, takeBack } from '../shared/compacted-window.js'
import { codeOf, unless } from '../shared/failures.js'

/**
 * @typedef {import('#core/doors/library/api.ts').Lcm} Lcm
 * @typedef {typeof import('#core/doors/library/api.ts').openLcm} OpenLcm
 * @typedef {import('./pi.d.ts').Compaction} Compaction
 * @typedef {import('./pi.d.ts').Context} Context
 * @typedef {import('./pi.d.ts').Entry} Entry
 * @typedef {import('./settings.js').Settings} Settings
 */

const LIBRARY = join(dirname(fileURLToPath(import.meta.url)), '../../../out/main/library.js')
/** The SQLite binding ends the process of an older Node instead of failing. */
const OLDEST_NODE = 24
/** The importer of Pi's session files has the same name, so that both meet the same conversations. */
const AGENT = 'pi'
const SPOKEN = new Set(['message', 'custom_message', 'branch_summary'])
const ALL_TOKENS = 100_000_000

/** Opens the memory of a project. It throws where the library cannot run. */
export async function openMemory(/** @type {Settings} */ settings) {
  if (Number(process.versions.node?.split('.')[0] ?? 0) < OLDEST_NODE || 'bun' in process.versions)
    throw new Error(`it needs Node ${OLDEST_NODE} or newer, and Pi runs on ${process.release.name} ${process.version}`)
  // Pi loads its extensions with a compiler of its own, which would go through the whole library. `require` does not.
  const { openLcm } = /** @type {{ openLcm: OpenLcm }} */ (createRequire(import.meta.url)(LIBRARY))
  mkdirSync(dirname(settings.path), { recursive: true })
  const { path, summarizer, compaction } = settings
  return openLcm(path, { create: true, agent: AGENT, summarizer, compaction })
}

/** Keeps the memory of one session of Pi in step with it. What it does, it does one after another. */
export class SessionMemory {
  /** @type {Promise<unknown>} */
  #last = Promise.resolve()
  /** How many entries of the session are stored. Null while the session has to be imported. @type {number | null} */
  #stored = null
  /** How many entries the session had when the person went back in it. @type {number | null} */
  #rewoundAt = null
  /** The runs of a compaction that Pi was given and has not written down yet. @type {readonly string[]} */
  #offered = []
  /** @type {number | null} */
  conversationId = null
  messages = 0

  /**
   * @param {Lcm} lcm
   * @param {Settings} settings
   * @param {Context['sessionManager']} session
   * @param {string} cwd
   */
  constructor(lcm, settings, session, cwd) {
    this.lcm = lcm
    this.settings = settings
    this.session = session
    this.cwd = cwd
  }

  /**
   * Runs `work` after everything that was begun before.
   * @template T
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  inTurn(work) {
    const done = this.#last.then(work)
    this.#last = done.catch(() => undefined)
    return done
  }

  /** Stores what the session has and the memory has not. */
  ingest() {
    return this.inTurn(() => this.#ingest())
  }

  /**
   * The person went to another place of the session. Its file says which branch was given up only when something was
   * said on the new one. Then it is read again as a whole.
   */
  rewound() {
    this.#rewoundAt = this.session.getEntries().length
  }

  async #ingest() {
    const entries = this.session.getEntries()
    if (this.#rewoundAt !== null && entries.slice(this.#rewoundAt).some(({ type }) => SPOKEN.has(type))) {
      this.#rewoundAt = null
      this.#stored = null
    }
    if (this.#stored === null && !(await this.#import(entries))) return
    const fresh = entries.slice(this.#stored ?? 0).filter(({ type }) => SPOKEN.has(type))
    if (fresh.length > 0) {
      const sessionId = this.session.getSessionId()
      try {
        const answer = await this.lcm.ingest({ sessionId, project: this.cwd, entries: [...fresh] })
        this.conversationId = answer.conversationId
        this.messages += answer.added
      } catch (error) {
        if (codeOf(error) !== 'message_conflict') throw error
        // The importer keeps what is stored, counts the others as conflicts, and stores the rest.
        this.#stored = null
        await this.#import(entries)
      }
    }
    this.#stored = entries.length
  }

  /**
   * Imports the file of the session: it knows branches, forks, and what Pi compacted without us.
   * @param {readonly Entry[]} entries
   * @returns {Promise<boolean>} false when the session has to wait for its file
   */
  async #import(entries) {
    const file = this.session.getSessionFile()
    if (file === undefined || !existsSync(file)) {
      // Pi writes the file of a new session with the first answer. That of a fork says what is copied.
      if (file !== undefined && this.session.getHeader()?.parentSession !== undefined) return false
      this.#stored = 0
      return true
    }
    await this.#takeBackGivenUp(entries)
    const { files } = await this.lcm.job({ kind: 'import', paths: [file], format: AGENT })
    const [imported] = files
    this.conversationId = imported?.conversationId ?? this.conversationId
    this.messages = await this.#count()
    this.#stored = entries.length
    return true
  }

  async #count() {
    if (this.conversationId === null) return 0
    return (await this.lcm.status({ conversationId: this.conversationId })).messages
  }

  /** Takes compactions back that are on no branch that Pi sends. @param {readonly Entry[]} entries */
  async #takeBackGivenUp(entries) {
    const live = new Set(this.session.getBranch().map(({ id }) => id))
    const runs = entries.filter(({ id }) => !live.has(id)).flatMap((entry) => ownCompaction(entry)?.runs ?? [])
    if (runs.length === 0) return
    const stored = await unless(['not_found'], () => this.lcm.status({ sessionId: this.session.getSessionId() }))
    if (stored !== undefined) await takeBack(this.lcm, stored.conversationId, ({ runId }) => runs.includes(runId))
  }

  /**
   * Compacts everything before an entry, and returns what Pi is to send in its place. Null leaves the compaction to Pi.
   * @param {{ readonly branch: readonly Entry[], readonly firstKeptEntryId: string, readonly tokensBefore: number,
   *   readonly windowTokens: number | undefined }} asked
   * @param {AbortSignal} signal
   * @returns {Promise<Compaction | null>}
   */
  compact(asked, signal) {
    return this.inTurn(() => this.#compact(asked, signal))
  }

  /**
   * @param {Parameters<SessionMemory['compact']>[0]} asked
   * @param {AbortSignal} signal
   * @returns {Promise<Compaction | null>}
   */
  async #compact({ branch, firstKeptEntryId, tokensBefore, windowTokens }, signal) {
    await this.#ingest()
    const { conversationId } = this
    // Until something is said after a rewind, the memory does not know which branch was left.
    if (conversationId === null || this.#rewoundAt !== null) return null
    const summaryTokens = Math.min(this.settings.summaryTokens, Math.floor((windowTokens ?? ALL_TOKENS) * 0.3))
    // Pi asks only when it is due: however few messages there are, they have to go.
    const { minMessagesToCompact = 1 } = this.settings.compaction
    const sentIds = branch.map(({ id }) => id)
    const latest = branch.findLast(ownCompaction)
    const lastSummaries = latest && ownCompaction(latest)?.summaries
    const asked = { conversationId, sentIds, firstKeptId: firstKeptEntryId, summaryTokens, minMessagesToCompact }
    const compacted = await compactBefore(this.lcm, { ...asked, lastSummaries }, signal)
    if (compacted === null) return null
    const { text, keptFrom, summaries, runs } = compacted
    this.#offered = runs
    return { summary: text, firstKeptEntryId: keptFrom, tokensBefore, details: { lcm: { runs, summaries } } }
  }

  /**
   * Takes back what Pi was given when it wrote down nothing, or a compaction of somebody else.
   * @param {Entry | undefined} written
   */
  compactionEnded(written) {
    return this.inTurn(async () => {
      const offered = this.#offered
      this.#offered = []
      const { conversationId } = this
      const isOurs = written !== undefined && String(ownCompaction(written)?.runs) === String(offered)
      if (conversationId === null || offered.length === 0 || isOurs) return
      await takeBack(this.lcm, conversationId, ({ runId }) => offered.includes(runId))
    })
  }

  async close() {
    await this.inTurn(() => this.lcm.close())
  }
}

/**
 * What a compaction entry says of its summaries when this adapter wrote it.
 * @param {Entry} entry
 * @returns {import('./pi.d.ts').OwnCompaction | undefined}
 */
function ownCompaction({ type, details }) {
  const { lcm } = /** @type {Partial<Compaction['details']>} */ (details ?? {})
  return type === 'compaction' && Array.isArray(lcm?.runs) ? lcm : undefined
}
