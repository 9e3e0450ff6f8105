// Goes through every file of every system, sound and damaged, with a check of each: a minute.
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { createRouterClient } from '@orpc/server'
import { expect, it } from 'vitest'
import { findingCounts, type IntegrityReport } from '#core/contract/integrity.ts'
import type { LineageTree } from '#core/contract/lineage.ts'
import type { ConversationRow, ListedConversation, Stats } from '#core/contract/memory.ts'
import { Core } from '#core/core.ts'
import { executeHere } from '#core/doors/run-job.ts'
import { compareWindows } from '#core/jobs/compare-windows.ts'
import { Machine } from '#core/machine/machine.ts'
import { createRouter } from '#core/router.ts'
import { readSettings } from '#core/settings/settings.ts'
import { runToEnd } from '#core/yielding.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import type { Client } from '../contract/doors.ts'
import { FIXTURE_FILES } from '../recorded/memories.ts'
import { FIXTURES } from '../sqlite/fixtures.ts'

// "A test opens every system's file, sound and damaged, reads each figure from every view that shows it, and fails when
// two differ."

/** A figure by the place that shows it, and the procedure that the place asks. */
type Said = Readonly<Record<string, number | null | undefined>>
type Figures = Readonly<Record<string, Said>>

const sum = (values: Iterable<number | null>): number => [...values].reduce<number>((all, one) => all + (one ?? 0), 0)

function figuresOfFile(
  stats: Stats,
  rows: readonly ListedConversation[],
  totals: Awaited<ReturnType<Client['conversations']['totals']>>,
  page: { readonly found: number; readonly total: number },
  report: IntegrityReport,
): Figures {
  const of = (severity: string): number =>
    report.checks.filter((one) => one.severity === severity && one.count > 0 && one.notApplicable === null).length
  return {
    conversations: {
      'side bar: conversations.list, total': page.total,
      'side bar: conversations.list, found': page.found,
      'side bar: conversations.list, rows': rows.length,
      'lcm stats: memory.stats': stats.conversations,
      'lcm stats: memory.stats, rows': stats.perConversation.length,
    },
    messages: {
      'All conversations: conversations.totals': totals.messages,
      'side bar: conversations.list': sum(rows.map((row) => row.messages)),
      'lcm stats: memory.stats, rows': sum(stats.perConversation.map((row) => row.messages)),
    },
    'stored tokens': {
      'All conversations: conversations.totals': totals.storedTokens,
      'side bar: conversations.list': sum(rows.map((row) => row.storedTokens)),
      'lcm stats: memory.stats, rows': sum(stats.perConversation.map((row) => row.storedTokens)),
    },
    'tokens of all windows': {
      'All conversations: conversations.totals': totals.contextTokens,
      'side bar: conversations.list': sum(rows.map((row) => row.contextTokens)),
    },
    summaries: {
      'lcm stats: memory.stats': stats.summaries,
      'lcm stats: memory.stats, depths': sum(Object.values(stats.summariesByDepth)),
    },
    errors: { 'status line, Start: integrity.last': report.counts.error, 'Health: integrity.last': of('error') },
    warnings: { 'status line, Start: integrity.last': report.counts.warning, 'Health: integrity.last': of('warning') },
  }
}

async function figuresOfConversation(
  core: Core,
  client: Client,
  listed: ListedConversation,
  row: ConversationRow | undefined,
) {
  const { conversationId } = listed
  const side = { conversationId }
  const compared = await runToEnd(
    compareWindows(await core.lcm(), { a: side, b: side, limit: 1 }, {}, new AbortController().signal),
  )
  const input = { conversationId }
  const named = await client.conversations.list({ conversationIds: [conversationId], limit: 1 })
  const one = named.conversations[0]
  const { conversation, ...overview } = await client.conversations.overview(input)
  const window = await client.context.assemble(input)
  const now = await client.context.at({ ...input, moment: { now: true } })
  const page = await client.transcript.page({ ...input, offset: 0, limit: 1, contentChars: 0 })
  const strata = await client.strata.get({ ...input, axis: 'messages' })
  const columns = await client.strata.messages({ ...input, axis: 'messages', x0: 0, buckets: 64 })
  const timeline = await client.context.timeline(input)
  const { decision, fallsOut, fallsOutTokens, fallsOutBy } = await client.compaction.whatIf(input)
  const plan = await client.compaction.plan(input)
  const evaluated = await client.compaction.evaluate(input)
  const family = await client.conversations.family(input)
  const runs = await client.compaction.runs(input)
  const tree = await client.lineage.tree(input)
  const survival = await client.trace.survival({ ...input, offset: 0, limit: 1 })
  const included = window.items.filter((item) => item.included)
  const left = window.items.filter((item) => !item.included)
  const rows = {
    'side bar: conversations.list': listed,
    'status line: conversations.list of one': one,
    'Start: conversations.overview': conversation,
    'lcm stats: memory.stats': row,
  }
  const said = (figure: (of: ConversationRow | ListedConversation) => number | null): Said =>
    Object.fromEntries(Object.entries(rows).map(([place, of]) => [place, of && figure(of)]))
  return {
    messages: {
      ...said((of) => of.messages),
      'Messages: transcript.page': page.total,
      'Layers: strata.get': strata.totalMessages,
      'Layers: strata.messages': sum(columns.count),
      'Start, Window: context.timeline': timeline.messages,
      'Layers: trace.survival': survival.messages,
      'Start: conversations.overview, roles': sum(overview.roles.map(({ count }) => count)),
    },
    summaries: {
      ...said((of) => of.summaries),
      'Layers: strata.get': strata.summaries.id.length,
      'Start: conversations.overview, depths': sum(overview.depths.map(({ count }) => count)),
      'Layers, as a tree: lineage.tree': summariesOf(tree.roots).size,
    },
    depth: { ...said((of) => of.maxDepth), 'Layers: strata.get': strata.maxDepth },
    'stored tokens': {
      ...said((of) => of.storedTokens),
      'Start: conversations.overview, roles': sum(overview.roles.map(({ tokens }) => tokens)),
      'Layers: strata.get': strata.totalTokens,
      'Layers: strata.messages': sum(columns.tokens),
    },
    'tokens of the window': {
      ...said((of) => of.contextTokens),
      'Window: context.assemble': window.tokens,
      'Window: context.assemble, items': sum(included.map(({ tokens }) => tokens)),
      'Window, at a moment: context.at': now.tokens,
      'Compact, What if: compaction.whatIf': decision.tokens,
      'tab: compaction.evaluate': evaluated.tokens,
      'Compare: job compare': compared.a.windowTokens - compared.a.leftOutTokens,
    },
    'tokens that want into the window': {
      ...said((of) => of.activeTokens),
      'Window: context.assemble': window.activeTokens,
      'Window, at a moment: context.at': now.activeTokens,
      'Compact, What if: compaction.whatIf': decision.activeTokens,
      'Compact: compaction.plan': plan.tokensBefore + (plan.inherited?.tokens ?? 0),
      'Compare: job compare': compared.a.windowTokens,
    },
    'tokens that are left out': {
      ...said((of) => of.leftOutTokens),
      'Window: context.assemble': window.leftOutTokens,
      'Window: context.assemble, items': sum(left.map(({ tokens }) => tokens)),
      'Window: context.assemble, difference': window.activeTokens - window.tokens,
      'Compact, What if: compaction.whatIf': decision.leftOutTokens,
      'What if, left out: compaction.whatIf': fallsOutTokens,
      'What if, why: compaction.whatIf': sum(fallsOutBy.map(({ tokens }) => tokens)),
    },
    'items that are left out': {
      ...said((of) => of.leftOutItems),
      'Window: context.assemble, items': left.length,
      'Compact, What if: compaction.whatIf': decision.leftOutItems,
      'What if, left out: compaction.whatIf': fallsOut.length,
      'What if, why: compaction.whatIf': sum(fallsOutBy.map(({ items }) => items)),
      'Compare: job compare': compared.b.leftOutItems,
    },
    'items of the window': {
      ...said((of) => of.contextItems),
      'Window: context.assemble, items': window.items.length,
      'Compare: job compare': compared.a.windowItems,
    },
    budget: {
      'Start: conversations.overview': overview.budgetTokens,
      'Window: context.assemble': window.budget,
      'Compact, What if: compaction.whatIf': decision.budget,
    },
    'share of the window': {
      ...said((of) => of.pressure),
      'Window: context.assemble': window.pressure,
      'Compact, What if: compaction.whatIf': decision.pressure,
    },
    'the family, if it has no other':
      family.members.length > 1
        ? {}
        : { 'detail: conversations.family': family.messages, 'Messages: transcript.page': page.total },
    'items of the window that are there': {
      'Window: context.assemble, items': window.items.filter(({ kind }) => kind !== 'missing').length,
      'Layers: strata.get, window': sum(strata.window.map(({ items }) => items)),
    },
    compactions: { 'Start: conversations.overview': overview.runs.length, 'Compact: compaction.runs': runs.length },
  } satisfies Figures
}

