import { isNative } from '../../systems/native/native.ts'
import { toCliJson } from './cli-json.ts'
import { conversationOption, type Define, MAX_ID, type Run } from './command.ts'
import { type FileOptions, fileAnswer, isPart, withFileOptions } from './file-answer.ts'
import type { Answer } from './output.ts'
import { integer } from './parse.ts'
import { chooseOrNewest, type MemoryOptions, withMemory } from './session.ts'
import { bytes, count, oneLine, percent, table, treeText } from './text.ts'

/** Adds stats, tree, describe, expand and lineage, which never write. */
export function addReadCommands(define: Define, run: Run): void {
  run(define('stats', 'count what a memory holds'), async (options: MemoryOptions): Promise<Answer> => {
    const { READ_ONLY_BY_CHOICE } = await import('../../systems/open.ts')
    const { lacks, ...stats } = await withMemory(
      options,
      (lcm) => ({
        ...lcm.stats.stats(),
        readOnly: lcm.info.readOnlyReason !== READ_ONLY_BY_CHOICE,
        ...(isNative(lcm.info) && { tokenEstimator: lcm.estimator.name }),
        lacks: lcm.info.lacks ?? [],
      }),
      { readOnly: true },
    )
    const text = (): string =>
      [
        `${stats.path}`,
        `${stats.system}${stats.systemVersion ? ` ${stats.systemVersion}` : ''} · ${bytes(stats.bytes)}${stats.readOnly ? ' · read-only' : ''}${stats.tokenEstimator ? ` · tokens by ${stats.tokenEstimator}` : ''}`,
        `${count(stats.messages)} messages · ${count(stats.messageParts)} parts · ${count(stats.summaries)} summaries · ${count(stats.contextItems)} context items · ${count(stats.largeFiles)} files`,
        `summaries by depth: ${
          Object.entries(stats.summariesByDepth)
            .map(([depth, n]) => `${depth}: ${count(n)}`)
            .join(', ') || 'none'
        }`,
        '',
        table(
          [
            'id',
            'messages',
            'summaries',
            'depth',
            'active items',
            'stored tokens',
            'active tokens',
            'window tokens',
            'pressure',
            'title',
          ],
          stats.perConversation.map((c) => [
            String(c.conversationId),
            c.messages,
            c.summaries,
            c.maxDepth,
            c.contextItems,
            c.storedTokens,
            c.activeTokens,
            c.contextTokens,
            percent(c.pressure),
            `${c.internal ? '(internal) ' : ''}${oneLine(c.title ?? c.sessionId, 60)}`,
          ]),
        ),
        ...(lacks.length > 0 ? ['', 'What this file does not record:', ...lacks.map((what) => `- ${what}`)] : []),
      ].join('\n')
    return { json: stats, text }
  })

  run(
    define('tree', 'the summary DAG from its roots to the messages').addOption(conversationOption()),
    async (options: MemoryOptions & { conversation?: number }): Promise<Answer> => {
      const tree = await withMemory(options, (lcm) => lcm.dag.tree(chooseOrNewest(lcm, options.conversation)), {
        readOnly: true,
      })
      return { json: tree, text: () => treeText(tree.roots, (node) => node.sources ?? []) || 'No summaries.' }
    },
  )

  run(
    withFileOptions(define('describe', 'everything known of a message, summary or file').argument('<id>')),
    async (id: string, options: MemoryOptions & FileOptions): Promise<Answer> => {
      if (isPart(options)) return fileAnswer(id, options)
      const described = await withMemory(options, (lcm) => lcm.retrieval.describe(id, MAX_ID), {
        readOnly: true,
      })
      const { content, ...facts } = described
      const rows = Object.entries(toCliJson(facts) as Record<string, unknown>).filter(
        ([, value]) => value !== null && (!Array.isArray(value) || value.length > 0),
      )
      const text = (): string =>
        `${table(
          ['field', 'value'],
          rows.map(([key, value]) => [
            key,
            oneLine(typeof value === 'object' ? JSON.stringify(value) : String(value), 120),
          ]),
        )}\n\n${content}`
      return { json: described, text }
    },
  )

  run(
    define('expand', 'a summary back to its sources')
      .argument('<id>')
      .option('--depth <n>', 'levels towards the messages', integer(1, 1000))
      .option('--messages', 'include the messages')
      .option('--token-cap <n>', 'tokens to return at most', integer(1, 10_000_000))
      .option('--cursor <cursor>', 'go on from an earlier answer'),
    async (
      id: string,
      options: MemoryOptions & { depth?: number; messages?: boolean; tokenCap?: number; cursor?: string },
    ): Promise<Answer> =>
      withMemory(
        options,
        (lcm): Answer => {
          const expansion = lcm.retrieval.expand({
            summaryId: id,
            depth: options.depth ?? 1,
            includeMessages: options.messages ?? false,
            tokenCap: options.tokenCap ?? lcm.settings.maxExpandTokens,
            cursor: options.cursor,
          })
          const text = (): string =>
            [
              ...expansion.nodes.map(
                (node) =>
                  `── ${node.id} · ${node.kind} ${node.depth} · ${count(node.tokens)} tokens\n${node.content}\n`,
              ),
              ...expansion.messages.map(
                (message) =>
                  `── ${message.id} · ${message.role} · ${count(message.tokens)} tokens\n${message.content}\n`,
              ),
              ...expansion.tooLarge.map((tooLarge) => `── ${tooLarge} is larger than --token-cap: describe it instead`),
              `${count(expansion.tokens)} tokens${expansion.next[0] === undefined ? '' : `; go on with --cursor ${expansion.next[0]}`}`,
            ].join('\n')
          return { json: expansion, text }
        },
        { readOnly: true },
      ),
  )

  run(
    define('lineage', 'sources down to the messages, dependents up to the roots').argument('<id>'),
    async (id: string, options: MemoryOptions): Promise<Answer> => {
      const lineage = await withMemory(options, (lcm) => lcm.dag.lineage(id), { readOnly: true })
      const text = (): string =>
        [
          `${lineage.id}${lineage.inContext ? ' · in the window' : ''}`,
          lineage.coveredBy.length > 0 ? `covered by ${lineage.coveredBy.join(', ')}` : '',
          'dependents',
          treeText(lineage.dependents, (node) => node.dependents ?? []) || '  none',
          'sources',
          treeText(lineage.sources, (node) => node.sources ?? []) || '  none',
        ]
          .filter(Boolean)
          .join('\n')
      return { json: lineage, text }
    },
  )
}
