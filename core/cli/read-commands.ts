import { type Command, Option } from 'commander'
import type { IntegrityReport } from '../contract/integrity.ts'
import { GrepInput } from '../contract/retrieval.ts'
import { type Answer, EXIT } from './output.ts'
import { collect, integer, oneOf, time } from './parse.ts'
import { chooseConversation, type MemoryOptions, withMemory } from './session.ts'
import { bytes, count, oneLine, percent, printable, table, treeText } from './text.ts'

type Run = (command: Command, action: (...args: never[]) => Promise<Answer>) => void
const MAX = Number.MAX_SAFE_INTEGER
const conversationOption = (): Option =>
  new Option('--conversation <id>', 'narrow to one conversation').argParser(integer(0, MAX))

/** stats, tree, context, grep, describe, expand, lineage, integrity: commands that never write. */
export function addReadCommands(define: (name: string, description: string) => Command, run: Run): void {
  run(define('stats', 'count what a memory holds'), async (options: MemoryOptions): Promise<Answer> => {
    const stats = await withMemory(options, (lcm) => lcm.stats.stats(), { readOnly: true })
    const text = (): string =>
      [
        `${stats.path}`,
        `${stats.system}${stats.systemVersion ? ` ${stats.systemVersion}` : ''} · ${bytes(stats.bytes)}${stats.readOnly ? ' · read-only' : ''}`,
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
            'window items',
            'stored tokens',
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
            c.contextTokens,
            percent(c.pressure),
            oneLine(c.title ?? c.sessionId, 60),
          ]),
        ),
      ].join('\n')
    return { json: stats, text }
  })

  run(
    define('tree', 'the summary DAG from its roots to the messages').addOption(conversationOption()),
    async (options: MemoryOptions & { conversation?: number }): Promise<Answer> => {
      const tree = await withMemory(options, (lcm) => lcm.dag.tree(chooseConversation(lcm, options.conversation)), {
        readOnly: true,
      })
      return { json: tree, text: () => treeText(tree.roots, (node) => node.sources ?? []) || 'No summaries.' }
    },
  )

  run(
    define('context', 'what the model sees next turn, and why')
      .addOption(conversationOption())
      .option('--budget <tokens>', 'token budget', integer(1, 100_000_000))
      .option('--fresh-tail <n>', 'newest messages that are always in', integer(0, 1_000_000))
      .option('--query <text>', 'rank older items by relevance to this')
      .option('--render <provider>', 'the payload as anthropic or openai messages', oneOf('anthropic', 'openai')),
    async (
      options: MemoryOptions & {
        conversation?: number
        budget?: number
        freshTail?: number
        query?: string
        render?: 'anthropic' | 'openai'
      },
    ): Promise<Answer> =>
      withMemory(
        options,
        (lcm): Answer => {
          const input = {
            conversationId: chooseConversation(lcm, options.conversation),
            budgetTokens: options.budget,
            freshTailCount: options.freshTail,
            query: options.query,
          }
          if (options.render) {
            const rendered = lcm.context.render(input, options.render)
            return {
              json: { messages: rendered.messages, system: rendered.system },
              text: () => printable(JSON.stringify(rendered, null, 2)),
            }
          }
          const context = lcm.context.assemble(input)
          const text = (): string =>
            [
              `${count(context.tokens)} of ${count(context.budget)} tokens (${percent(context.pressure)})${context.overBudget ? ' · the fresh tail alone is over the budget' : ''}`,
              '',
              table(
                ['#', 'id', 'kind', 'tokens', '', 'why'],
                context.items.map((item) => [
                  item.included ? String(item.ordinal) : '–',
                  item.id,
                  item.kind === 'message' ? (item.role ?? '') : `${item.kind} ${item.depth ?? ''}`.trim(),
                  item.tokens,
                  item.included ? 'in' : 'out',
                  item.reason,
                ]),
              ),
            ].join('\n')
          return { json: context, text }
        },
        { readOnly: true },
      ),
  )

  run(
    define('grep', 'find messages and summaries')
      .argument('<query>', 'words, "phrases", prefix*, OR, NOT')
      .option('--mode <mode>', 'full_text, regex or literal', oneOf('full_text', 'regex', 'literal'))
      .option('--match <match>', 'auto, all or any of the words', oneOf('auto', 'all', 'any'))
      .option('--scope <scope>', 'messages, summaries, both or files', oneOf('messages', 'summaries', 'both', 'files'))
      .option('--within <summary>', 'only what this summary stands for')
      .option('--group-by <group>', 'group the hits by the summary that covers them', oneOf('covering'))
      .option('--conversation <id>', 'narrow to a conversation; may be repeated', collect(integer(0, MAX)))
      .option(
        '--role <role>',
        'narrow to a role; may be repeated',
        collect(oneOf('system', 'user', 'assistant', 'tool')),
      )
      .option('--depth <n>', 'narrow to summaries of a depth; may be repeated', collect(integer(0, 1000)))
      .option('--after <time>', 'not before this time', time)
      .option('--before <time>', 'not after this time', time)
      .option('--sort <order>', 'newest, oldest or relevance', oneOf('newest', 'oldest', 'relevance'))
      .option('--limit <n>', 'hits a page', integer(1, 1000))
      .option('--cursor <cursor>', 'go on from an earlier answer')
      .option('--full', 'whole texts instead of snippets'),
    async (query: string, options: MemoryOptions & Record<string, never>): Promise<Answer> =>
      grepCommand(query, options),
  )

  run(
    define('describe', 'everything known of a message, summary or file').argument('<id>'),
    async (id: string, options: MemoryOptions): Promise<Answer> => {
      const described = await withMemory(options, (lcm) => lcm.retrieval.describe(id, Number.MAX_SAFE_INTEGER), {
        readOnly: true,
      })
      const { content, ...facts } = described
      const rows = Object.entries(facts).filter(
        ([, value]) => value !== null && (!Array.isArray(value) || value.length > 0),
      )
      const text = (): string =>
        `${table(
          ['field', 'value'],
          rows.map(([key, value]) => [
            key,
            oneLine(typeof value === 'object' ? JSON.stringify(value) : String(value), 120),
          ]),
        )}\n\n${printable(content)}`
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
                  `── ${node.id} · ${node.kind} ${node.depth} · ${count(node.tokens)} tokens\n${printable(node.content)}\n`,
              ),
              ...expansion.messages.map(
                (message) =>
                  `── ${message.id} · ${message.role} · ${count(message.tokens)} tokens\n${printable(message.content)}\n`,
              ),
              `${count(expansion.tokens)} tokens${expansion.truncated ? `; go on with --cursor ${expansion.next[0] ?? ''}` : ''}`,
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

  run(
    define('integrity', 'check the memory; exit code 3 when something is wrong').addOption(conversationOption()),
    async (options: MemoryOptions & { conversation?: number }): Promise<Answer> => {
      const report = await withMemory(
        options,
        async (lcm): Promise<IntegrityReport> => {
          const job = lcm.integrity.run(options.conversation, new AbortController().signal)
          for (;;) {
            const step = await job.next()
            if (step.done) return step.value
          }
        },
        { readOnly: true },
      )
      return { json: report, text: () => integrityText(report), exitCode: report.ok ? EXIT.done : EXIT.findings }
    },
  )
}

