import type { GrepHit } from '#core/contract/retrieval.ts'

/**
 * A line of the result list: the heading of a group, or one of its hits. `stop` is the index of the line among those
 * that the arrow keys reach: every hit, and the heading of a folded group.
 */
export type Row =
  | {
      readonly kind: 'head'
      readonly key: string
      readonly group: Group
      readonly hits: number
      readonly isFolded: boolean
      readonly stop: number | null
    }
  | { readonly kind: 'hit'; readonly key: string; readonly hit: GrepHit; readonly group: Group; readonly stop: number }

type Run = { readonly group: Group; readonly hits: GrepHit[] }

/**
 * Hits of the loaded pages under the heads of their groups. Hits are grouped within their page, and a page goes on with
 * the last group of the one before it: what is on screen never moves when another page arrives.
 * @param folded keys of groups whose hits are hidden
 */
export function rowsOf(
  pages: readonly (readonly GrepHit[])[],
  grouping: Grouping,
  folded: ReadonlySet<string>,
): readonly Row[] {
  const rows: Row[] = []
  const keys = new Map<string, number>()
  const unique = (key: string): string => {
    const times = keys.get(key) ?? 0
    keys.set(key, times + 1)
    return times === 0 ? key : `${key} (${times + 1})`
  }
  let stop = 0
  for (const { group, hits } of runsOf(pages, grouping)) {
    const isFolded = folded.has(group.key)
    const head = { kind: 'head', key: unique(group.key), group, hits: hits.length, isFolded } as const
    rows.push({ ...head, stop: isFolded ? stop++ : null })
    if (isFolded) continue
    for (const hit of hits)
      rows.push({ kind: 'hit', key: unique(`${hit.id} ${hit.row ?? hit.field}`), hit, group, stop: stop++ })
  }
  return rows
}

function runsOf(pages: readonly (readonly GrepHit[])[], grouping: Grouping): readonly Run[] {
  const runs: Run[] = []
  for (const page of pages) {
    for (const run of groupedPage(page, grouping, runs.at(-1)?.group)) {
      const last = runs.at(-1)
      if (last?.group.key === run.group.key) last.hits.push(...run.hits)
      else runs.push(run)
    }
  }
  return runs
}

/** Groups the hits of a page in the order of first appearance. If the page has the group `first`, it comes first. */
function groupedPage(page: readonly GrepHit[], grouping: Grouping, first: Group | undefined): Iterable<Run> {
  const runs = new Map<string, Run>()
  if (first !== undefined) runs.set(first.key, { group: first, hits: [] })
  for (const hit of page) {
    const group = groupOf(hit, grouping)
    const run = runs.get(group.key)
    if (run === undefined) runs.set(group.key, { group, hits: [hit] })
    else run.hits.push(hit)
  }
  return [...runs.values()].filter(({ hits }) => hits.length > 0)
}

/** Returns the lines that the arrow keys reach, in order. */
export const stopsOf = (rows: readonly Row[]): readonly Row[] => rows.filter(({ stop }) => stop !== null)

/** Hits are grouped by their conversation, or by the summary in the window that covers them. */
export type Grouping = 'conversation' | 'cover'

/** What hits have in common. `key` tells groups apart. */
export type Group = { readonly key: string; readonly conversationId: number } & (
  | { readonly kind: 'conversation' }
  /** This summary of the window stands for them. */
  | { readonly kind: 'cover'; readonly id: string }
  /** Stand in the window themselves. */
  | { readonly kind: 'window' }
  /** The model reaches them through nothing. */
  | { readonly kind: 'unseen' }
  | { readonly kind: 'files' }
)

/** The group of a hit. */
function groupOf(hit: GrepHit, grouping: Grouping): Group {
  const { conversationId } = hit
  if (grouping === 'conversation')
    return { kind: 'conversation', key: `conversation ${conversationId}`, conversationId }
  if (hit.kind === 'file') return { kind: 'files', key: `files ${conversationId}`, conversationId }
  if (hit.inContext) return { kind: 'window', key: `window ${conversationId}`, conversationId }
  if (hit.coverInWindow === null) return { kind: 'unseen', key: `unseen ${conversationId}`, conversationId }
  return { kind: 'cover', key: `cover ${hit.coverInWindow}`, id: hit.coverInWindow, conversationId }
}
