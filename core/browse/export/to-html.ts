import { isoTime } from '#core/clock.ts'
import type { MemoryInfo } from '#core/contract/memory.ts'
import type { Message, MessagePart } from '#core/contract/message.ts'
import { sha256 } from '#core/hashing.ts'
import { escapeMarkup } from '#core/markup.ts'
import { toolLine } from '#core/systems/reading/message-openings.ts'
import { excerptOf } from '#core/text.ts'
import { titleOf } from '../text-name.ts'
import type { Exported, ExportedNote, ExportedSummary } from './exported.ts'
import { PAGE_SCRIPT } from './page/page-script.ts'
import { depthClass, fragment, MOST_BARS, strataDrawing } from './page/page-strata.ts'
import { PAGE_STYLE } from './page/page-style.ts'

/** Browsers show a page up to these sizes without trouble. The newest messages are kept. */
const MOST_MESSAGES = 20_000
const MOST_CHARS = 48_000_000
const MOST_TEXT_CHARS = 100_000

/** What is left of the size of a page. */
type Room = { chars: number }

/**
 * Writes one page that shows itself in a browser, also from disk and without a network: strata, window, lineage,
 * summaries, messages, and a search over them. Every id is a link to what it names. Foreign text is shown as it is and
 * can neither add markup nor run or load anything: the policy of the page permits its own style and script only.
 */
export function* toHtml(
  info: MemoryInfo,
  conversations: Iterable<Exported>,
  isSanitized: boolean,
  most: { readonly messages: number; readonly chars: number } = { messages: MOST_MESSAGES, chars: MOST_CHARS },
): Generator<string> {
  const room: Room = { chars: most.chars }
  const origin = [
    `${info.systemLabel} ${info.systemVersion ?? ''}`.trim(),
    'read-only copy',
    ...(isSanitized ? ['keys, addresses and paths replaced'] : []),
  ]
  yield pageStart(info.fileName, origin.join(' · '))
  for (const exported of conversations) yield* ofConversation(exported, most.messages, room)
  yield `</main><aside aria-label="Lineage"><h2>Lineage</h2><p>Select a bar of the strata, a summary or a message to see what it was made from and what stands for it.</p></aside></div>
<script>${PAGE_SCRIPT}</script></body></html>
`
}

const source = (text: string): string => `'sha256-${sha256(text, 'base64')}'`

