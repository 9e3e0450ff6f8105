import { type GrepInput, GrepResult } from '#core/contract/retrieval.ts'
import type { Grep } from '#core/search/grep.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'

/** Everything that a filter asks of a row, read without any of the code that is tested. */
export type NaiveRow = {
  readonly id: string
  readonly kind: 'message' | 'summary' | 'file'
  readonly conversationId: number
  readonly role: string | null
  readonly depth: number | null
  readonly atMs: number | null
  readonly inWindow: boolean
  /** The summaries that cover it. */
  readonly covered: ReadonlySet<string>
  readonly texts: readonly string[]
}

const queries = {
  messages: `
    SELECT message_id, conversation_id, role, created_at, content,
      EXISTS (SELECT 1 FROM context_items AS c WHERE c.message_id = m.message_id)
    FROM messages AS m`,
  parts: `
    SELECT message_id, tool_input, tool_output, CASE part_type WHEN 'reasoning' THEN text_content END
    FROM message_parts WHERE is_synthetic = 0 ORDER BY message_id, ordinal`,
  summaries: `
    SELECT summary_id, conversation_id, depth, created_at, content,
      EXISTS (SELECT 1 FROM context_items AS c WHERE c.summary_id = s.summary_id)
    FROM summaries AS s`,
  leaves: `SELECT message_id, summary_id FROM summary_messages`,
  edges: `SELECT source_summary_id, summary_id FROM summary_sources`,
  files: `SELECT file_id, conversation_id, created_at, file_name, exploration_summary FROM large_files`,
}

/** All rows of a memory. */
export function naiveRows(db: ReadDb): NaiveRow[] {
  const above = new Map<string, string[]>()
  const add = (from: string, to: string): void => void above.set(from, [...(above.get(from) ?? []), to])
  for (const [message, summary] of db.rows<[number, string]>(queries.leaves)) add(`msg_${message}`, summary)
  for (const [source, summary] of db.rows<[string, string]>(queries.edges)) add(source, summary)
  const covered = (id: string): ReadonlySet<string> => {
    const all = new Set(above.get(id) ?? [])
    for (const one of all) for (const next of above.get(one) ?? []) all.add(next)
    return all
  }
  const parts = new Map<number, [string[], string[], string[]]>()
  for (const [id, ...texts] of db.rows<[number, ...(string | null)[]]>(queries.parts)) {
    const lists = parts.get(id) ?? [[], [], []]
    parts.set(id, lists)
    texts.forEach((text, i) => {
      if (text !== null) lists[i]?.push(text)
    })
  }
  const messages = [...db.rows<[number, number, string, number, string, number]>(queries.messages)].map(
    ([id, conversationId, role, atMs, content, inWindow]): NaiveRow => ({
      ...{ id: `msg_${id}`, kind: 'message', conversationId, role, depth: null, atMs, inWindow: inWindow === 1 },
      covered: covered(`msg_${id}`),
      texts: [content, ...(parts.get(id) ?? []).map((list) => list.join('\n'))],
    }),
  )
  const summaries = [...db.rows<[string, number, number, number, string, number]>(queries.summaries)].map(
    ([id, conversationId, depth, atMs, content, inWindow]): NaiveRow => ({
      ...{ id, kind: 'summary', conversationId, role: null, depth, atMs, inWindow: inWindow === 1 },
      covered: covered(id),
      texts: [content],
    }),
  )
  const files = [...db.rows<[string, number, number, string | null, string | null]>(queries.files)].map(
    ([id, conversationId, atMs, name, about]): NaiveRow => ({
      ...{ id, kind: 'file', conversationId, role: null, depth: null, atMs, inWindow: false, covered: new Set() },
      texts: [[name, about].filter((text) => text !== null).join('\n')],
    }),
  )
  return [...messages, ...summaries, ...files]
}

/** Whether the filters of a search let a row pass. Asked for by role or depth, only what has one is found: no file. */
export function passes(row: NaiveRow, input: GrepInput): boolean {
  const { scope, roles, depths, conversationIds, afterMs, beforeMs, inContext, within } = input
  const kinds =
    scope === 'files'
      ? [...(roles || depths ? [] : ['file'])]
      : [
          ...(scope !== 'summaries' && (roles || !depths) ? ['message'] : []),
          ...(scope !== 'messages' && (depths || !roles) ? ['summary'] : []),
        ]
  return (
    kinds.includes(row.kind) &&
    (!conversationIds || conversationIds.includes(row.conversationId)) &&
    (!roles || row.kind !== 'message' || roles.some((role) => role === row.role)) &&
    (!depths || row.kind !== 'summary' || depths.some((depth) => depth === row.depth)) &&
    (afterMs === undefined || (row.atMs ?? 0) >= afterMs) &&
    (beforeMs === undefined || (row.atMs !== null && row.atMs <= beforeMs)) &&
    (inContext === undefined || row.inWindow === inContext) &&
    (within === undefined || row.covered.has(within))
  )
}

/** All hits, page by page, with what each page said of the whole. */
export async function allPages(grep: Grep, input: GrepInput): Promise<{ ids: string[]; pages: GrepResult[] }> {
  const pages: GrepResult[] = []
  for (let cursor: string | undefined; ; ) {
    const page = GrepResult.parse(await grep.search({ ...input, cursor }))
    pages.push(page)
    if (page.nextCursor === null) return { ids: pages.flatMap(({ hits }) => hits.map(({ id }) => id)), pages }
    cursor = page.nextCursor
  }
}

/** Words as anybody would cut them: letters and digits, without case and accents. */
export const naiveWords = (text: string): string[] =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []
