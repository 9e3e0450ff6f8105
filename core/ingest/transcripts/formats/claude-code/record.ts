import { isObject, type JsonObject, objectAt, textAt } from '../../json-value.ts'

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

/** The blocks of a message; a plain string, be it the whole message or one of a list, is a text block. */
export function blocksOf({ content }: JsonObject): readonly unknown[] {
  const list: readonly unknown[] = Array.isArray(content) ? content : content == null ? [] : [content]
  return list.map((block) => (typeof block === 'string' ? { type: 'text', text: block } : block))
}

/** What a system record says; null where it says nothing. */
export const systemText = (record: JsonObject): string | null =>
  record.type === 'system' ? (textAt(record, 'content')?.trim() ? textAt(record, 'content') : null) : null

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
