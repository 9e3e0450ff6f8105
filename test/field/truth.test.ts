import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as documents from '../doors/cli/documents.ts'
import { document } from '../doors/cli/lcm.ts'
import { FIXTURES } from '../sqlite/fixtures.ts'

/** What a system says of a file that it wrote; each has words of its own for the same things. */
type Truth = Readonly<Record<string, unknown>>
type Counts = Readonly<Record<string, number>>

/** Whatever lies in the folder: a fixture that comes later is held to its own counts as well. */
const truths = readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.truth.json'),
)

function databaseOf(name: string): string {
  const stem = join(FIXTURES, name.replace(/\.truth\.json$/, ''))
  const found = [`${stem}.db`, `${stem}.sqlite`, join(stem, 'lcm.db')].find((path) => existsSync(path))
  if (found === undefined) throw new Error(`no database beside ${name}`)
  return found
}

const tableCounts = (truth: Truth): Counts | undefined =>
  (truth.tables ?? truth.tableCounts ?? truth.table_counts) as Counts | undefined

type Level = { readonly depth: number; readonly n?: number; readonly c?: number }
function depths(truth: Truth): Counts | undefined {
  const told = truth.nodes_by_depth ?? truth.depthHistogram ?? truth.nodesByKindDepth
  if (!Array.isArray(told)) return told as Counts | undefined
  const counts: Record<string, number> = {}
  for (const { depth, n, c } of told as readonly Level[]) counts[depth] = (counts[depth] ?? 0) + (n ?? c ?? 0)
  return counts
}

/** Tables of all systems whose rows are ours one by one. */
const TABLES = {
  conversations: ['conversations'],
  messages: ['messages', 'originals_index'],
  messageParts: ['message_parts'],
  summaries: ['summaries', 'summary_nodes'],
  contextItems: ['context_items'],
  largeFiles: ['large_files'],
} as const

describe.each(truths)('%s', (name) => {
  const truth = JSON.parse(readFileSync(join(FIXTURES, name), 'utf8')) as Truth
  const db = databaseOf(name)

  it('equals what lcm stats prints', async () => {
    const stats = await document(documents.Stats, ['stats', '--db', db])
    const counts = tableCounts(truth)
    if (!counts) return
    for (const [field, tables] of Object.entries(TABLES)) {
      const expected = tables.map((table) => counts[table]).find((count) => count !== undefined)
      if (expected !== undefined) expect(stats[field as keyof typeof TABLES], field).toBe(expected)
    }
    expect(stats.summariesByDepth).toEqual(depths(truth))
    // Links that are rows of a table. Links as JSON in a column are counted by the tests of their system.
    const links = ['summary_messages', 'summary_parents', 'summary_sources'].flatMap((table) => counts[table] ?? [])
    const { summaryMessages, summaryParents } = stats.edges
    if (links.length > 0) expect(summaryMessages + summaryParents).toBe(links.reduce((sum, count) => sum + count, 0))
  })
})

it('every system has at least one file of known counts', () => {
  expect([...new Set(truths.map((name) => dirname(name)))].sort()).toEqual(
    ['argentos', 'decapod', 'hermes-lcm', 'lcm-x', 'lossless-claude', 'lossless-claw', 'pi-lcm'].sort(),
  )
})
