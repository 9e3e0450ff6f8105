import { parsedJson } from '#core/parsed-json.ts'
import { nextKey } from '#core/sqlite/keyset.ts'
import type { ReadDb, SqlValue } from '#core/sqlite/read-db.ts'
import { partMetadata } from '#core/sqlite/repeated-texts.ts'

/** What one answer of a model used. Input tokens include those from the cache. Null is what is not recorded. */
export type StepUsage = {
  readonly messageId: number
  readonly input: number
  readonly cached: number | null
  readonly written: number | null
  readonly output: number | null
  readonly cost: number | null
  readonly model: string | null
}

type Row = {
  readonly messageId: number
  readonly input: unknown
  readonly output: unknown
  readonly cost: unknown
  readonly metadata: unknown
}

const queries = {
  ofMessages: /* sql */ `
    SELECT p.message_id AS messageId, p.step_tokens_in AS input, p.step_tokens_out AS output, p.step_cost AS cost,
      ${partMetadata('p')} AS metadata
    FROM message_parts AS p
    WHERE p.message_id IN (SELECT value FROM json_each(:ids)) AND p.part_type = 'step_finish'
    ORDER BY p.message_id, p.ordinal`,
  messagesAfter: /* sql */ `
    SELECT message_id FROM messages WHERE message_id > :last ORDER BY message_id LIMIT CAST(:limit AS INTEGER)`,
  costs: /* sql */ `
    SELECT p.step_cost
    FROM message_parts AS p
    WHERE p.message_id IN (SELECT value FROM json_each(:ids)) AND p.part_type = 'step_finish'`,
}

/** The recorded steps of some messages, by message, each in the order of its parts. */
export function stepsOfMessages(db: ReadDb, ids: readonly number[]): ReadonlyMap<number, readonly StepUsage[]> {
  const steps = db
    .all<Row>(queries.ofMessages, { ids: JSON.stringify(ids) })
    .map(stepOf)
    .filter((step) => step !== null)
  return Map.groupBy(steps, ({ messageId }) => messageId)
}

/**
 * What the recorded steps of the next messages of a file cost, in the order of their ids. Null when there is no further
 * message.
 * @throws LcmError file_corrupt where the ids do not ascend
 */
export function costsAfter(
  db: ReadDb,
  last: number,
  limit: number,
): { readonly last: number; readonly costs: readonly number[] } | null {
  const ids = db.rows<[number]>(queries.messagesAfter, { last, limit }).map(([id]) => id)
  if (ids.length === 0) return null
  const newest = nextKey(db, 'the numbers of messages', last, ids.at(-1))
  const costs = db.rows<[SqlValue]>(queries.costs, { ids: JSON.stringify(ids) }).flatMap(([cost]) => costOf(cost) ?? [])
  return { last: newest, costs }
}

/** Imports keep what came from the cache beside the sum of all input; files of pi-lcm keep Pi's own record. */
function stepOf({ messageId, input, output, cost, metadata }: Row): StepUsage | null {
  const facts = factsIn(metadata)
  const usage = objectOf(facts.usage)
  const sent = countOf(input)
  if (sent === null) return null
  const [read, write] = [countOf(usage.cacheRead), countOf(usage.cacheWrite)]
  return {
    messageId,
    input: sent + (read ?? 0) + (write ?? 0),
    cached: countOf(facts.cacheReadTokens) ?? read,
    written: countOf(facts.cacheWriteTokens) ?? write,
    output: countOf(output),
    cost: costOf(cost),
    model: typeof facts.model === 'string' ? facts.model : null,
  }
}

/** Broken metadata says nothing of the step, and the check of parts reports it. */
const factsIn = (metadata: unknown): Readonly<Record<string, unknown>> =>
  typeof metadata === 'string' ? objectOf(parsedJson(metadata)) : {}

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

const countOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null

const costOf = (value: unknown): number | null => (typeof value === 'number' && Number.isFinite(value) ? value : null)