async function grepCommand(query: string, options: MemoryOptions & Record<string, unknown>): Promise<Answer> {
  const input = GrepInput.parse({
    query,
    mode: options.mode,
    match: options.match,
    scope: options.scope,
    within: options.within,
    conversationIds: options.conversation,
    roles: options.role,
    depths: options.depth,
    afterMs: options.after,
    beforeMs: options.before,
    sort: options.sort,
    limit: options.limit,
    cursor: options.cursor,
  })
  return withMemory(
    options,
    async (lcm): Promise<Answer> => {
      const result = await lcm.retrieval.grep(input)
      const hits = options.full
        ? result.hits.map((hit) => ({
            ...hit,
            content: lcm.retrieval.describe(hit.id, Number.MAX_SAFE_INTEGER).content,
          }))
        : result.hits
      const groups = options.groupBy ? groupByCovering(hits) : undefined
      const text = (): string =>
        [
          ...hits.map(
            (hit) =>
              `${hit.id}  ${hit.role ?? hit.kind}${hit.inContext ? ' · in the window' : ''}${hit.coveredBy.length > 0 ? ` · in ${hit.coveredBy[0]}` : ''}\n    ${oneLine(hit.snippet, 200)}`,
          ),
          ...result.notes.map((note) => `note: ${note}`),
          `${result.totalIsExact ? '' : 'at least '}${count(result.total)} hits, ${count(hits.length)} shown${result.nextCursor ? `; go on with --cursor ${result.nextCursor}` : ''}`,
        ].join('\n')
      return { json: { ...result, hits, ...(groups ? { groups } : {}) }, text }
    },
    { readOnly: true },
  )
}

function groupByCovering<T extends { readonly coveredBy: readonly string[] }>(hits: readonly T[]) {
  const groups = new Map<string | null, T[]>()
  for (const hit of hits) {
    const covering = hit.coveredBy.at(-1) ?? null
    groups.set(covering, [...(groups.get(covering) ?? []), hit])
  }
  return [...groups].map(([summaryId, members]) => ({ summaryId, hits: members }))
}

function integrityText(report: IntegrityReport): string {
  const found = report.checks.filter((check) => check.count > 0)
  const verdict = report.ok
    ? 'Nothing is wrong.'
    : `${count(report.counts.error)} errors, ${count(report.counts.warning)} warnings.`
  return [
    `${verdict} ${report.checks.length} checks over ${count(report.messages)} messages and ${count(report.summaries)} summaries in ${Math.round(report.durationMs)} ms.`,
    ...found.map(
      (check) =>
        `\n${check.severity}  ${check.id}  ${count(check.count)}\n    ${check.explanation}\n${check.samples
          .slice(0, 5)
          .map((sample) => `    ${printable(sample.id ?? '')}  ${printable(sample.detail)}`)
          .join('\n')}`,
    ),
  ].join('\n')
}
