import { writeFileSync } from 'node:fs'
import { z } from 'zod'
import { SqlAnswer, type SqlCell, SqlInput, sqlCsv } from '#core/contract/sql.ts'
import { checkStatement } from '#core/query/check-statement.ts'
import { forkStatement, runStatement } from '#core/query/run-statement.ts'
import { loadSettings } from '#core/settings/settings-store.ts'
import { plural } from '#core/text.ts'
import { defineCommand, outputFile } from '../command.ts'
import { interruptible } from '../interruptible.ts'
import { printNote } from '../output/output.ts'
import { force, outputPath, requireWritable, writeOutput } from '../output/output-file.ts'
import { count, oneLine, table } from '../output/text.ts'

/** A cell of the table for people is at most this wide. */
const CELL_WIDTH = 60

export const sql = defineCommand({
  name: 'sql',
  example: 'sql "SELECT name, type FROM pragma_table_list" --db sample.db',
  memory: 'reads',
  fields: SqlInput.extend({
    csv: z.boolean().optional().describe('CSV with a line of names, for a spreadsheet'),
    output: outputFile.describe('write the CSV there, where nothing may be; - is standard output'),
    force,
  }),
  positional: ['sql'],
  prints: SqlAnswer,
  run: async ({ sql: text, limit, timeoutMs, csv, output, force: isForced = false }, { db, newer = false, json }) => {
    const source = db ?? loadSettings(process.env).databasePath
    const path = outputPath(output)
    const target = path === null ? null : { path, source, isForced }
    if (target !== null) requireWritable(target)
    const task = {
      path: source,
      allowNewer: newer,
      cacheDir: undefined,
      asked: { kind: 'sql' as const, sql: checkStatement(text), limit },
    }
    const reply = await interruptible((signal) => runStatement(forkStatement, task, timeoutMs, signal))
    if (reply.kind !== 'answer') throw new Error('a statement is answered with rows')
    const { answer } = reply
    if (!json) for (const note of notesOf(answer)) printNote(note)
    if (target !== null) {
      await writeOutput(target, (partial) => writeFileSync(partial, csvOf(answer), { flush: true }))
      return { json: answer, text: () => `${target.path}: ${plural(answer.rows.length, 'row')} as CSV` }
    }
    return csv || output !== undefined
      ? { json: answer, text: () => csvOf(answer), isDocument: true }
      : { json: answer, text: () => textOf(answer) }
  },
})

/** Every line of a CSV has its line break, also the last one. */
const csvOf = (answer: SqlAnswer): string => `${sqlCsv(answer)}\r\n`

function notesOf({ rows, cut, cutValues }: SqlAnswer): string[] {
  return [
    ...(cut === 'rows' ? [`this is the beginning, ${plural(rows.length, 'row')}: --limit shows more.`] : []),
    ...(cut === 'bytes' ? [`the rows fill 16 MB: these are the first ${count(rows.length)}.`] : []),
    ...(cutValues > 0 ? [`${count(cutValues)} long values are cut.`] : []),
  ]
}

function textOf({ columns, rows }: SqlAnswer): string {
  if (columns.length === 0) return 'The statement returns no columns.'
  const shown = rows.map((row) => row.map((cell) => oneLine(asText(cell), CELL_WIDTH)))
  return `${table(columns, shown)}\n${count(rows.length)} ${rows.length === 1 ? 'row' : 'rows'}`
}

const asText = (cell: SqlCell): string =>
  cell === null ? 'NULL' : typeof cell === 'object' ? `x'${cell.hex}'` : String(cell)
