import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRouterClient } from '@orpc/server'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Core } from '#core/core.ts'
import { executeHere } from '#core/doors/run-job.ts'
import { Machine } from '#core/machine/machine.ts'
import { createRouter } from '#core/router.ts'
import { migrations } from '#core/sqlite/native.ts'
import { nativeSchema } from '#core/sqlite/native-schema.ts'
import { openMemory } from '../builders/open-memory.ts'
import { runs } from '../builders/property-runs.ts'
import { nativeWriter } from '../builders/systems/native.ts'
import { tellStory } from '../builders/systems/story.ts'
import { writeStory } from '../builders/systems/system.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { putWrongValues, type WrongValue } from '../builders/wrong-values.ts'
import { Stats } from '../doors/cli/documents.ts'
import { document, lcmHere } from '../doors/cli/lcm.ts'

// Proves: "NULL or non-text content in a row is a finding at that row, never an internal error", for every column of every
// table of a native file whose tables are ours to the letter.

const sound = join(temporaryFolder(), 'lcm.db')
writeStory(nativeWriter, sound, nativeWriter.tell(tellStory({ seed: 5, turns: 6 })))

const known = new Database(sound)
known.pragma('journal_mode = DELETE')
const first = (sql: string): string => String(known.prepare(sql).pluck().get())
const MESSAGE = first(`SELECT 'msg_' || message_id FROM messages ORDER BY message_id`)
const SUMMARY = first('SELECT summary_id FROM summaries ORDER BY summary_rowid')
const NODE = first('SELECT summary_id FROM summary_sources ORDER BY summary_id')
const FIRST_ITEM = first('SELECT summary_id FROM context_items ORDER BY conversation_id, ordinal')
/** By table; those of which the file has no row cannot hold a wrong value. */
const rowCounts = new Map(
  [...nativeSchema(migrations).tables.keys()].map((table) => [table, Number(first(`SELECT count(*) FROM ${table}`))]),
)
known.close()

function damaged(values: readonly WrongValue[]): string {
  const path = join(temporaryFolder(), 'lcm.db')
  copyFileSync(sound, path)
  putWrongValues(path, values)
  return path
}

/** Every command that reads. */
const commands = (path: string): string[][] =>
  [
    ['stats'],
    ['tree', '--conversation', '1'],
    ['context', '--conversation', '1'],
    ['context', '--conversation', '1', '--render', 'openai'],
    ['grep', 'e', '--mode', 'literal'],
    ['integrity'],
    ['repair', '--plan'],
    ['metrics', '--no-integrity'],
    ['describe', MESSAGE],
    ['expand', SUMMARY, '--messages'],
    ['lineage', SUMMARY],
    ['provenance', SUMMARY],
    ['storage'],
    ['compact', '--plan', '--conversation', '1'],
    ...['json', 'markdown', 'dot'].map((format) => ['export', '--format', format]),
  ]
    .map((args) => [...args, '--db', path])
    .concat([['copy', '--from', path, '--to', join(temporaryFolder(), 'copy.db')]])

/** Any column that can hold a wrong value at all, and one that its table forbids. */
const anyWrongValue: fc.Arbitrary<WrongValue> = fc
  .constantFrom(
    ...[...nativeSchema(migrations).tables].flatMap(([table, { sql, columns }]) =>
      columns.flatMap((column) => {
        // The number of a row is stored nowhere else; a key of a table without such numbers is never NULL.
        if (sql.includes(`${column.name} INTEGER PRIMARY KEY`) || !rowCounts.get(table)) return []
        const isKey = new RegExp(`${column.name} TEXT PRIMARY KEY|PRIMARY KEY \\([^)]*\\b${column.name}\\b`).test(sql)
        const wrong = column.type === 'TEXT' ? ['7', `x'00ff'`] : [`'x'`, `x'00ff'`]
        return [...wrong, ...(column.isRequired && !isKey ? ['NULL'] : [])].map((value) => ({
          table,
          column: column.name,
          value,
        }))
      }),
    ),
  )
  .chain((value) => fc.nat((rowCounts.get(value.table) ?? 1) - 1).map((row): WrongValue => ({ ...value, row })))

const Report = z.looseObject({
  checks: z.array(
    z.looseObject({
      id: z.string(),
      samples: z.array(z.looseObject({ id: z.string().nullable(), detail: z.string() })),
    }),
  ),
})

/** What `lcm integrity` finds of values, with the row where it is. */
async function findings(path: string): Promise<string[]> {
  const { checks } = Report.parse(JSON.parse((await lcmHere(['integrity', '--db', path, '--json'])).stdout))
  const samples = checks.find(({ id }) => id === 'invalid_value')?.samples ?? []
  return samples.map(({ id, detail }) => `${id}: ${detail}`)
}

