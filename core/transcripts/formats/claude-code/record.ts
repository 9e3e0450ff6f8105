import { isObject, type JsonObject, listAt, objectAt, textAt } from '../../json-value.ts'

/** Records that carry no conversation: they are counted, not imported. */
const silentTypes: ReadonlySet<string> = new Set([
  'progress',
  'summary',
  'ai-title',
  'custom-title',
  'agent-name',
  'last-prompt',
  'mode',
  'permission-mode',
  'bridge-session',
  'pr-link',
  'queue-operation',
  'file-history-snapshot',
  'file-history-delta',
])
const spokenTypes: ReadonlySet<string> = new Set(['user', 'assistant', 'system', 'attachment'])

export type RecordKind = 'spoken' | 'silent' | 'unknown'

/** Whether this is a record of a Claude Code session, and one that can hold conversation. */
export function kindOf(record: JsonObject): RecordKind {
  const type = textAt(record, 'type') ?? ''
  if (silentTypes.has(type)) return 'silent'
  return spokenTypes.has(type) && (record.sessionId !== undefined || record.uuid !== undefined) ? 'spoken' : 'unknown'
}

/** Text that the program put into the user's mouth: commands, their output, reminders, notices. */
const harnessText =
  /^\s*<(?:command-(?:name|message|args)|local-command-|bash-(?:input|stdout|stderr)|system-reminder|task-notification|user-prompt-submit-hook)|^\[Request interrupted by user/

export const isHarnessText = (text: string): boolean => harnessText.test(text)

/** The blocks of a message; a message that is a plain string is one text block. */
export function blocksOf(message: JsonObject): readonly unknown[] {
  return typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : listAt(message, 'content')
}

/** What a person typed in this record, or null when nobody typed it. */
export function typedText(record: JsonObject): string | null {
  if (record.type !== 'user' || record.isMeta === true || record.isCompactSummary === true) return null
  const blocks = blocksOf(objectAt(record, 'message')).filter(isObject)
  const text = blocks.map((block) => textAt(block, 'text') ?? '').find((candidate) => candidate.trim() !== '')
  return text === undefined || isHarnessText(text) ? null : text
}

/** The slash command that a record stands for, with its arguments. */
export function commandText(record: JsonObject): string | null {
  const content = record.type === 'user' ? textAt(objectAt(record, 'message'), 'content') : null
  const name = /<command-name>([^<]+)<\/command-name>/.exec(content ?? '')?.[1]
  if (name === undefined) return null
  const given = /<command-args>([\s\S]*?)<\/command-args>/.exec(content ?? '')?.[1] ?? ''
  return `${name} ${given}`.trim()
}
