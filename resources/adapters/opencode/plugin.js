import { readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { codeOf } from '../shared/compacted-window.js'
import { startEngine } from '../shared/engine.js'
import { SessionWindow } from './session-window.js'

/**
 * @typedef {import('./opencode.d.ts').Client} Client
 * @typedef {import('./opencode.d.ts').Hooks} Hooks
 */

/** What of the tools of the library the model is offered. */
const TOOLS = ['lcm_grep', 'lcm_describe', 'lcm_expand']
/** After these events something of a session is in opencode's database that was not there before. */
const ENDS = new Set(['session.idle', 'session.compacted', 'session.error'])

/** It never changes, so that prompts with it stay cached. */
const PREAMBLE = `Everything said in this session is kept in a memory, also what a compaction took out of the conversation. When something from earlier is missing or unclear, look it up instead of guessing: lcm_grep searches messages and summaries, lcm_expand opens a summary by its id, lcm_describe reads one id or gives an overview.`

/**
 * The memory of LCM Inspector in opencode (docs/hosts/opencode.md, docs/decisions/0038-opencode.md). opencode runs its
 * plugins in a program of its own, where the library cannot be loaded, so an engine does the work. What fails is said
 * once, and leaves opencode as it is.
 * @param {{ readonly node: string, readonly cli: string, readonly memory: string, readonly summarizer?: string }} given
 */
export function connect(given) {
  return async (/** @type {{ readonly client: Client }} */ { client }) => {
    const memory = startEngine({ ...given, agent: 'opencode' })
    /** @type {Map<string, SessionWindow>} */
    const sessions = new Map()
    /** Sessions of which the next request asks for a summary by opencode itself. @type {Set<string>} */
    const compacting = new Set()
    const said = new Set()

    /** Says a failure once. @param {unknown} error */
    const say = (error) => {
      const message = error instanceof Error ? error.message : String(error)
      const key = codeOf(error) ?? message
      if (said.has(key)) return
      said.add(key)
      const text = `LCM memory: ${message.replace(/\.$/, '')}. opencode goes on without it.`
      // Neither has to be there: `opencode run` has no window.
      void Promise.resolve(client.app?.log({ body: { service: 'lcm', level: 'warn', message: text } })).catch(() => {})
      void Promise.resolve(client.tui?.showToast({ body: { message: text, variant: 'warning' } })).catch(() => {})
    }

    /**
     * @template T
     * @param {() => Promise<T>} work
     * @returns {Promise<T | undefined>}
     */
    const caught = async (work) => {
      try {
        return await work()
      } catch (error) {
        say(error)
        return undefined
      }
    }

    /** @param {string} id */
    const sessionOf = (id) => {
      const known = sessions.get(id)
      if (known) return known
      const session = new SessionWindow({ memory, database, sessionId: id })
      sessions.set(id, session)
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
        const id = messages[0]?.info.sessionID
        if (id === undefined) return
        const isCompacting = compacting.delete(id)
        await caught(() => sessionOf(id).shorten(messages, { isCompacting }))
      },

      'experimental.chat.system.transform': async ({ sessionID, model }, { system }) => {
        if (sessionID === undefined) return
        sessionOf(sessionID).limit = model.limit
        if ((await described) !== undefined) system.push(PREAMBLE)
      },

      'experimental.session.compacting': async ({ sessionID }, { context }) => {
        compacting.add(sessionID)
        await caught(async () => {
          const text = await sessionOf(sessionID).summaries()
          if (text !== null) context.push(text)
        })
      },

      dispose: async () => {
        await caught(() => Promise.all([...sessions.values()].map((session) => session.store())))
        await memory.close()
      },
    }
    return hooks
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
