import { z } from 'zod'

export const MapOperator = z.enum(['llm', 'agentic'])
export type MapOperator = z.infer<typeof MapOperator>

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

export const MapReport = z.object({
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
  /** In the order of the input. */
  results: z.array(MapResult),
})
export type MapReport = z.infer<typeof MapReport>
