import { parseObjects } from '#core/ingest/transcripts/json-objects.ts'
import { isObject, type JsonObject, textAt } from '#core/ingest/transcripts/json-value.ts'

/** A session of the database. A conversation that was compacted goes on in the next one. */
export type Segment = { readonly id: string; readonly row: JsonObject }

export type Chain = {
  /** The id of the first session names the conversation. */
  readonly id: string
  readonly segments: readonly Segment[]
  /** The conversation that started this one, or from which this one was branched. */
  readonly parentId: string | null
}

/**
 * Joins sessions that are one conversation. A compaction ends a session and opens a child of it, unless the child is
 * marked as a branch, a task of a sub-agent or a new beginning. When a session has several such children, the first one
 * goes on and the others are conversations of their own.
 */
export function chainsOf(rows: readonly JsonObject[]): Chain[] {
  const byId = new Map(rows.flatMap((row) => (typeof row.id === 'string' ? [[row.id, row] as const] : [])))
  const next = new Map<string, string>()
  for (const [id, row] of byId) {
    const parentId = textAt(row, 'parent_session_id')
    const parent = parentId === null ? undefined : byId.get(parentId)
    if (parentId !== null && parentId !== id && parent && continues(row, parent) && !next.has(parentId))
      next.set(parentId, id)
  }
  const continued = new Set(next.values())
  const rootOf = new Map<string, string>()
  const chains: { id: string; segments: Segment[]; row: JsonObject }[] = []
  for (const [id, row] of byId) {
    if (continued.has(id)) continue
    const segments: Segment[] = []
    for (let at: string | undefined = id; at !== undefined && !rootOf.has(at); at = next.get(at)) {
      rootOf.set(at, id)
      segments.push({ id: at, row: byId.get(at) ?? {} })
    }
    chains.push({ id, segments, row })
  }
  return chains.map(({ id, segments, row }) => {
    const parent = textAt(row, 'parent_session_id')
    return { id, segments, parentId: parent === null ? null : (rootOf.get(parent) ?? parent) }
  })
}

const MARKS = ['_branched_from', '_delegate_from', '_reset_from'] as const

/** The settings of a session are copied into the one that goes on, so a mark counts only when it names the parent. */
function continues(row: JsonObject, parent: JsonObject): boolean {
  if (parent.end_reason !== 'compression' || row.source === 'tool') return false
  const [config] = typeof row.model_config === 'string' ? parseObjects(row.model_config).values : []
  return !MARKS.some((mark) => isObject(config) && config[mark] === parent.id)
}
