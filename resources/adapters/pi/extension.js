import { telling } from '../shared/failures.js'
import { PREAMBLE, TOOLS } from '../shared/preamble.js'
import { lcmCommand } from './lcm-command.js'
import { openMemory, SessionMemory } from './session-memory.js'
import { settingsOf } from './settings.js'

/**
 * @typedef {import('./pi.d.ts').Context} Context
 * @typedef {import('./pi.d.ts').Pi} Pi
 */

/**
 * The memory of LCM Inspector in Pi (docs/hosts/pi.md, docs/decisions/0037-pi.md). What fails in a handler is said once, and leaves Pi as it is.
 * @param {{ readonly memory?: string }} [given] the memory of all projects, where the settings of Pi name no folder
 */
export function connect(given = {}) {
  return (/** @type {Pi} */ pi) => lcm(pi, given.memory)
}

/** With a memory for each project. */
export default connect()

/**
 * @param {Pi} pi
 * @param {string | undefined} memoryOfAll
 */
function lcm(pi, memoryOfAll) {
  /** @type {SessionMemory | null} */
  let memory = null
  let isWaiting = false
  /** Whether the session has its note. */
  let isNoted = false

  const caught = telling('Pi', (text, /** @type {Context} */ ctx) => {
    // When Pi has replaced the session meanwhile, its context refuses every use.
    if (ctx.hasUI) ctx.ui.notify(text, 'warning')
    else process.stderr.write(`${text}\n`)
  })

  /**
   * @template T
   * @param {Context} ctx
   * @param {(memory: SessionMemory) => Promise<T>} work
   * @returns {Promise<T | undefined>}
   */
  const withMemory = (ctx, work) => caught(async () => (memory === null ? undefined : work(memory)), ctx)

  /** @param {Context} ctx */
  const ingest = (ctx) =>
    withMemory(ctx, async (open) => {
      await open.ingest()
      showStatus(ctx, open)
      noteMemory(ctx, open)
    })

  /** Stores in the background what Pi is about to write. @param {Context} ctx */
  const ingestSoon = (ctx) => {
    if (isWaiting) return
    isWaiting = true
    // Pi appends the entry of a message behind its event.
    setImmediate(() => {
      isWaiting = false
      void ingest(ctx)
    })
  }

  /**
   * Notes in the session where its memory is. Nothing of it is sent to the model. A fork has a copy of the note of its
   * origin, and gets its own.
   * @param {Context} ctx
   * @param {SessionMemory} open
   */
  const noteMemory = ({ sessionManager }, { conversationId, settings }) => {
    if (conversationId === null || isNoted) return
    isNoted = true
    const session = sessionManager.getSessionId()
    const isThere = sessionManager
      .getEntries()
      .some(({ type, customType, data }) => type === 'custom' && customType === 'lcm' && data?.session === session)
    if (!isThere) pi.appendEntry('lcm', { memory: settings.path, session })
  }

  pi.on('session_start', (_, ctx) =>
    caught(async () => {
      const settings = settingsOf(ctx.cwd, pi.getSettings(), memoryOfAll)
      if (!settings.isEnabled) return
      const opened = await openMemory(settings)
      memory = new SessionMemory(opened, settings, ctx.sessionManager, ctx.cwd)
      isNoted = false
      for (const tool of await opened.call('tools.list', undefined)) if (TOOLS.includes(tool.name)) offer(tool)
      void ingest(ctx)
    }, ctx),
  )

  /** @param {{ name: string, title: string, description: string, inputSchema: object }} tool */
  const offer = ({ name, title, description, inputSchema }) =>
    pi.registerTool({
      ...{ name, label: title, description, promptSnippet: title, parameters: inputSchema },
      async execute(_, input, signal) {
        if (memory === null) throw new Error('The memory is closed.')
        const answer = await memory.lcm.call('tools.call', { name, arguments: input }, { signal })
        return { content: [{ type: 'text', text: JSON.stringify(answer) }], details: undefined }
      },
    })

  pi.on('message_end', (_, ctx) => ingestSoon(ctx))
  pi.on('turn_end', (_, ctx) => ingestSoon(ctx))
  pi.on('agent_end', (_, ctx) => ingestSoon(ctx))
  pi.on('session_compact', async ({ compactionEntry }, ctx) => {
    await withMemory(ctx, (open) => open.compactionEnded(compactionEntry))
    ingestSoon(ctx)
  })
  pi.on('session_compact_failed', (_, ctx) => withMemory(ctx, (open) => open.compactionEnded(undefined)))
  pi.on('session_tree', (_, ctx) => withMemory(ctx, async (open) => open.rewound()))

  pi.on('session_shutdown', async (_, ctx) => {
    const open = memory
    // What comes from now on finds no memory, also while the last of it is stored.
    memory = null
    if (open === null) return
    await caught(() => open.ingest(), ctx)
    await caught(() => open.close(), ctx)
  })

  pi.on('before_agent_start', ({ systemPrompt, systemPromptOptions }) => {
    if (memory === null) return undefined
    const sections = systemPromptOptions?.sections
    // A section is compared with what the model has, and sent again only when it has changed.
    if (sections === undefined) return { systemPrompt: `${systemPrompt}\n\n${PREAMBLE}` }
    sections.lcm = PREAMBLE
    return undefined
  })

  pi.on('session_before_compact', async ({ preparation, branchEntries, customInstructions, signal }, ctx) => {
    // What a person asks of a summary, Pi's own summary does.
    if (customInstructions) return undefined
    const { firstKeptEntryId, tokensBefore, settings } = preparation
    const compaction = await withMemory(ctx, (open) => {
      const branch = branchEntries ?? ctx.sessionManager.getBranch()
      // Above this Pi compacts again.
      const windowTokens = ctx.model?.contextWindow && ctx.model.contextWindow - (settings?.reserveTokens ?? 0)
      return open.compact({ branch, firstKeptEntryId, tokensBefore, windowTokens }, signal)
    })
    return compaction ? { compaction } : undefined
  })

  pi.registerCommand('lcm', lcmCommand(withMemory))
}

/**
 * @param {Context} ctx
 * @param {SessionMemory} open
 */
function showStatus(ctx, { messages }) {
  if (ctx.hasUI) ctx.ui.setStatus('lcm', `LCM ${messages.toLocaleString('en')} messages`)
}
