import { EXCERPT_BYTES, openingExcerpt } from '../sqlite/opening.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { toolLine } from '../systems/reading/message-openings.ts'
import { openingsOfMessages, openingsOfSummaries, openingsOfTools, type ToolOpening } from '../systems/reading/texts.ts'
import type { Window, WindowItem } from './window.ts'

/**
 * Returns one line for each item of a window: the beginning of its text, or for a message without text its calls or
 * answers.
 */
export function readExcerpts(db: ReadDb, window: Window): string[] {
  const { openings, tools } = readOpenings(db, window, EXCERPT_BYTES)
  return window.items.map((item, index) => openingExcerpt(describe(item, openings[index] ?? '', tools)))
}

/**
 * Returns the text of each item for ranking, up to `bytes` bytes of its text and of each tool part, by window index.
 */
export function readSearchTexts(db: ReadDb, window: Window, bytes: number): string[] {
  const { openings, tools } = readOpenings(db, window, bytes)
  return window.items.map((item, index) => {
    const parts = tools.get(item.messageId ?? -1) ?? []
    const said = parts.map(({ name, input, output }) => `${name ?? ''} ${input} ${output}`)
    return [openings[index] ?? '', ...said].join('\n')
  })
}

function describe(item: WindowItem, opening: string, tools: ReadonlyMap<number, readonly ToolOpening[]>): string {
  const tool = item.messageId === null ? undefined : tools.get(item.messageId)?.[0]
  if (!tool) return opening
  const name = tool.name ?? 'tool'
  if (item.role === 'assistant') return opening.trim() === '' ? toolLine(tool) : opening
  return `${name}: ${opening === '' ? tool.output : opening}`
}

type Openings = {
  /** By window index. */
  readonly openings: readonly string[]
  /** By message number. */
  readonly tools: ReadonlyMap<number, readonly ToolOpening[]>
}

function readOpenings(db: ReadDb, { items }: Window, bytes: number): Openings {
  const messageIds = items.flatMap(({ messageId }) => messageId ?? [])
  const summaryIds = items.flatMap(({ summaryId }) => summaryId ?? [])
  const messages = openingsOfMessages(db, messageIds, bytes)
  const summaries = openingsOfSummaries(db, summaryIds, bytes)
  return {
    openings: items.map(
      ({ messageId, summaryId }) =>
        (messageId === null ? summaries.get(summaryId ?? '') : messages.get(messageId)) ?? '',
    ),
    tools: openingsOfTools(db, messageIds, bytes),
  }
}
