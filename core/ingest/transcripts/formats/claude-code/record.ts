import { isObject, type JsonObject, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'

/** These records have no conversation. They are counted and not stored. */
const silentTypes: ReadonlySet<string> = new Set([
  'progress',
  'summary',
  'ai-title',
  'custom-title',
  'agent-name',
  'agent-color',
  'agent-setting',
  'tag',
  'session-owner',
  'worktree-state',
  'relocated',
  'last-prompt',
  'mode',
  'permission-mode',
  'bridge-session',
  'pr-link',
  'queue-operation',
  'file-history-snapshot',
  'file-history-delta',
  // What the program sent and what it cost: the same texts stand in messages and attachments.
  'api-request',
  'api-request-blob',
  'api-request-shape',
  'atis-latch',
  'cost-state',
  'tools-used',
])
const spokenTypes: ReadonlySet<string> = new Set(['user', 'assistant', 'system', 'attachment'])

export type RecordKind = 'spoken' | 'silent' | 'unknown'

/** Says whether this is a record of a Claude Code session, and whether it can have conversation. */
export function kindOf(record: JsonObject): RecordKind {
  const type = textAt(record, 'type') ?? ''
  if (silentTypes.has(type)) return 'silent'
  return spokenTypes.has(type) && (record.sessionId !== undefined || record.uuid !== undefined) ? 'spoken' : 'unknown'
}

/** Matches text that the program wrote in the name of the user: commands, their output, reminders and notices. */
const harnessText =
  /^\s*<(?:command-(?:name|message|args)|local-command-|bash-(?:input|stdout|stderr)|system-reminder|task-notification|user-prompt-submit-hook)|^\[Request interrupted by user/

export const isHarnessText = (text: string): boolean => harnessText.test(text)

/** Returns the blocks of a message. A plain string is a text block. */
export function blocksOf({ content }: JsonObject): readonly unknown[] {
  const list: readonly unknown[] = Array.isArray(content) ? content : content == null ? [] : [content]
  return list.map((block) => (typeof block === 'string' ? { type: 'text', text: block } : block))
}

/**
 * Returns a block as it is sent. A message to an agent is recorded with fields that repeat what the model wrote, and sent
 * without them.
 */
export function asSent(block: unknown): unknown {
  if (!isObject(block) || block.type !== 'tool_use' || block.name !== 'SendMessage' || !isObject(block.input))
    return block
  const { type: _, recipient, recipient_kind: __, content, ...written } = block.input
  const isRepeated = recipient === written.to && content === written.message
  return isRepeated ? { ...block, input: written } : block
}

/** Returns the text of a system record, or null when it has none. */
export const systemText = (record: JsonObject): string | null =>
  record.type === 'system' ? (textAt(record, 'content')?.trim() ? textAt(record, 'content') : null) : null

/** Returns what a person typed in this record, or null. */
export function typedText(record: JsonObject): string | null {
  if (record.type !== 'user' || record.isMeta === true || record.isCompactSummary === true) return null
  const blocks = blocksOf(objectAt(record, 'message')).filter(isObject)
  const text = blocks.map((block) => textAt(block, 'text') ?? '').find((candidate) => candidate.trim() !== '')
  return text === undefined || isHarnessText(text) ? null : text
}

/** Returns the slash command that a record stands for, with its arguments. */
export function commandText(record: JsonObject): string | null {
  const content = record.type === 'user' ? textAt(objectAt(record, 'message'), 'content') : null
  const name = /<command-name>([^<]+)<\/command-name>/.exec(content ?? '')?.[1]
  if (name === undefined) return null
  const given = /<command-args>([\s\S]*?)<\/command-args>/.exec(content ?? '')?.[1] ?? ''
  return `${name} ${given}`.trim()
}
