import { readFileSync } from 'node:fs'
import { startEngine } from '../shared/engine.js'
import { telling } from '../shared/failures.js'
import { PREAMBLE } from '../shared/preamble.js'
import { AGENT, OpenClawSession } from './openclaw-session.js'

/**
 * @typedef {import('./openclaw.d.ts').Api} Api
 * @typedef {import('./openclaw.d.ts').ContextEngine} ContextEngine
 * @typedef {import('../shared/engine.js').Memory} Memory
 */

/** The plugin and its engine have the same id: OpenClaw refuses an engine that says another one of itself. */
const ID = 'lcm-inspector'

/**
 * What the tools of the library are, because OpenClaw asks before it runs anything (`test/hosts/openclaw`).
 * @type {readonly { name: string, title: string, description: string, inputSchema: object }[]}
 */
const TOOLS = JSON.parse(readFileSync(new URL('tools.json', import.meta.url), 'utf8'))

/** OpenClaw makes an engine for each turn. They share the process that holds the memory, and what is known of sessions. */
/** @type {Memory | null} */
let opened = null
/** @type {Map<string, OpenClawSession>} */
const sessions = new Map()

/** Ends the process that holds the memory, if there is one. */
async function closeMemory() {
  const closing = opened
  opened = null
  sessions.clear()
  await closing?.close()
}

/**
 * The memory of LCM Inspector as the context engine of OpenClaw (docs/hosts/openclaw.md,
 * docs/decisions/0038-opencode-and-openclaw.md). Where it fails, OpenClaw goes on with all messages as they are.
 * @param {Api} api
 */
export default function register(api) {
  const caught = telling('OpenClaw', (/** @type {string} */ text) => api.logger.warn(text))
  const memory = () => {
    opened ??= startEngine({ ...api.pluginConfig, agent: AGENT })
    return opened
  }

  for (const { name, title, description, inputSchema } of TOOLS)
    api.registerTool({
      ...{ name, label: title, description, parameters: inputSchema },
      async execute(_, input, signal) {
        const answer = await memory().call('tools.call', { name, arguments: input }, signal ? { signal } : {})
        return { content: [{ type: 'text', text: JSON.stringify(answer) }], details: {} }
      },
    })

  api.registerService({ id: ID, start: () => undefined, stop: closeMemory })

  api.registerContextEngine(ID, ({ agentDir }) => {
    /** @param {string} id */
    const sessionOf = (id) => {
      const session = sessions.get(id) ?? new OpenClawSession(memory(), id, agentDir ?? '')
      sessions.set(id, session)
      return session
    }
    /** @type {ContextEngine} */
    const engine = {
      info: {
        ...{ id: ID, name: 'LCM Inspector', ownsCompaction: true, acceptedHostParams: [] },
        transcriptSemantics: {
          currentTurnFence: 'before-current-turn-entry-v1',
          turnAdvancementIdempotency: 'atomic-idempotent-v1',
        },
      },
      async bootstrap({ sessionId }) {
        const isStored = await caught(() => sessionOf(sessionId).store())
        return { bootstrapped: isStored !== undefined }
      },
      async ingest({ sessionId }) {
        return { ingested: (await caught(() => sessionOf(sessionId).store())) !== undefined }
      },
      async assemble({ sessionId, messages, tokenBudget }) {
        const shortened = await caught(() => sessionOf(sessionId).assemble(messages, tokenBudget ?? null))
        return shortened ? { ...shortened, systemPromptAddition: PREAMBLE } : { messages, estimatedTokens: 0 }
      },
      async compact({ sessionId, tokenBudget, abortSignal }) {
        const done = await caught(() => sessionOf(sessionId).compact(tokenBudget ?? null, abortSignal))
        return done ?? { ok: false, compacted: false, reason: 'the memory could not compact' }
      },
      // Storing a turn again adds nothing, so a turn that was stored before is committed as well.
      async commitTurn({ sessionId }) {
        await sessionOf(sessionId).store()
        return { status: 'committed' }
      },
      async dispose() {},
    }
    return engine
  })
}
