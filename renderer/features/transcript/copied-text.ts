import type { Message } from '#core/contract/message.ts'
import { assertNever } from '#renderer/assert-never.ts'
import { formatRoute, type Route } from '#renderer/routes.ts'
import { type Block, blocksOf, isBareMark } from './blocks.ts'
import { prettyJson } from './tool-line.ts'

/** What messages are copied as. A link is the address of the place. */
export type CopyForm = 'markdown' | 'json' | 'text'

/** Returns whole messages as text for the clipboard. */
export function copiedText(messages: readonly Message[], form: CopyForm): string {
  switch (form) {
    case 'markdown':
      return messages
        .map((message) => `${[markdownHead(message), ...bodyOf(message, MARKDOWN)].join('\n\n')}\n`)
        .join('\n')
    case 'text':
      return messages.map((message) => `${[textHead(message), ...bodyOf(message, PLAIN)].join('\n')}\n`).join('\n')
    case 'json':
      return `${JSON.stringify(messages.length === 1 ? messages[0] : messages, null, 2)}\n`
    default:
      return assertNever(form)
  }
}

/** Returns the address of a selection in the transcript. */
export function copiedLink(page: string, route: Route, place: Pick<Route, 'selection' | 'shown'>): string {
  return `${page.replace(/#.*$/s, '')}${formatRoute({ ...route, ...place, view: 'messages' })}`
}

const factsOf = ({ id, tokens, createdAtMs }: Message): string => {
  const time = createdAtMs === null ? [] : [new Date(createdAtMs).toISOString()]
  return [id, `${tokens} tokens`, ...time].join(' · ')
}
const markdownHead = (message: Message): string => `### ${message.role} · ${factsOf(message)}`
const textHead = (message: Message): string => `[${message.role} · ${factsOf(message)}]`

/** How the parts of a message are written. */
type Style = {
  readonly prose: (text: string) => string
  readonly named: (name: string, text: string, language: string) => string
}

const MARKDOWN: Style = {
  prose: (text) => text,
  named: (name, text, language) => (text.trim() === '' ? `**${name}**` : `**${name}**\n\n${fenced(text, language)}`),
}

const PLAIN: Style = {
  prose: (text) => text,
  named: (name, text) => (text.trim() === '' ? `${name}` : `${name}:\n${text}`),
}

function bodyOf(message: Message, style: Style): readonly string[] {
  return blocksOf(message)
    .filter((block) => !isBareMark(block))
    .flatMap((block) => blockTexts(block, style))
}

function blockTexts(block: Block, { prose, named }: Style): readonly string[] {
  switch (block.kind) {
    case 'text':
      return [prose(block.text)]
    case 'reasoning':
      return [named('reasoning', block.text, '')]
    case 'tool_call': {
      const input = prettyJson(block.input)
      const result = block.error === '' ? block.output : block.error
      const call = named(`call of ${block.toolName}`, input, input.startsWith('{') ? 'json' : '')
      return result === '' ? [call] : [call, named(block.error === '' ? 'result' : 'error', result, '')]
    }
    case 'tool_result':
      return [
        named(
          `${block.isError ? 'error' : 'result'}${block.toolName === null ? '' : ` of ${block.toolName}`}`,
          block.output,
          '',
        ),
      ]
    case 'patch':
      return [named(block.title, block.text, 'diff')]
    case 'file':
      return [named(`file ${block.name ?? block.mime ?? ''}`.trim(), block.text, '')]
    case 'compaction':
      return block.text === '' ? [] : [named('compaction', block.text, '')]
    case 'subtask':
      return [named(block.title, block.text, '')]
    case 'mark':
      return [named(block.label, block.text, '')]
    default:
      return assertNever(block)
  }
}

/** The fence is longer than any in the text, so that the text cannot end it. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`
}
