import { bottomUp, rangesOf, type SourceRange, withDependents } from '#core/memory/draft-coverage.ts'
import type { DraftSummary } from '#core/memory/summaries.ts'
import type { FileDraft } from '#core/systems/rules/file-draft.ts'

/** Numbers of a summary that follow from the rest of the file. */
type Numbers = Pick<DraftSummary, 'kind' | 'depth' | 'descendants' | 'sourceTokens' | 'earliestAtMs' | 'latestAtMs'>
export type NumberField = keyof Numbers

/** Sums over all that lies below a summary. They are counted, and not taken from what the summaries below it store. */
type Sums = Pick<DraftSummary, 'descendants' | 'sourceTokens'>

/** Returns the numbers that follow from the sources, or undefined for a summary without sources. */
function numbersOf(
  draft: FileDraft,
  id: string,
  range: SourceRange | undefined,
  below: ReadonlyMap<string, Sums>,
): Numbers | undefined {
  if (draft.isEmpty(id)) return undefined
  const sources = draft.sources(id)
  const isLeaf = draft.sourceLinks(id).length === 0
  const sum = (field: keyof Sums): number =>
    sources.reduce((total, source) => total + (below.get(source.id)?.[field] ?? source[field] ?? 0), 0)
  return {
    kind: isLeaf ? 'leaf' : 'condensed',
    depth: isLeaf ? 0 : Math.max(0, ...sources.map((source) => source.depth ?? 0)) + 1,
    descendants: isLeaf ? 0 : sum('descendants') + sources.length,
    sourceTokens: sum('sourceTokens') + messageTokens(draft, id),
    earliestAtMs: range?.earliestAtMs ?? null,
    latestAtMs: range?.latestAtMs ?? null,
  }
}

function messageTokens(draft: FileDraft, id: string): number {
  return draft.messageLinks(id).reduce((total, { to }) => total + draft.messages.tokensOf(to), 0)
}

const ALL: readonly NumberField[] = ['kind', 'depth', 'descendants', 'sourceTokens', 'earliestAtMs', 'latestAtMs']

/**
 * Sets the numbers that follow from the sources, leaves first, for every summary that `isWanted`.
 * @param fields the numbers to set; by default, all
 */
export function recount(
  draft: FileDraft,
  isWanted: (id: string) => boolean,
  fields: readonly NumberField[] = ALL,
): void {
  const ranges = rangesOf(draft)
  const below = new Map<string, Sums>()
  for (const id of bottomUp(draft)) {
    const stored = draft.summaries.get(id)
    const numbers = numbersOf(draft, id, ranges.get(id), below)
    if (numbers) below.set(id, { descendants: numbers.descendants, sourceTokens: numbers.sourceTokens })
    if (!stored || !numbers || !isWanted(id)) continue
    // A number that the file does not record is not added.
    const wrong = fields.filter(
      (field) => stored[field] !== null && numbers[field] !== null && stored[field] !== numbers[field],
    )
    const isLess = (field: NumberField): boolean => field === 'sourceTokens' && countsMore(stored, numbers)
    const missing = fields.filter((field) => isTime(field) && stored[field] === null && numbers[field] !== null)
    const set = [...wrong.filter((field) => !isLess(field)), ...missing]
    if (set.length > 0) draft.set(id, Object.fromEntries(set.map((field) => [field, numbers[field]])))
  }
}

/**
 * Some systems also count the text that they put around messages. Without it a summary of few messages seems larger
 * than its sources.
 */
function countsMore({ tokens, sourceTokens }: DraftSummary, counted: Numbers): boolean {
  return (sourceTokens ?? 0) > (tokens ?? 0) && (tokens ?? 0) >= (counted.sourceTokens ?? 0)
}

const isTime = (field: NumberField): boolean => field === 'earliestAtMs' || field === 'latestAtMs'

/**
 * Computes the hashes of changed summaries and of all that are made from them, leaves first. Files without hashes get
 * none.
 */
export function rehash(draft: FileDraft, changed: ReadonlySet<string>): void {
  const wanted = withDependents(draft, changed)
  const stale = new Set(changed)
  const dependents = draft.dependents()
  for (const id of bottomUp(draft)) {
    const stored = draft.summaries.get(id)
    if (!wanted.has(id) || !stale.has(id) || !stored?.hash || draft.isEmpty(id)) continue
    const hash = draft.expectedHash(id)
    if (hash === stored.hash) continue
    draft.set(id, { hash })
    for (const dependent of dependents.get(id) ?? []) stale.add(dependent)
  }
}

/** Computes all numbers and hashes of changed summaries and of all their dependents. */
export function bringInLine(draft: FileDraft, changed: ReadonlySet<string>): void {
  if (changed.size === 0) return
  const wanted = withDependents(draft, changed)
  recount(draft, (id) => wanted.has(id))
  rehash(draft, changed)
}