/** Each summary counts once, wherever it stands. */
function summariesOf(roots: readonly LineageTree[], seen = new Set<string>()): Set<string> {
  for (const { id, kind, sources = [] } of roots) {
    if (kind === 'leaf' || kind === 'condensed') seen.add(id)
    summariesOf(sources, seen)
  }
  return seen
}

/** Opens a copy, for nothing but reading, and gives it to the action. */
async function withMemory<T>(path: string, action: (core: Core, client: Client) => Promise<T>): Promise<T> {
  const home = temporaryFolder()
  const env = { LCM_DATA_DIR: join(home, 'data'), LCM_CACHE_DIR: join(home, 'cache') }
  const options = { settings: readSettings({}), cacheDir: env.LCM_CACHE_DIR, dataDir: env.LCM_DATA_DIR }
  const machine = new Machine({ env, resourcesDir: home, home, cwd: home })
  const core = new Core({ path, open: options, machine, execute: executeHere(options) })
  try {
    return await action(core, createRouterClient(createRouter(core)) as Client)
  } finally {
    await core.close()
  }
}

async function check(core: Core, client: Client): Promise<IntegrityReport> {
  const { jobId } = await client.jobs.start({ kind: 'integrity' })
  await expect.poll(() => core.jobs.list().find((job) => job.jobId === jobId)?.state, { interval: 2 }).toBe('done')
  const report = await client.integrity.last()
  if (report === null) throw new Error('the check has no report')
  return report
}

/** Where a figure is said in more than one way. A place that says nothing yet is no contradiction. */
function contradictions(figures: Figures): string[] {
  return Object.entries(figures).flatMap(([figure, said]) => {
    const values = Object.values(said).filter((value) => value !== null && value !== undefined)
    return new Set(values).size > 1 ? [`${figure}: ${JSON.stringify(said)}`] : []
  })
}

const SAMPLE = 'sample.db'
const folder = temporaryFolder()
cpSync(join(import.meta.dirname, '../../resources/sample.db'), join(folder, SAMPLE))
cpSync(FIXTURES, folder, { recursive: true, filter: (path) => !path.endsWith('-shm') })

it.each([SAMPLE, ...FIXTURE_FILES])('every view says the same figures of %s', async (name) => {
  await withMemory(join(folder, name), async (core, client) => {
    const report = await check(core, client)
    await client.conversations.measure()
    const page = await client.conversations.list({ limit: 1000, health: true })
    const stats = await client.memory.stats()
    const totals = await client.conversations.totals()
    const rows = page.conversations
    expect(contradictions(figuresOfFile(stats, rows, totals, page, report)), 'the file').toEqual([])
    const found = findingCounts(report)
    for (const listed of rows) {
      const row = stats.perConversation.find((one) => one.conversationId === listed.conversationId)
      const counts = found.get(listed.conversationId)
      const figures = {
        ...(await figuresOfConversation(core, client, listed, row)),
        errors: {
          'All conversations: conversations.list': listed.findings?.error ?? 0,
          'Health: integrity.last': counts?.error ?? 0,
        },
        warnings: {
          'All conversations: conversations.list': listed.findings?.warning ?? 0,
          'Health: integrity.last': counts?.warning ?? 0,
        },
      }
      expect(contradictions(figures), `conversation ${listed.conversationId}`).toEqual([])
    }
  })
})
