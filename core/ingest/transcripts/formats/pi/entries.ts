import { isObject, type JsonObject, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import type { RecordGraph } from '#core/ingest/transcripts/record-graph.ts'

/** The types of entries. A session also has a header. */
export const entryTypes: ReadonlySet<string> = new Set([
  'message',
  'model_change',
  'thinking_level_change',
  'compaction',
  'branch_summary',
  'custom',
  'custom_message',
  'label',
  'session_info',
  'context_edit',
  'usage',
  'leaf',
  'reset',
  'reset_boundary',
  'title_change',
  'model_usage',
  'mode_change',
  'session_init',
  'service_tier_change',
  'ttsr_injection',
  'credential_pin',
])

const spokenTypes: ReadonlySet<string> = new Set(['custom_message', 'branch_summary', 'session_init'])

/**
 * True for an entry with a message that has a role, for what an extension or the end of a branch says to the model, and for
 * the system prompt of a sub-agent.
 */
export const isSpoken = (entry: JsonObject): boolean =>
  entry.type === 'message'
    ? textAt(objectAt(entry, 'message'), 'role') !== null
    : spokenTypes.has(textAt(entry, 'type') ?? '')

/**
 * True for an answer that failed, was interrupted or was asked for again, for what the person ran with `!!` or `$$`, and
 * for what OpenClaw itself said in the place of the model.
 */
export function isUnsent(message: JsonObject): boolean {
  if (isRun(message)) return message.excludeFromContext === true
  if (message.role !== 'assistant') return false
  const isOfProgram = message.provider === 'openclaw' && programWords.has(textAt(message, 'model') ?? '')
  const isRetried = isObject(message.retryRecovery)
  return isOfProgram || isRetried || message.stopReason === 'error' || message.stopReason === 'aborted'
}

/** Whether a person ran something at the prompt: a command, or in oh-my-pi also lines of Python. */
const isRun = ({ role }: JsonObject): boolean => role === 'bashExecution' || role === 'pythonExecution'

/** What OpenClaw names as the model of its own words. */
const programWords: ReadonlySet<string> = new Set(['gateway-injected', 'delivery-mirror'])

/**
 * The entry from which the session goes on behind this one. OpenClaw says with an entry of its own that somebody went back
 * to another, and that the session begins anew, and oh-my-pi that its window was cleared.
 */
function parentOf(record: JsonObject): string | null | undefined {
  if (record.type === 'reset' || record.type === 'reset_boundary') return null
  if (record.type === 'leaf') return textAt(record, 'targetId')
  return record.parentId === null ? null : (textAt(record, 'parentId') ?? undefined)
}

/** Entries of version 1 have no ids, and all of them are live. Others may hang on an entry of an unknown type. */
export function addEntry(graph: RecordGraph, record: JsonObject, line: number): void {
  const id = textAt(record, 'id')
  if (id === null || record.type === 'session') return
  graph.add(id, parentOf(record), {
    isSpoken: isSpoken(record),
    line,
  })
}
