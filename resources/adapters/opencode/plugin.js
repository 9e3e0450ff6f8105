import { readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { startEngine } from '../shared/engine.js'
import { telling } from '../shared/failures.js'
import { PREAMBLE, TOOLS } from '../shared/preamble.js'
import { SessionWindow } from '../shared/session-window.js'

/**
 * @typedef {import('./opencode.d.ts').Client} Client
 * @typedef {import('./opencode.d.ts').Hooks} Hooks
 * @typedef {import('./opencode.d.ts').Limit} Limit
 * @typedef {import('./opencode.d.ts').Message} Message
 */

const AGENT = 'opencode'
/** After these events something of a session is in opencode's database that was not there before. */
const ENDS = new Set(['session.idle', 'session.compacted', 'session.error'])
/** opencode leaves so much for an answer, whatever more the model may give. */
const MOST_ANSWER_TOKENS = 32_000

/**
 * The memory of LCM Inspector in opencode (docs/hosts/opencode.md, docs/decisions/0038-opencode-and-openclaw.md).
 * opencode runs its plugins in a program of its own, where the library cannot be loaded, so an engine does the work. What
 * fails is said once, and leaves opencode as it is.
 * @param {{ readonly node: string, readonly cli: string, readonly memory: string, readonly summarizer?: string }} given
 */
export function connect(given) {
  return async (/** @type {{ readonly client: Client }} */ { client }) => {
    const memory = startEngine({ ...given, agent: AGENT })
    /** @type {Map<string, SessionWindow>} */
    const sessions = new Map()
    /** Of the models of the last requests, by session. @type {Map<string, Limit>} */
    const limits = new Map()
    /** Sessions of which the next request asks for a summary by opencode itself. @type {Set<string>} */
    const compacting = new Set()
    const caught = telling('opencode', (/** @type {string} */ text) => {
      // Neither has to be there: `opencode run` has no window.
      void Promise.resolve(client.app?.log({ body: { service: 'lcm', level: 'warn', message: text } })).catch(() => {})
      void Promise.resolve(client.tui?.showToast({ body: { message: text, variant: 'warning' } })).catch(() => {})
    })

    /** @param {string} sessionId */
    const sessionOf = (sessionId) => {
      const session = sessions.get(sessionId) ?? new SessionWindow({ memory, sessionId, agent: AGENT, database })
      sessions.set(sessionId, session)
      return session
    }

    // Nobody waits for the engine before the first request.
    const described = caught(() => memory.call('tools.list', undefined))

    /** @type {Hooks} */
    const hooks = {
      tool: Object.fromEntries(
        TOOLS.map((name) => [
          name,
          {
            description: name,
            args: {},
            execute: async (input, { abort }) =>
              JSON.stringify(await memory.call('tools.call', { name, arguments: input }, { signal: abort })),
          },
        ]),
      ),

      // opencode takes every argument that a plugin describes as one that has to be given. Here it takes a schema.
      'tool.definition': async ({ toolID }, output) => {
        const tool = (await described)?.find(({ name }) => name === toolID)
        if (tool) Object.assign(output, { description: tool.description, jsonSchema: tool.inputSchema })
      },

      event: async ({ event: { type, properties } }) => {
        const id = properties?.sessionID
        if (typeof id !== 'string') return
        if (type === 'message.removed' || (type === 'session.updated' && properties.info?.revert))
          sessions.get(id)?.historyChanged()
        if (ENDS.has(type)) void caught(() => sessionOf(id).store())
      },

      'experimental.chat.messages.transform': async (_, { messages }) => {
        const [first] = messages
        if (first === undefined) return
        const { sessionID } = first.info
        const asked = { usableTokens: usableOf(limits.get(sessionID)), mayCompact: !compacting.delete(sessionID) }
        const shortened = await caught(() => sessionOf(sessionID).shorten(async () => messages.map(sentOf), asked))
        if (shortened) messages.splice(0, shortened.from, summaryMessage(first, shortened.text))
      },

      'experimental.chat.system.transform': async ({ sessionID, model }, { system }) => {
        if (sessionID === undefined) return
        limits.set(sessionID, model.limit)
        if ((await described) !== undefined) system.push(PREAMBLE)
      },

      'experimental.session.compacting': async ({ sessionID }, { context }) => {
        compacting.add(sessionID)
        const text = sessionOf(sessionID).summaries()
        if (text !== null) context.push(text)
      },

      dispose: async () => {
        await caught(() => Promise.all([...sessions.values()].map((session) => session.store())))
        await memory.close()
      },
    }
    return hooks
  }
}

/** How many tokens fit before an answer. Null until the first request has said it. @param {Limit | undefined} limit */
const usableOf = (limit) =>
  limit === undefined || limit.context <= 0
    ? null
    : (limit.input ?? limit.context) - Math.min(limit.output, MOST_ANSWER_TOKENS)

/** @param {Message} message */
function sentOf({ info, parts }) {
  const { input = 0, output = 0, reasoning = 0, cache = { read: 0, write: 0 } } = info.tokens ?? {}
  return {
    id: info.id,
    isOfPerson: info.role === 'user',
    usedTokens: output > 0 ? input + output + reasoning + cache.read + cache.write : null,
    chars: JSON.stringify(parts).length,
    isOfCompaction: info.summary === true || parts.some(({ type }) => type === 'compaction'),
  }
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

/** Where opencode keeps its sessions. It has a file of its own for each channel in which it is released. */
function database() {
  const { OPENCODE_DB: named, XDG_DATA_HOME } = process.env
  const folder = join(XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'opencode')
  if (named) return isAbsolute(named) ? named : join(folder, named)
  const files = readdirSync(folder).filter((name) => /^opencode[^/\\]*\.db$/.test(name))
  const changed = (/** @type {string} */ name) =>
    Math.max(...['', '-wal'].map((end) => statSync(join(folder, name + end), { throwIfNoEntry: false })?.mtimeMs ?? 0))
  const [newest] = files.toSorted((a, b) => changed(b) - changed(a))
  return join(folder, newest ?? 'opencode.db')
}
