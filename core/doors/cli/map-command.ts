import { once } from 'node:events'
import { createWriteStream, existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { MapReport, type MapResult } from '../../contract/map.ts'
import { LcmError } from '../../errors.ts'
import type { FinishedMap } from '../../map/map-run.ts'
import { requireRetained } from '../../map/retention.ts'
import { isNativeFile } from '../../sqlite/memory-file.ts'
import { keepNewObjectsSmall } from '../heap.ts'
import { defineCommand, type Given, outputFile } from './command.ts'
import { interruptible, interruptibleCall } from './interruptible.ts'
import { type Answer, EXIT } from './output.ts'
import { force, requireWritable, writeOutput } from './output-file.ts'
import { count, oneLine } from './text.ts'

/** Text for people shows this many results. The others are in the file of --output and with --json. */
const SHOWN_RESULTS = 200

const aFile = (description: string) => z.string().optional().meta({ description, value: 'file' })

const fields = z.object({
  operator: z
    .enum(['llm', 'agentic'])
    .meta({ description: 'who does the work: a model, or a command', value: 'operator' }),
  command: z
    .array(z.string())
    .optional()
    .meta({ description: 'behind "--": the program that does the work, and its arguments', value: 'command' }),
  input: aFile('the items: a JSON array, or JSONL with one item a line'),
  prompt: aFile('llm: the prompt template, with {{item}} where the item belongs'),
  schema: aFile('the JSON Schema that every answer has to match'),
  retain: z.string().optional().meta({ description: 'agentic: what you stay responsible for; needed', value: 'text' }),
  summarizer: z.string().optional().meta({
    description: 'llm: a configured provider, or chain (default: chain, or the only provider)',
    value: 'name',
  }),
  output: outputFile.meta({
    description: 'the results as JSONL in the order of the input; nothing may be there',
    value: 'file',
    short: 'o',
  }),
  force,
  concurrency: z.int().min(1).max(64).default(4).describe('items that are worked on at the same time'),
  retries: z.int().min(0).max(20).default(2).describe('more tries for an item after the first'),
  timeout: z
    .int()
    .min(1)
    .max(86_400)
    .default(600)
    .meta({ description: 'the longest time for one call of a command', value: 'seconds' }),
  again: z.boolean().optional().describe('begin another run, although the same one was made before'),
  actor: z.string().default('lcm').meta({ description: 'who is named in the record', value: 'name' }),
  record: z.string().optional().meta({
    description: 'where map.events.jsonl and the journals of runs are kept (default: beside the memory)',
    value: 'folder',
  }),
})
type MapOptions = z.output<typeof fields> & Pick<Given, 'db'>

/** Ctrl-C stops it. */
export const map = defineCommand({
  name: 'map',
  does: 'the same work for every item of a list: llm asks a model, agentic delegates to a command; started again, a run goes on',
  example: 'map agentic --input items.jsonl --retain "the final choice" -- ./work-on-item',
  fields,
  positional: ['operator', 'command'],
  prints: MapReport,
  // Before anything else is looked at.
  first: ({ operator, retain }) => {
    if (operator === 'agentic') requireRetained(retain)
  },
  run: (input, { db }) => mapItems({ ...input, db }),
})

async function mapItems(options: MapOptions): Promise<Answer> {
  keepNewObjectsSmall()
  const { requestOf } = await import('../../map/map-order.ts')
  const { runMap } = await import('../../map/map-run.ts')
  const { loadSettings } = await import('../../settings/settings-store.ts')
  const settings = loadSettings(process.env)
  const { operator, command = [], input, prompt, schema, retain, summarizer, actor, concurrency, retries } = options
  const request = requestOf(
    {
      ...{ operator, input, prompt, schema, retain, summarizer, actor, concurrency, retries },
      command,
      timeoutMs: options.timeout * 1000,
      isNew: options.again ?? false,
      record: await recordFolder(options, settings.databasePath),
    },
    settings,
  )
  const target = outputTarget(options, request.input)
  if (target !== null) requireWritable(target)
  const finished = await interruptible((signal) => runMap(request, signal))
  try {
    if (target !== null) await writeOutput(target, (partial) => writeResults(finished, partial))
  } catch (error) {
    await finished.close()
    throw error
  }
  return {
    pieces: (asJson) => (asJson ? documentPieces(finished) : textPieces(finished, target?.path ?? null)),
    exitCode: finished.report.failed > 0 ? EXIT.failed : EXIT.done,
  }
}

/**
 * Returns the folder in which runs are recorded: the one of the memory. A folder of another system stays untouched.
 * @throws LcmError read_only_dialect
 */
async function recordFolder({ record, db }: MapOptions, configured: string): Promise<string> {
  if (record !== undefined) return resolve(record)
  const memory = resolve(db ?? configured)
  if (existsSync(memory) && !(await isNativeFile(memory))) {
    throw new LcmError(
      'read_only_dialect',
      `Runs are recorded beside the memory, and ${memory} is no native memory: nothing is written there. Choose a folder with --record.`,
      { path: memory },
    )
  }
  return dirname(memory)
}

const outputTarget = ({ output, force }: MapOptions, input: string) =>
  output === undefined ? null : { path: resolve(output), source: input, isForced: force ?? false }

/** Writes the results to a file and gives them to the disk. */
async function writeResults(finished: FinishedMap, path: string): Promise<void> {
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true })
  await interruptibleCall(async (signal) => {
    for await (const result of finished.results(signal)) {
      if (!file.write(`${JSON.stringify(result)}\n`)) await once(file, 'drain')
    }
  })
  file.end()
  await once(file, 'close')
}

