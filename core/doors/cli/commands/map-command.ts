import { once } from 'node:events'
import { createWriteStream, existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { systemClock } from '#core/clock.ts'
import { MapOperator, type MapOutcome, MapReport, type MapResult, MapRuns, MapSpec } from '#core/contract/map.ts'
import { LcmError } from '#core/errors.ts'
import type { FinishedMap } from '#core/map/map-run.ts'
import { requireRetained } from '#core/map/retention.ts'
import { plural } from '#core/text.ts'
import { type CommandContext, defineCommand, outputFile } from '../command.ts'
import { STANDARD_INPUT, withSpooledInput } from '../input/standard-input.ts'
import { interruptible } from '../interruptible.ts'
import { type Answer, EXIT, printNote } from '../output/output.ts'
import { force, outputPath, requireWritable, STANDARD_OUTPUT, writeOutput } from '../output/output-file.ts'
import { count, oneLine, table } from '../output/text.ts'

/** Text for people shows this many results. The others are in the file of --output and with --json. */
const SHOWN_RESULTS = 200

const aFile = (description: string) => z.string().optional().meta({ description, value: 'file' })
const { retain, summarizer, concurrency, retries, timeoutSeconds, again } = MapSpec.shape

const fields = z.object({
  action: z
    .enum([...MapOperator.options, 'list'])
    .meta({ description: 'who does the work: a model, or a command; or list the recorded runs', value: 'action' }),
  command: z
    .array(z.string())
    .optional()
    .meta({ description: 'behind "--": the program that does the work, and its arguments', value: 'command' }),
  input: aFile('the items: a JSON array, or JSONL with one item a line; - is standard input'),
  prompt: aFile('llm: the prompt template, with {{item}} where the item belongs'),
  schema: aFile('the JSON Schema that every answer has to match'),
  retain,
  summarizer,
  output: outputFile.meta({
    description:
      'write the results there as JSONL in the order of the input, where nothing may be; - is standard output',
    value: 'file',
    short: 'o',
  }),
  force,
  concurrency,
  retries,
  timeout: timeoutSeconds,
  again,
  actor: z.string().default('lcm').meta({ description: 'who is named in the record', value: 'name' }),
  record: z.string().optional().meta({
    description: 'where map.events.jsonl and the journals of runs are kept (default: beside the memory)',
    value: 'folder',
  }),
})
type MapOptions = z.output<typeof fields> & Pick<CommandContext, 'db'>

/** Ctrl-C stops it. */
export const map = defineCommand({
  name: 'map',
  example: 'map agentic --input items.jsonl --retain "the final choice" -- ./work-on-item',
  fields,
  positional: ['action', 'command'],
  prints: z.union([MapReport, MapRuns]),
  // Before anything else is looked at.
  first: ({ action, retain }) => {
    if (action === 'agentic') requireRetained(retain)
  },
  run: ({ action, ...input }, { db }) =>
    action === 'list' ? listRuns({ ...input, db }) : mapInput(action, { ...input, db }),
})

/** Standard input is read to its end first, because the items are read twice. */
async function mapInput(operator: MapOperator, options: Omit<MapOptions, 'action'>): Promise<Answer> {
  if (options.input !== STANDARD_INPUT) return mapItems(operator, options)
  return withSpooledInput('The map was cancelled before standard input ended; nothing was called.', ({ file }) =>
    mapItems(operator, { ...options, input: file }, 'standard input'),
  )
}

async function mapItems(
  operator: MapOperator,
  options: Omit<MapOptions, 'action'>,
  inputName?: string,
): Promise<Answer> {
  const { requestOf, textIn } = await import('#core/map/map-order.ts')
  const { runMap } = await import('#core/map/map-run.ts')
  const { recordFolder } = await import('#core/map/run-paths.ts')
  const { loadSettings } = await import('#core/settings/settings-store.ts')
  const settings = loadSettings(process.env)
  const { command = [], input, prompt, schema, retain, summarizer, actor, concurrency, retries, again } = options
  const { record, db, timeout } = options
  const request = requestOf(
    {
      ...{ operator, input, retain, summarizer, actor, concurrency, retries, again, command },
      prompt: prompt === undefined ? null : textIn(prompt),
      schema: schema === undefined ? null : textIn(schema),
      timeoutSeconds: timeout,
      record: record === undefined ? await recordFolder(db ?? settings.databasePath) : resolve(record),
    },
    { settings, keys: null, clock: systemClock },
  )
  const target = outputTarget(options, request.input)
  if (target !== null) requireFreeOutput(target)
  const finished = await interruptible((signal) =>
    runMap({ ...request, inputName: inputName ?? request.input }, signal),
  )
  try {
    if (target !== null) await writeOutput(target, (partial) => writeResults(finished, partial))
  } catch (error) {
    await finished.close()
    throw error
  }
  const forPeople =
    options.output === STANDARD_OUTPUT ? resultPieces(finished) : textPieces(finished, target?.path ?? null)
  return {
    pieces: (asJson) => (asJson ? documentPieces(finished) : forPeople),
    exitCode: finished.report.failed > 0 ? EXIT.failed : EXIT.done,
  }
}

/** Lists the runs that are recorded beside a memory of any system. */
async function listRuns({ record, db }: Pick<MapOptions, 'record' | 'db'>): Promise<Answer> {
  const { MapRecord } = await import('#core/map/map-record.ts')
  const { loadSettings } = await import('#core/settings/settings-store.ts')
  const folder = record ?? dirname(db ?? loadSettings(process.env).databasePath)
  const answer = await new MapRecord(resolve(folder)).runs()
  return { json: answer, text: () => runsText(answer) }
}

function runsText({ path, runs, unreadable, isCut }: MapRuns): string {
  const notes = [
    ...(isCut ? ['Only the newest runs are listed.'] : []),
    ...(unreadable > 0 ? [`${plural(unreadable, 'line')} of ${path} cannot be read as a run.`] : []),
  ]
  if (runs.length === 0) return [`No run is recorded in ${path}.`, ...notes].join('\n')
  const rows = runs.map(({ runId, status, operator, items, completed, failed, retries, actor, atMs, retain }) => [
    runId ?? '-',
    status,
    operator ?? '-',
    items,
    completed,
    failed,
    retries,
    atMs === null ? '-' : new Date(atMs).toISOString().slice(0, 19).replace('T', ' '),
    actor ?? '-',
    retain ?? '-',
  ])
  const header = ['run', 'status', 'operator', 'items', 'completed', 'failed', 'retries', 'recorded', 'by', 'retained']
  return [table(header, rows), ...notes].join('\n')
}

/** A run that was stopped while it wrote its results goes on with the same command, but for what it has written. */
function requireFreeOutput(target: Parameters<typeof requireWritable>[0]): void {
  try {
    requireWritable(target)
  } catch (error) {
    if (!(error instanceof LcmError) || !existsSync(target.path) || target.isForced) throw error
    throw new LcmError(
      error.code,
      `${error.message} To go on with a run that has written it, give --force: items that have a result are not asked again.`,
      error.details,
      { cause: error },
    )
  }
}

function outputTarget({ output, force }: Pick<MapOptions, 'output' | 'force'>, input: string) {
  const path = outputPath(output)
  return path === null ? null : { path, source: input, isForced: force ?? false }
}

/** Writes the results to a file and gives them to the disk. */
async function writeResults(finished: FinishedMap, path: string): Promise<void> {
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true })
  await interruptible(async (signal) => {
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

/** The results as `writeResults` writes them; what is said of the run goes where notes go. */
async function* resultPieces(finished: FinishedMap): AsyncGenerator<string> {
  try {
    for await (const result of finished.results(new AbortController().signal)) yield `${JSON.stringify(result)}\n`
    for (const line of summaryLines(finished.report, STANDARD_OUTPUT)) printNote(line)
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

function summaryLines(report: MapOutcome, output: string | null): string[] {
  const { items, completed, failed, resumed, retries, runId, eventsPath } = report
  const before = resumed > 0 ? ` (${count(resumed)} of them before)` : ''
  return [
    `${plural(items, 'item')}: ${count(completed)} completed${before}, ${count(failed)} failed, ${plural(retries, 'retry', 'retries')}.`,
    ...(output === null
      ? items > SHOWN_RESULTS
        ? ['Only the first results are shown: -o FILE or --json gives all.']
        : []
      : [`Results: ${output === STANDARD_OUTPUT ? 'on standard output' : output}`]),
    ...(failed > 0 ? ['Start the same command again to try the failed items again.'] : []),
    ...(resumed === items ? ['Everything was done before: --again begins another run.'] : []),
    `Run ${runId}, recorded in ${eventsPath}`,
  ]
}
