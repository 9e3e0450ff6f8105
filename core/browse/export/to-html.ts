import { isoTime } from '../../clock.ts'
import type { MemoryInfo } from '../../contract/memory.ts'
import type { Message, MessagePart } from '../../contract/message.ts'
import { escapeMarkup, HTML_END, htmlStart } from '../../markup.ts'
import { excerptOf } from '../../text.ts'
import type { Exported, ExportedSummary } from './exported.ts'

/**
 * Writes one page for reading in a browser. Every id is a link to what it names, so lineage can be followed from the
 * window to the messages. Foreign text is shown as it is and can neither add markup nor load anything.
 */
export function* toHtml(info: MemoryInfo, conversations: Iterable<Exported>): Generator<string> {
  yield htmlStart(info.fileName)
  yield `<h1>${escapeMarkup(info.fileName)}</h1>\n`
  yield `<p>Written by ${escapeMarkup(`${info.systemLabel} ${info.systemVersion ?? ''}`.trim())}.</p>\n`
  for (const { conversation, window, files, summaries, messages } of conversations) {
    const title = conversation.title ?? conversation.sessionId
    yield `<h2 dir="auto">Conversation ${conversation.conversationId}: ${escapeMarkup(excerptOf(title))}</h2>\n`
    yield `<p>${conversation.messages} messages of ${conversation.storedTokens} tokens, ${conversation.summaries} summaries; the window holds ${conversation.contextItems} items of ${conversation.activeTokens} tokens.</p>\n`
    yield '<h3>Window</h3>\n<ol>\n'
    for (const { ordinal, id } of window) yield `<li value="${ordinal}">${id === null ? 'nothing' : linkTo(id)}</li>\n`
    yield '</ol>\n'
    if (files.length > 0) yield '<h3>Files</h3>\n'
    for (const file of files)
      yield `<p id="${escapeMarkup(file.id)}">${escapeMarkup(`${file.id} ${file.fileName ?? ''}, ${file.bytes ?? '?'} bytes`)}</p>\n`
    yield '<h3>Summaries</h3>\n'
    for (const summary of summaries()) yield ofSummary(summary)
    yield '<h3>Messages</h3>\n'
    for (const message of messages()) yield ofMessage(message)
  }
  yield HTML_END
}

const linkTo = (id: string): string =>
  `<a href="#${escapeMarkup(encodeURIComponent(id.toWellFormed()))}">${escapeMarkup(id)}</a>`

function ofSummary(summary: ExportedSummary): string {
  const { id, kind, depth, tokens, sources, content } = summary
  const [from, to] = [summary.earliestAtMs, summary.latestAtMs].map(timeText)
  return [
    `<details id="${escapeMarkup(id)}"><summary><b dir="auto">${escapeMarkup(excerptOf(content, 100))}</b><br><small>${escapeMarkup(`${id} · ${kind} ${depth} · ${tokens ?? '?'} tokens`)}</small></summary>`,
    `<p>${from} to ${to}; made from ${sources.map(linkTo).join(', ') || 'nothing'}.</p>`,
    preformatted(content),
    '</details>\n',
  ].join('\n')
}

function ofMessage({ id, role, tokens, createdAtMs, content, parts, pruned }: Message): string {
  const at = createdAtMs === null ? '' : ` · ${timeText(createdAtMs)}`
  const note = pruned ? ` · no longer seen by its agent since ${timeText(pruned.atMs)}` : ''
  return [
    `<article id="${escapeMarkup(id)}"><b>${escapeMarkup(id)}</b> · ${role} · ${tokens} tokens${at}${note}`,
    ...(content === '' ? [] : [preformatted(content)]),
    ...parts.flatMap((part) => ofPart(part, content)),
    '</article>\n',
  ].join('\n')
}

/** Returns the texts of a part, without what the text of the message already says. */
function ofPart(part: MessagePart, content: string): string[] {
  const texts = [part.text, part.toolInput, part.toolOutput, part.toolError].filter(
    (text): text is string => text !== null && text !== '' && text !== content,
  )
  if (texts.length === 0) return []
  return [`<p>${escapeMarkup(`${part.type} ${part.toolName ?? ''}`.trim())}</p>`, ...texts.map(preformatted)]
}

// A parser drops the first line break after the tag.
const preformatted = (text: string): string => `<pre dir="auto">\n${escapeMarkup(text)}</pre>`

/** The time in a damaged file may not be one. */
const timeText = (atMs: number | null | undefined): string =>
  atMs === null || atMs === undefined ? '?' : (isoTime(atMs) ?? '?')
