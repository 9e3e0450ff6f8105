import type { Cells, RowChange } from '../contract/repair.ts'
import type { Link } from './links.ts'
import type { DraftSummary } from './summaries.ts'
import type { StoredEntry } from './window-entries.ts'

/** The columns of `summaries` and their names in a draft. */
const COLUMNS = {
  conversationId: 'conversation_id',
  kind: 'kind',
  depth: 'depth',
  tokens: 'token_count',
  sourceTokens: 'source_token_count',
  descendants: 'descendant_count',
  earliestAtMs: 'earliest_at',
  latestAtMs: 'latest_at',
  createdAtMs: 'created_at',
  level: 'level',
  model: 'model',
  promptVersion: 'prompt_version',
  hash: 'summary_hash',
  fileIds: 'file_ids',
  content: 'content',
} as const satisfies Partial<Record<keyof DraftSummary, string>>

const columns = Object.entries(COLUMNS) as [keyof typeof COLUMNS, string][]

/** Returns at most one change: the row was added, removed, or updated in the columns that differ. */
export function diffSummary(was: DraftSummary | undefined, now: DraftSummary | undefined): RowChange[] {
  const id = (now ?? was)?.id
  if (id === undefined) return []
  const key = { summary_id: id }
  if (!was || !now) return [{ table: 'summaries', key, before: was ? row(was) : null, after: now ? row(now) : null }]
  const changed = columns.filter(([name]) => (was[name] ?? null) !== (now[name] ?? null))
  if (changed.length === 0) return []
  // The old text is not in the draft, so the change gives the old hash in its place.
  const told = changed.filter(([name]) => name !== 'content')
  const before = Object.fromEntries(told.map(([name, column]) => [column, was[name] ?? null]))
  const after = Object.fromEntries(changed.map(([name, column]) => [column, now[name] ?? null]))
  return [{ table: 'summaries', key, before, after }]
}

const row = (summary: DraftSummary): Cells =>
  Object.fromEntries(
    columns.flatMap(([name, column]) => (summary[name] === undefined ? [] : [[column, summary[name] ?? null]])),
  )

/**
 * A link that is listed once before and once after is only moved. Links that are listed repeatedly are matched by their
 * ordinals.
 */
export function diffLinks<Id extends string | number>(
  table: 'summary_messages' | 'summary_sources',
  column: string,
  summaryId: string,
  was: readonly Link<Id>[],
  now: readonly Link<Id>[],
): RowChange[] {
  const [before, after] = [Map.groupBy(was, (link) => link.to), Map.groupBy(now, (link) => link.to)]
  const changes: RowChange[] = []
  for (const to of new Set([...before.keys(), ...after.keys()])) {
    const key = { summary_id: summaryId, [column]: to }
    const [old, fresh] = [before.get(to) ?? [], after.get(to) ?? []]
    const [only, other] = [old[0], fresh[0]]
    if (old.length === 1 && fresh.length === 1 && only && other) {
      if (only.ordinal === other.ordinal) continue
      changes.push({ table, key, before: { ordinal: only.ordinal }, after: { ordinal: other.ordinal } })
      continue
    }
    const [gone, come] = [surplus(old, fresh), surplus(fresh, old)]
    for (const { ordinal } of gone) changes.push({ table, key, before: { ordinal }, after: null })
    for (const { ordinal } of come) changes.push({ table, key, before: null, after: { ordinal } })
  }
  return changes
}

/** Returns the links that the first list has more often than the second. */
function surplus<Id>(list: readonly Link<Id>[], other: readonly Link<Id>[]): Link<Id>[] {
  const left = other.map((link) => link.ordinal)
  return list.filter(({ ordinal }) => {
    const at = left.indexOf(ordinal)
    if (at < 0) return true
    left.splice(at, 1)
    return false
  })
}

/** An entry that is in the window before and after may have another ordinal. */
export function diffWindow(
  conversationId: number,
  was: readonly StoredEntry[],
  now: readonly StoredEntry[],
): RowChange[] {
  const change = (before: StoredEntry | null, after: StoredEntry | null): RowChange => ({
    table: 'context_items',
    key: { conversation_id: conversationId, ordinal: (before ?? after)?.ordinal ?? 0 },
    before: before && item(before),
    after: after && item(after),
  })
  const waiting = Map.groupBy(was, entryKey)
  const changes: RowChange[] = []
  for (const entry of now) {
    const before = waiting.get(entryKey(entry))?.shift() ?? null
    if (!before || before.ordinal !== entry.ordinal) changes.push(change(before, entry))
  }
  for (const left of waiting.values()) for (const entry of left) changes.push(change(entry, null))
  return changes
}

const entryKey = ({ messageId, summaryId, placedAtMs }: StoredEntry): string =>
  `${messageId}|${summaryId}|${placedAtMs}`

const item = ({ ordinal, messageId, summaryId, placedAtMs }: StoredEntry): Cells => ({
  ordinal,
  item_type: messageId === null ? 'summary' : 'message',
  message_id: messageId,
  summary_id: summaryId,
  created_at: placedAtMs,
})
