import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * @typedef {import('./pi.d.ts').Context} Context
 * @typedef {import('./session-memory.js').SessionMemory} SessionMemory
 */

const PROGRAM = join(dirname(fileURLToPath(import.meta.url)), '../../../bin/lcm.mjs')
const WORDS = ['stats', 'tree', 'compact', 'open']
/** A tree shows at most so many summaries. */
const MOST_NODES = 200

/**
 * The command `/lcm`.
 * @param {(ctx: Context, work: (memory: SessionMemory) => Promise<void>) => Promise<void>} withMemory
 * @returns {Parameters<import('./pi.d.ts').Pi['registerCommand']>[1]}
 */
export const lcmCommand = (withMemory) => ({
  description: 'The memory of this project: stats, tree, compact, open',
  getArgumentCompletions: (prefix) => {
    const fitting = WORDS.filter((word) => word.startsWith(prefix))
    return fitting.length === 0 ? null : fitting.map((word) => ({ value: word, label: word }))
  },
  handler: (args, ctx) =>
    withMemory(ctx, async (memory) => {
      await memory.ingest()
      ctx.ui.notify(await answerTo(args.trim() || 'stats', memory, ctx), 'info')
    }),
})

/**
 * @param {string} word
 * @param {SessionMemory} memory
 * @param {Context} ctx
 * @returns {Promise<string>}
 */
async function answerTo(word, memory, ctx) {
  const { conversationId, lcm, settings } = memory
  if (word === 'open') {
    const child = spawn(process.execPath, [PROGRAM, 'open', settings.path], { detached: true, stdio: 'ignore' })
    await once(child, 'spawn')
    child.unref()
    return `Opening ${settings.path}`
  }
  if (word === 'compact') {
    ctx.compact()
    return 'Compacting'
  }
  if (word !== 'stats' && word !== 'tree') return `There is no /lcm ${word}. There are ${WORDS.join(', ')}.`
  if (conversationId === null) return 'Nothing of this session is stored yet.'
  const { items, tokens } = await lcm.call('context.assemble', { conversationId })
  const summaries = items.filter(({ kind }) => kind === 'leaf' || kind === 'condensed')
  if (word === 'tree')
    return (
      (
        await treeOf(
          memory,
          summaries.map(({ id }) => id),
        )
      ).join('\n') || 'No summaries yet.'
    )
  const { messages } = await lcm.status({ conversationId })
  const covered = summaries.reduce((sum, item) => sum + item.messages, 0)
  return [
    `${messages} messages are stored. In the window: ${items.length - summaries.length} messages and ${summaries.length} summaries of ${covered} more, ${tokens.toLocaleString('en')} tokens.`,
    `${settings.path}, ${Math.ceil(statSync(settings.path).size / 1024).toLocaleString('en')} KB`,
  ].join('\n')
}

/**
 * @param {SessionMemory} memory
 * @param {readonly string[]} roots
 * @returns {Promise<string[]>}
 */
async function treeOf({ lcm }, roots) {
  /** @type {string[]} */
  const lines = []
  const left = roots.map((id) => ({ id, indent: '' })).toReversed()
  while (left.length > 0 && lines.length < MOST_NODES) {
    const { id, indent } = /** @type {{ id: string, indent: string }} */ (left.pop())
    const node = await lcm.describe(id, { contentChars: 80 })
    lines.push(`${indent}${id} ${node.kind}, ${node.sources.length} sources: ${node.content.replace(/\s+/g, ' ')}`)
    if (node.kind !== 'condensed') continue
    left.push(...node.sources.map((source) => ({ id: source, indent: `${indent}  ` })).toReversed())
  }
  return left.length > 0 ? [...lines, `and ${left.length} more`] : lines
}