/** Roles and kinds are named without their table. */
const isAbout = ({ table, column }: WrongValue): RegExp =>
  new RegExp(`: (?:${table}[.]${column} is |its ${column} is )`)

describe('a native file with values that its tables forbid', () => {
  it('is read by every command without an internal error, with a finding for each value', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(anyWrongValue, { minLength: 1, maxLength: 2, selector: ({ table }) => table }),
        async (values) => {
          const path = damaged(values)
          for (const args of commands(path)) {
            const { stderr } = await lcmHere(args)
            expect(stderr, args.join(' ')).not.toMatch(/internal|sqlite_failed/)
          }
          const found = await findings(path)
          for (const value of values) expect(found).toContainEqual(expect.stringMatching(isAbout(value)))
        },
      ),
      { numRuns: runs(12) },
    )
  })

  const ONE_OF_EACH: readonly WrongValue[] = [
    { table: 'messages', column: 'content', row: 0, value: 'NULL' },
    { table: 'message_parts', column: 'session_id', row: 0, value: `x'00ff'` },
    { table: 'summaries', column: 'content', row: 0, value: '7' },
    { table: 'context_items', column: 'created_at', row: 0, value: `'x'` },
    { table: 'conversations', column: 'title', row: 0, value: '7' },
    { table: 'summary_sources', column: 'ordinal', row: 0, value: `'x'` },
  ]

  it('gets a finding at the row of each such value', async () => {
    expect((await findings(damaged(ONE_OF_EACH))).sort()).toEqual([
      `${MESSAGE}: message_parts.session_id is X'00FF'`,
      `${MESSAGE}: messages.content is NULL`,
      'null: conversations.title is 7',
      `${SUMMARY}: summaries.content is 7`,
      `${NODE}: summary_sources.ordinal is 'x'`,
      `${FIRST_ITEM}: context_items.created_at is 'x'`,
    ])
  })

  it('shows its other rows, in answers of the documented shape', async () => {
    const path = damaged(ONE_OF_EACH)
    const [stats, whole] = [
      await document(Stats, ['stats', '--db', path]),
      await document(Stats, ['stats', '--db', sound]),
    ]
    expect(stats.messages).toBe(whole.messages)
    expect(stats.perConversation.map(({ title }) => title)).toEqual(['7', null])
  })

  it.each(['anthropic', 'openai'])(
    'renders a window with a summary that is NULL as it would be sent (%s)',
    async (to) => {
      const everySummary = Array.from(
        { length: rowCounts.get('summaries') ?? 0 },
        (_, row): WrongValue => ({ table: 'summaries', column: 'content', row, value: 'NULL' }),
      )
      const context = ['context', '--conversation', '1', '--render', to, '--db']
      const [ran, whole] = [await lcmHere([...context, damaged(everySummary)]), await lcmHere([...context, sound])]
      expect(ran).toMatchObject({ code: 0, stderr: '' })
      for (const { stdout } of [ran, whole]) expect(stdout).toContain(`id=\\"${FIRST_ITEM}\\"`)
      expect(JSON.parse(ran.stdout).messages).toHaveLength(JSON.parse(whole.stdout).messages.length)
    },
  )

  it('is not written to until it is sound again', async () => {
    const path = damaged(ONE_OF_EACH)
    const opened = (): { isWritten: boolean; reason: string | null } => {
      const { write, info, close } = openMemory(path)
      close()
      return { isWritten: write !== null, reason: info.readOnlyReason }
    }
    await lcmHere(['stats', '--db', path])
    expect(opened()).toEqual({ isWritten: false, reason: expect.stringMatching(/Values that its tables forbid/) })
    copyFileSync(sound, path)
    expect(opened()).toEqual({ isWritten: true, reason: null })
  })

  it('is shown in the window of the app, and stays open', async () => {
    const path = damaged(ONE_OF_EACH)
    const machine = new Machine({ env: process.env, resourcesDir: '/nowhere' })
    const core = new Core({ path, open: {}, machine, execute: executeHere({}) })
    const client = createRouterClient(createRouter(core))
    try {
      const [page, listed, window] = await Promise.all([
        client.transcript.page({ conversationId: 1, offset: 0, limit: 100, contentChars: 80 }),
        client.conversations.list({}),
        client.context.assemble({ conversationId: 1 }),
      ])
      expect(page.messages.find(({ id }) => id === MESSAGE)?.content).toBe('')
      expect(listed.conversations.map(({ title }) => title)).toContain('7')
      expect(window.items.length).toBeGreaterThan(0)
      const steps = []
      for await (const step of await client.retrieval.grepStream({ query: 'e', mode: 'literal' })) steps.push(step)
      expect(steps.at(-1)?.result).not.toBeNull()
      expect((await client.memory.info()).readOnlyReason).toMatch(/Values that its tables forbid/)
    } finally {
      await core.close()
    }
  })
})