const pageStart = (title: string, origin: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${source(PAGE_STYLE)}; script-src ${source(PAGE_SCRIPT)}; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width"><meta name="referrer" content="no-referrer">
<title>${escapeMarkup(title)}</title><style>${PAGE_STYLE}</style></head><body>
<header><div><h1 dir="auto">${escapeMarkup(title)}</h1><p>${escapeMarkup(origin)}</p></div>
<search><output aria-live="polite"></output><input type="search" placeholder="Filter by a text  /" aria-label="Filter by a text"></search></header>
<div class="body"><main>
`

function* ofConversation(exported: Exported, mostMessages: number, room: Room): Generator<string> {
  const { conversation, window, files, notes } = exported
  const noteOf = (id: string) => notedText(notes.get(id))
  const names = new Map<string, string>()
  for (const summary of exported.summaries()) names.set(summary.id, titleOf(summary.content))
  const shownIds = [...new Set([...window.map(({ id }) => id), ...notes.keys()])]
  const messageIds = shownIds.flatMap((id) => (id === null || names.has(id) ? [] : id))
  for (const [id, name] of exported.names(messageIds)) names.set(id, name)
  const nameOf = (id: string) => names.get(id) || id
  const left = Math.max(0, conversation.messages - mostMessages)
  const title = conversation.title ?? conversation.sessionId

  yield `<section class="conversation"><h2 dir="auto">Conversation ${conversation.conversationId}: ${escapeMarkup(excerptOf(title))}</h2>\n`
  yield `<p>${count(conversation.messages)} messages of ${count(conversation.storedTokens)} tokens, ${count(conversation.summaries)} summaries; the window holds ${count(conversation.contextItems)} items of ${count(conversation.activeTokens)} tokens.</p>\n`
  if (left > 0)
    yield `<p class="note">This page shows the newest ${mostMessages} of ${conversation.messages} messages. <code>lcm export --format json</code> writes all of them.</p>\n`
  if (conversation.summaries > MOST_BARS)
    yield `<p class="note">The strata show the ${MOST_BARS} widest of ${conversation.summaries} summaries. All are listed below.</p>\n`
  yield strataDrawing(exported.strata(), nameOf)
  yield `<div><h3>Window · ${count(window.length)}</h3>\n<div class="items"><ol class="window">\n`
  for (const { ordinal, id } of window)
    yield `<li dir="auto"><b>${ordinal}</b>${id === null ? 'nothing' : linkTo(id, nameOf(id))}</li>\n`
  yield '</ol></div></div>\n'
  if (files.length > 0) yield `<h3>Files · ${files.length}</h3>\n`
  for (const file of files)
    yield `<p id="${escapeMarkup(file.id)}" dir="auto">${escapeMarkup(`${file.id} ${file.fileName ?? ''}, ${file.bytes === null ? 'of unknown size' : `${count(file.bytes)} bytes`}`)}</p>\n`
  yield* ofNotes(exported, nameOf)
  const seen = new Set(window.map(({ id }) => id))
  yield `<h3>Summaries · ${count(conversation.summaries)}</h3>\n`
  for (const summary of exported.summaries())
    yield ofSummary(summary, nameOf(summary.id), seen.has(summary.id), noteOf(summary.id), room)
  yield `<h3>Messages · ${count(conversation.messages)}</h3>\n`
  for (const message of exported.messages(left)) yield ofMessage(message, noteOf(message.id), room)
  yield '</section>\n'
}

/** Lists what the user pinned and noted, before what it is about. */
function* ofNotes({ notes }: Exported, nameOf: (id: string) => string): Generator<string> {
  if (notes.size === 0) return
  yield `<div><h3>Pins and notes · ${notes.size}</h3>\n`
  for (const [id, note] of notes) yield `<p dir="auto">${linkTo(id, nameOf(id))}</p>${notedText(note)}\n`
  yield '</div>\n'
}

function notedText(note: ExportedNote | undefined): string {
  if (note === undefined) return ''
  const words = [note.isPinned ? 'Pinned' : 'Note', note.text].filter(Boolean).join(' · ')
  return `<p class="note" dir="auto">${escapeMarkup(words).replaceAll('\n', '<br>')}</p>`
}

const linkTo = (id: string, name = id): string => `<a href="${fragment(id)}">${escapeMarkup(name)}</a>`

const begins = (id: string, name: string, isSeen: boolean): string =>
  `id="${escapeMarkup(id)}" data-node data-name="${escapeMarkup(name)}"${isSeen ? ' data-seen="1"' : ''}`

function ofSummary(summary: ExportedSummary, name: string, isSeen: boolean, note: string, room: Room): string {
  const { id, kind, depth, tokens, sources, content } = summary
  const [from, to] = [summary.earliestAtMs, summary.latestAtMs].map(timeText)
  const seen = isSeen ? ' · <span class="seen">in the window</span>' : ''
  return [
    `<details class="${depthClass(depth)}" ${begins(id, name, isSeen)}><summary dir="auto"><b>${escapeMarkup(name)}</b><br><small class="words">${escapeMarkup(`${id} · ${kind === 'leaf' ? 'leaf' : `depth ${depth}`} · ${count(tokens)} tokens · ${from} to ${to}`)}${seen}</small></summary>`,
    ...(note === '' ? [] : [note]),
    preformatted(content, room),
    `<p class="sources">Made from ${sources.map((one) => linkTo(one)).join(', ') || 'nothing'}.</p>`,
    '</details>\n',
  ].join('\n')
}

function ofMessage(message: Message, noted: string, room: Room): string {
  const { id, role, tokens, createdAtMs, content, parts, pruned, visibility, coveredBy } = message
  const at = createdAtMs === null ? '' : ` · ${timeText(createdAtMs)}`
  const note = pruned ? ` · no longer seen by its agent since ${timeText(pruned.atMs)}` : ''
  const cover = coveredBy.find((one) => one.inWindow)
  const state =
    visibility === 'in_window'
      ? '<span class="seen">in the window</span>'
      : visibility === 'covered' && cover
        ? `seen through ${linkTo(cover.id)}`
        : 'not in the window'
  const isSeen = visibility === 'in_window'
  return [
    `<article class="${role}" ${begins(id, titleOf(content || callOf(parts)) || role, isSeen)}><h4><b>${role}</b> · ${linkTo(id)} · ${count(tokens)} tokens${at}${note} · ${state}</h4>`,
    ...(noted === '' ? [] : [noted]),
    ...(content === '' ? [] : [preformatted(content, room)]),
    ...parts.flatMap((part) => ofPart(part, content, room)),
    '</article>\n',
  ].join('\n')
}

/** A message without text is named by its first call. */
function callOf(parts: readonly MessagePart[]): string {
  const call = parts.find(({ toolName, toolInput }) => toolName !== null || toolInput !== null)
  return call ? toolLine({ name: call.toolName, input: call.toolInput ?? '', output: call.toolOutput ?? '' }) : ''
}

/** Returns the texts of a part, without what the text of the message already says. */
function ofPart(part: MessagePart, content: string, room: Room): string[] {
  const texts = [part.text, part.toolInput, part.toolOutput, part.toolError].filter(
    (text): text is string => text !== null && text !== '' && text !== content,
  )
  if (texts.length === 0) return []
  const name = `${part.type} ${part.toolName ?? ''}`.trim()
  return [
    `<div class="part"><p class="words">${escapeMarkup(name)}</p>`,
    ...texts.map((text) => preformatted(text, room)),
    '</div>',
  ]
}

/** Returns a text, or as much of it as there is room for, with a note. A parser drops the first line break after the tag. */
function preformatted(text: string, room: Room): string {
  const length = Math.min(text.length, MOST_TEXT_CHARS, room.chars)
  room.chars -= length
  const shown = `<pre dir="auto">\n${escapeMarkup(text.slice(0, length))}</pre>`
  if (length === text.length) return shown
  return `${shown}<p class="note">${text.length - length} more characters of this text are left out of the page.</p>`
}

const count = (value: number | null): string => (value === null ? '?' : value.toLocaleString('en'))

/** The time in a damaged file may not be one. */
const timeText = (atMs: number | null | undefined): string =>
  (atMs === null || atMs === undefined ? null : isoTime(atMs))?.replace('T', ' ').replace(/\.000Z$/, 'Z') ?? '?'
