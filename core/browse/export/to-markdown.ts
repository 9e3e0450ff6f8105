import { isoTime } from '#core/clock.ts'
import type { MemoryInfo } from '#core/contract/memory.ts'
import type { Message, MessagePart } from '#core/contract/message.ts'
import type { Exported, ExportedSummary } from './exported.ts'

/**
 * Writes a document for reading: each conversation with its window, its summaries from the roots down, and its
 * messages.
 */
export function* toMarkdown(info: MemoryInfo, conversations: Iterable<Exported>): Generator<string> {
  yield `# ${inline(info.fileName)}\n\nWritten by ${inline(`${info.systemLabel} ${info.systemVersion ?? ''}`.trim())}.\n`
  for (const { conversation, window, files, summaries, messages } of conversations) {
    yield `\n## Conversation ${conversation.conversationId}: ${inline(conversation.title ?? conversation.sessionId)}\n\n`
    yield `${conversation.messages} messages of ${conversation.storedTokens} tokens, ${conversation.summaries} summaries; the window holds ${conversation.contextItems} items of ${conversation.activeTokens} tokens.\n`
    yield '\n### Window\n\n'
    for (const { ordinal, id } of window) yield `${ordinal}. ${inline(id ?? 'nothing')}\n`
    if (files.length > 0) yield '\n### Files\n\n'
    for (const file of files) {
      yield `- ${inline(file.id)} ${inline(file.fileName ?? '')}, ${file.bytes ?? '?'} bytes\n`
    }
    yield '\n### Summaries\n'
    for (const summary of summaries()) yield ofSummary(summary)
    yield '\n### Messages\n'
    for (const message of messages()) yield ofMessage(message)
  }
}

function ofSummary(summary: ExportedSummary): string {
  const range = [summary.earliestAtMs, summary.latestAtMs].map(timeText)
  return [
    `\n#### ${inline(summary.id)} · ${summary.kind} ${summary.depth} · ${summary.tokens} tokens\n`,
    `${range[0]} to ${range[1]}; made from ${summary.sources.map(inline).join(', ') || 'nothing'}.\n`,
    fenced(summary.content),
  ].join('\n')
}

function ofMessage(message: Message): string {
  const at = message.createdAtMs === null ? '' : ` · ${timeText(message.createdAtMs)}`
  return [
    `\n#### ${inline(message.id)} · ${message.role} · ${message.tokens} tokens${at}${prunedNote(message)}\n`,
    ...(message.content === '' ? [] : [fenced(message.content)]),
    ...message.parts.flatMap((part) => ofPart(part, message.content)),
  ].join('\n')
}

/** A pruned output is marked, because the model does not see it any more. */
const prunedNote = ({ pruned }: Message): string =>
  pruned ? ` · no longer seen by its agent since ${timeText(pruned.atMs)}` : ''

/** Returns the lines of a part, without what the text of the message already says. */
function ofPart(part: MessagePart, content: string): string[] {
  const texts = [part.text, part.toolInput, part.toolOutput, part.toolError].filter(
    (text): text is string => text !== null && text !== '' && text !== content,
  )
  if (texts.length === 0) return []
  return [`${part.type}${part.toolName === null ? '' : ` ${inline(part.toolName)}`}:\n`, ...texts.map(fenced)]
}

/** Puts foreign text between fences that are longer than any fence in it, so that nothing in it is read as Markdown. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}\n`
}

/** The time in a damaged file may not be one. */
const timeText = (atMs: number | null): string => isoTime(atMs) ?? '?'

/** Returns a text as inline code on one line. Backticks in it are replaced. */
const inline = (text: string): string => `\`${text.replace(/\s+/g, ' ').replaceAll('`', 'ˋ')}\``
