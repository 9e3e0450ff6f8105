import { EXCERPT_BYTES, opening, openingExcerpt } from '../sqlite/opening.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { entryParams, forEntries } from './placements.ts'
import type { Window, WindowItem } from './window.ts'

const entryQueries = forEntries((table) => ({
  openings: /* sql */ `
    SELECT c.message_id AS messageId, c.summary_id AS summaryId, ${opening('coalesce(m.content, s.content)')} AS text
    FROM ${table} AS c
    LEFT JOIN messages AS m ON m.message_id = c.message_id
    LEFT JOIN summaries AS s ON s.summary_id = c.summary_id
    WHERE c.conversation_id = :conversationId
    ORDER BY c.ordinal`,
  tools: /* sql */ `
    SELECT p.message_id AS messageId, p.tool_name AS name, ${opening('p.tool_input')} AS input,
      ${opening('coalesce(p.tool_output, p.tool_error)')} AS output
    FROM ${table} AS c
    JOIN message_parts AS p ON p.message_id = c.message_id
    WHERE c.conversation_id = :conversationId AND p.part_type = 'tool' AND p.is_synthetic = 0
    ORDER BY c.ordinal, p.ordinal`,
}))

type Tool = {
  readonly messageId: number
  readonly name: string | null
  readonly input: string
  readonly output: string
}

/** One line for each item of a window: how its text begins; for a message without text, what it calls or answers. */
export function readExcerpts(db: ReadDb, window: Window): string[] {
  const openings = readOpenings(db, window, EXCERPT_BYTES)
  const tools = readTools(db, window, EXCERPT_BYTES)
  return window.items.map((item) => {
    return openingExcerpt(describe(item, openings.get(item.messageId ?? item.id) ?? '', tools))
  })
}

/** What each item says, up to `bytes` bytes of its text and of each tool part, for ranking. By window index. */
export function readSearchTexts(db: ReadDb, window: Window, bytes: number): string[] {
  const openings = readOpenings(db, window, bytes)
  const tools = readTools(db, window, bytes)
  return window.items.map((item) => {
    const parts = tools.get(item.messageId ?? -1) ?? []
    const said = parts.map(({ name, input, output }) => `${name ?? ''} ${input} ${output}`)
    return [openings.get(item.messageId ?? item.id) ?? '', ...said].join('\n')
  })
}

function describe(item: WindowItem, opening: string, tools: ReadonlyMap<number, readonly Tool[]>): string {
  const tool = item.messageId === null ? undefined : tools.get(item.messageId)?.[0]
  if (!tool) return opening
  const name = tool.name ?? 'tool'
  if (item.role === 'assistant') return opening.trim() === '' ? `${name} ${tool.input}` : opening
  return `${name}: ${opening === '' ? tool.output : opening}`
}

/** By message number or summary id. */
function readOpenings(db: ReadDb, window: Window, bytes: number): ReadonlyMap<number | string, string> {
  type Row = { messageId: number | null; summaryId: string | null; text: string }
  const openings = new Map<number | string, string>()
  for (const row of db.iterate<Row>(entryQueries(window).openings, { ...entryParams(window), bytes })) {
    const id = row.summaryId ?? row.messageId
    if (id !== null) openings.set(id, row.text)
  }
  return openings
}

function readTools(db: ReadDb, window: Window, bytes: number): ReadonlyMap<number, readonly Tool[]> {
  const tools = new Map<number, Tool[]>()
  for (const tool of db.iterate<Tool>(entryQueries(window).tools, { ...entryParams(window), bytes })) {
    const known = tools.get(tool.messageId)
    if (known) known.push(tool)
    else tools.set(tool.messageId, [tool])
  }
  return tools
}