async function* documentPieces(finished: FinishedMap): AsyncGenerator<string> {
  const { report } = finished
  try {
    // The results come last, one by one, because there may be more than fit into memory.
    yield `${JSON.stringify(report, null, 2).slice(0, -2)},\n  "results": [`
    let separator = '\n    '
    for await (const result of finished.results(new AbortController().signal)) {
      yield `${separator}${JSON.stringify(result)}`
      separator = ',\n    '
    }
    yield '\n  ]\n}\n'
  } finally {
    await finished.close()
  }
}

async function* textPieces(finished: FinishedMap, output: string | null): AsyncGenerator<string> {
  try {
    let shown = 0
    for await (const result of finished.results(new AbortController().signal)) {
      if (shown === SHOWN_RESULTS) break
      if (output !== null && result.status === 'completed') continue
      yield `${resultLine(result)}\n`
      shown += 1
    }
    yield `${summaryLines(finished.report, output).join('\n')}\n`
  } finally {
    await finished.close()
  }
}

function resultLine({ index, status, attempts, output, problem }: MapResult): string {
  const tries = attempts > 1 ? ` after ${attempts} tries` : ''
  return status === 'completed'
    ? `${index}  ${oneLine(JSON.stringify(output), 160)}`
    : `${index}  failed${tries}: ${oneLine(problem ?? '', 200)}`
}

function summaryLines(report: Omit<MapReport, 'results'>, output: string | null): string[] {
  const { items, completed, failed, resumed, retries, runId, eventsPath } = report
  const before = resumed > 0 ? ` (${count(resumed)} of them before)` : ''
  return [
    `${count(items)} items: ${count(completed)} completed${before}, ${count(failed)} failed, ${count(retries)} retries.`,
    ...(output === null
      ? items > SHOWN_RESULTS
        ? ['Only the first results are shown: -o FILE or --json gives all.']
        : []
      : [`Results: ${output}`]),
    ...(failed > 0 ? ['Start the same command again to try the failed items again.'] : []),
    ...(resumed === items ? ['Everything was done before: --again begins another run.'] : []),
    `Run ${runId}, recorded in ${eventsPath}`,
  ]
}
