import { z } from 'zod'
import { NodeId } from '#core/contract/ids.ts'
import { Description, Lineage, Tree } from '#core/contract/lineage.ts'
import { Stats } from '#core/contract/memory.ts'
import { ExpandInput, Expansion } from '#core/contract/retrieval.ts'
import { RawRows, type SqlCell } from '#core/contract/sql.ts'
import { isNative } from '#core/systems/native/native.ts'
import { plural, sizeText } from '#core/text.ts'
import { type CommandContext, defineCommand, defineQuestion, narrowed } from '../command.ts'
import { toCliJson } from '../output/cli-json.ts'
import { fileAnswer, filePart, isPart } from '../output/file-answer.ts'
import type { Answer } from '../output/output.ts'
import { count, oneLine, percent, table, treeText } from '../output/text.ts'
import { chooseOrNewest, withMemory } from '../session.ts'

export const stats = defineQuestion({
  name: 'stats',
  example: 'stats --db sample.db',
  prints: Stats,
  ask: async ({ stats, info, estimator }) => {
    const { READ_ONLY_BY_CHOICE } = await import('#core/systems/opening/open.ts')
    return {
      ...stats.stats(),
      readOnly: info.readOnlyReason !== READ_ONLY_BY_CHOICE,
      ...(isNative(info) && { tokenEstimator: estimator.name }),
      lacks: info.lacks ?? [],
    }
  },
  json: ({ lacks: _, ...stats }) => stats,
  text: statsText,
})

type StatsFound = Stats & { readonly tokenEstimator?: string; readonly lacks: readonly string[] }

function statsText({ lacks, ...stats }: StatsFound): string {
  return [
    `${stats.path}`,
    `${stats.system}${stats.systemVersion ? ` ${stats.systemVersion}` : ''} · ${sizeText(stats.bytes)}${stats.readOnly ? ' · read-only' : ''}${stats.tokenEstimator ? ` · tokens by ${stats.tokenEstimator}` : ''}`,
    `${plural(stats.messages, 'message')} · ${plural(stats.messageParts, 'part')} · ${plural(stats.summaries, 'summary', 'summaries')} · ${count(stats.contextItems)} context items · ${plural(stats.largeFiles, 'file')}`,
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
        c.ownBudgetTokens === undefined
          ? percent(c.pressure)
          : `${percent(c.pressure)} of its own ${count(c.ownBudgetTokens)}`,
        `${c.internal ? '(internal) ' : ''}${oneLine(c.title ?? c.sessionId, 60)}`,
      ]),
    ),
    ...(lacks.length > 0 ? ['', 'What this file does not record:', ...lacks.map((what) => `- ${what}`)] : []),
  ].join('\n')
}

export const tree = defineQuestion({
  name: 'tree',
  example: 'tree --db sample.db --conversation 1',
  fields: z.object(narrowed),
  prints: Tree,
  ask: (lcm, { conversationId }) => lcm.dag.tree(chooseOrNewest(lcm, conversationId)),
  text: ({ roots }) => treeText(roots, (node) => node.sources ?? []) || 'No summaries.',
})

export const describe = defineCommand({
  name: 'describe',
  example: 'describe msg_1 --db sample.db',
  memory: 'reads',
  fields: filePart.extend({ raw: z.boolean().optional().describe('the stored rows: table, columns, values') }),
  positional: ['id'],
  prints: z.union([Description, RawRows]),
  run: async (input, given) => {
    if (input.raw) return rawAnswer(input.id, given)
    if (isPart(input)) return fileAnswer(input, given)
    const described = await withMemory(given, (lcm) => lcm.retrieval.describe(input.id, Number.MAX_SAFE_INTEGER), {
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
})

async function rawAnswer(id: string, given: CommandContext): Promise<Answer> {
  const { rawRows } = await import('#core/browse/raw-rows.ts')
  const raw = await withMemory(given, (lcm) => rawRows(lcm.read, id), { readOnly: true })
  const valueText = (value: SqlCell) =>
    value === null ? 'NULL' : typeof value === 'object' ? `x'${value.hex}'` : oneLine(String(value), 120)
  const text = (): string =>
    raw.rows
      .map(({ table: name, isStored, columns }) => {
        const rows = columns.map((column) => [column.name, valueText(column.value)])
        return `${name}${isStored ? '' : ' (not a row of its own: as it is read)'}\n${table(['column', 'value'], rows)}`
      })
      .join('\n\n')
  return { json: raw, text }
}

export const expand = defineQuestion({
  name: 'expand',
  example: 'expand sum_e6e4df8f3eddb5d6 --db sample.db --depth 2 --messages',
  fields: z.object({
    ...ExpandInput.omit({ includeMessages: true, tokenCap: true }).shape,
    messages: ExpandInput.shape.includeMessages,
    tokenCap: ExpandInput.shape.tokenCap
      .unwrap()
      .optional()
      .describe('tokens to return at most (default: the configured number)'),
  }),
  positional: ['summaryId'],
  prints: Expansion,
  ask: (lcm, { messages: includeMessages, tokenCap = lcm.settings.maxExpandTokens, ...rest }) =>
    lcm.retrieval.expand({ ...rest, includeMessages, tokenCap }),
  text: ({ nodes, messages, tooLarge, tokens, next: [next] }) =>
    [
      ...nodes.map(
        (node) => `── ${node.id} · ${node.kind} ${node.depth} · ${plural(node.tokens, 'token')}\n${node.content}\n`,
      ),
      ...messages.map(
        (message) => `── ${message.id} · ${message.role} · ${plural(message.tokens, 'token')}\n${message.content}\n`,
      ),
      ...tooLarge.map((id) => `── ${id} is larger than --token-cap: describe it instead`),
      `${plural(tokens, 'token')}${next === undefined ? '' : `; go on with --cursor ${next}`}`,
    ].join('\n'),
})

export const lineage = defineQuestion({
  name: 'lineage',
  example: 'lineage msg_1 --db sample.db',
  fields: z.object({ id: NodeId }),
  positional: ['id'],
  prints: Lineage,
  ask: (lcm, { id }) => lcm.dag.lineage(id),
  text: ({ id, inContext, coveredBy, dependents, sources }) =>
    [
      `${id}${inContext ? ' · in the window' : ''}`,
      coveredBy.length > 0 ? `covered by ${coveredBy.join(', ')}` : '',
      'dependents',
      treeText(dependents, (node) => node.dependents ?? []) || '  none',
      'sources',
      treeText(sources, (node) => node.sources ?? []) || '  none',
    ]
      .filter(Boolean)
      .join('\n'),
})
