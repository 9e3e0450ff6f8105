import { z } from 'zod'
import { TimeMs } from './ids.ts'
import { MAP_RANGES } from './lists.ts'

const between = ({ min, max }: { readonly min: number; readonly max: number }) => z.int().min(min).max(max)

export const MapOperator = z.enum(['llm', 'agentic'])
export type MapOperator = z.infer<typeof MapOperator>

/** The same work for every item of a list. */
export const MapSpec = z.object({
  operator: MapOperator.describe('who does the work: a model, or a command'),
  input: z
    .string()
    .min(1)
    .meta({ description: 'the items: a JSON array, or JSONL with one item a line', value: 'file' }),
  prompt: z
    .string()
    .max(1_000_000)
    .optional()
    .describe('llm: the prompt template, with {{item}} where the item belongs'),
  schema: z.string().max(1_000_000).optional().describe('the JSON Schema that every answer has to match'),
  retain: z
    .string()
    .max(10_000)
    .optional()
    .meta({ description: 'agentic: what you stay responsible for; needed', value: 'text' }),
  command: z
    .array(z.string().max(100_000))
    .max(1_000)
    .default([])
    .meta({ description: 'the program that does the work, and its arguments', value: 'command' }),
  summarizer: z.string().max(80).optional().meta({
    description: 'llm: a configured provider, or chain (default: chain, or the only provider)',
    value: 'name',
  }),
  concurrency: between(MAP_RANGES.concurrency).default(4).describe('items that are worked on at the same time'),
  retries: between(MAP_RANGES.retries).default(2).describe('more tries for an item after the first'),
  timeoutSeconds: between(MAP_RANGES.timeoutSeconds)
    .default(600)
    .meta({ description: 'the longest time for one call of a command', value: 'seconds' }),
  again: z.boolean().default(false).describe('begin another run, although the same one was made before'),
})
export type MapSpec = z.infer<typeof MapSpec>
/** The same with its defaults left out. */
export type RequestedMap = z.input<typeof MapSpec>

/** A line of `map.events.jsonl`. Names and hashes are those of decapod; the last six are added by this app. */
export const MapEvent = z.object({
  actor: z.string(),
  event_id: z.string(),
  item_count: z.int(),
  /** `map.llm` or `map.agentic`. */
  op: z.string(),
  prompt_hash: z.string().optional(),
  schema_hash: z.string().optional(),
  /** SHA-256 of the command that items were delegated to. */
  delegate_hash: z.string().optional(),
  /** What the caller stayed responsible for. */
  retain: z.string().optional(),
  /** SHA-256 of the list of results: index, hash of the item and status of each. */
  result_hash: z.string().optional(),
  /** `completed`, `failed` when an item has no valid result, or `cancelled`. */
  status: z.string(),
  /** The time as `<epoch seconds>Z`. */
  ts: z.string(),
  run_id: z.string().optional(),
  /** SHA-256 of the hashes of the items, joined by commas. */
  input_hash: z.string().optional(),
  /** SHA-256 of the hashes of the outputs, joined by commas. An item without one is an empty text. */
  output_hash: z.string().optional(),
  completed_count: z.int().optional(),
  failed_count: z.int().optional(),
  /** The number of tries after the first ones. */
  retry_count: z.int().optional(),
})
export type MapEvent = z.infer<typeof MapEvent>

/** What came of one item. The names are those of the file that is written with `--output`. */
export const MapResult = z.object({
  /** The number of the item in the input, from 0. */
  index: z.int(),
  /** SHA-256 of the item as JSON with sorted keys. */
  item_hash: z.string(),
  status: z.enum(['completed', 'failed']),
  /** How often it was tried. */
  attempts: z.int(),
  /** The answer, valid against the schema. Missing when the item failed. */
  output: z.unknown().optional(),
  /** SHA-256 of the output as JSON with sorted keys. */
  output_hash: z.string().optional(),
  /** Why the last try failed. */
  problem: z.string().optional(),
})
export type MapResult = z.infer<typeof MapResult>

/** What came of a run, without its results, which may be more than fit into an answer. */
export const MapOutcome = z.object({
  runId: z.string(),
  operator: MapOperator,
  items: z.int(),
  completed: z.int(),
  failed: z.int(),
  /** Results that an earlier, interrupted start of this run had left. */
  resumed: z.int(),
  retries: z.int(),
  /** The record of the run: every try and every result, in the order in which they were finished. */
  journal: z.string(),
  /** The file with the events of all runs. */
  eventsPath: z.string(),
  event: MapEvent,
})
export type MapOutcome = z.infer<typeof MapOutcome>

export const MapReport = MapOutcome.extend({
  /** In the order of the input. */
  results: z.array(MapResult),
})
export type MapReport = z.infer<typeof MapReport>

/** A run as the record beside a memory tells it. Runs of decapod have no id, and nothing is known of their items. */
export const MapRun = z.object({
  /** Tells this row from the others. */
  key: z.string(),
  runId: z.string().nullable(),
  operator: MapOperator.nullable(),
  actor: z.string().nullable(),
  /** When it was recorded last, or begun when it has not been recorded yet. */
  atMs: TimeMs.nullable(),
  items: z.int(),
  completed: z.int().nullable(),
  failed: z.int().nullable(),
  retries: z.int().nullable(),
  /** `interrupted`: it was begun, and it neither runs nor has a record of its end. */
  status: z.enum(['completed', 'failed', 'cancelled', 'running', 'interrupted', 'other']),
  retain: z.string().nullable(),
  /** Hashes by the names that they have in the record. */
  hashes: z.record(z.string(), z.string()),
  /** There is a journal with its tries and results. */
  hasJournal: z.boolean(),
})
export type MapRun = z.infer<typeof MapRun>

export const MapRuns = z.object({
  /** The file with the events. */
  path: z.string(),
  /** The newest first. */
  runs: z.array(MapRun),
  /** Lines of the file that are no events. */
  unreadable: z.int(),
  /** True when there are older runs that are not listed. */
  isCut: z.boolean(),
})
export type MapRuns = z.infer<typeof MapRuns>

export const MapItemsInput = z.object({
  runId: z
    .string()
    .regex(/^[0-9a-f]{16}(-[1-9]\d{0,8})?$/)
    .meta({ description: 'the run', examples: ['0123456789abcdef'] }),
  only: z.enum(['all', 'retries', 'failures']).default('all').describe('which steps'),
  cursor: z
    .string()
    .regex(/^\d{1,15}$/)
    .optional()
    .describe('go on from an earlier answer'),
  limit: z.int().min(1).max(1000).default(200).describe('steps a page'),
})
export type MapItemsInput = z.infer<typeof MapItemsInput>

/** A line of the journal of a run: a try that failed, or a result. */
export const MapStep = z.object({
  /** The offset of the line, which tells it from the others. */
  at: z.int(),
  kind: z.enum(['retry', 'completed', 'failed']),
  index: z.int(),
  /** The number of this try, or of all tries of a result. */
  attempts: z.int(),
  /** The beginning of the output, or why the try failed. */
  text: z.string(),
  itemHash: z.string().nullable(),
  outputHash: z.string().nullable(),
  atMs: TimeMs,
})
export type MapStep = z.infer<typeof MapStep>

export const MapSteps = z.object({
  /** In the order in which they ended. */
  steps: z.array(MapStep),
  /** Null at the end of the journal. */
  nextCursor: z.string().nullable(),
})
export type MapSteps = z.infer<typeof MapSteps>
