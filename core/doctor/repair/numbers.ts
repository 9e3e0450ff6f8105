import { bottomUp, rangesOf, type SourceRange, withDependents } from '../../memory/draft-coverage.ts'
import type { DraftSummary } from '../../memory/summaries.ts'
import type { FileDraft } from '../../systems/file-draft.ts'

/** What the rest of the file says about a summary. */
type Numbers = Pick<DraftSummary, 'kind' | 'depth' | 'descendants' | 'sourceTokens' | 'earliestAtMs' | 'latestAtMs'>
export type NumberField = keyof Numbers

/** By what is stored of its sources; undefined for a summary that has none. */
function numbersOf(model: FileDraft, id: string, range: SourceRange | undefined): Numbers | undefined {
  if (model.isEmpty(id)) return undefined
  const sources = model.sources(id)
  const isLeaf = model.sourceLinks(id).length === 0
  const sum = (value: (source: DraftSummary) => number): number =>
    sources.reduce((total, source) => total + value(source), 0)
  return {
    kind: isLeaf ? 'leaf' : 'condensed',
    depth: isLeaf ? 0 : Math.max(0, ...sources.map((source) => source.depth ?? 0)) + 1,
    descendants: isLeaf ? 0 : sum((source) => (source.descendants ?? 0) + 1),
    sourceTokens: sum((source) => source.sourceTokens ?? 0) + messageTokens(model, id),
    earliestAtMs: range?.earliestAtMs ?? null,
    latestAtMs: range?.latestAtMs ?? null,
  }
}

function messageTokens(model: FileDraft, id: string): number {
  return model.messageLinks(id).reduce((total, { to }) => total + model.messages.tokensOf(to), 0)
}

const ALL: readonly NumberField[] = ['kind', 'depth', 'descendants', 'sourceTokens', 'earliestAtMs', 'latestAtMs']

/**
 * Brings numbers in line with the sources, from the leaves up, for every summary that `isWanted`.
 * @param fields which numbers; default: all
 */
export function recount(
  model: FileDraft,
  isWanted: (id: string) => boolean,
  fields: readonly NumberField[] = ALL,
): void {
  const ranges = rangesOf(model)
  for (const id of bottomUp(model)) {
    const stored = model.summaries.get(id)
    const numbers = isWanted(id) ? numbersOf(model, id, ranges.get(id)) : undefined
    if (!stored || !numbers) continue
    // A file that does not record a number is not given one.
    const wrong = fields.filter(
      (field) => stored[field] !== null && numbers[field] !== null && stored[field] !== numbers[field],
    )
    const isLess = (field: NumberField): boolean => field === 'sourceTokens' && countsMore(stored, numbers)
    const missing = fields.filter((field) => isTime(field) && stored[field] === null && numbers[field] !== null)
    const set = [...wrong.filter((field) => !isLess(field)), ...missing]
    if (set.length > 0) model.set(id, Object.fromEntries(set.map((field) => [field, numbers[field]])))
  }
}

/** Some systems count what stands around messages too: without that a summary of few would seem larger than they are. */
function countsMore({ tokens, sourceTokens }: DraftSummary, counted: Numbers): boolean {
  return (sourceTokens ?? 0) > (tokens ?? 0) && (tokens ?? 0) >= (counted.sourceTokens ?? 0)
}

const isTime = (field: NumberField): boolean => field === 'earliestAtMs' || field === 'latestAtMs'

/** Hashes of summaries, and of all that is made from them, from the leaves up. Files without hashes get none. */
export function rehash(model: FileDraft, changed: ReadonlySet<string>): void {
  const wanted = withDependents(model, changed)
  const stale = new Set(changed)
  const dependents = model.dependents()
  for (const id of bottomUp(model)) {
    const stored = model.summaries.get(id)
    if (!wanted.has(id) || !stale.has(id) || !stored?.hash || model.isEmpty(id)) continue
    const hash = model.expectedHash(id)
    if (hash === stored.hash) continue
    model.set(id, { hash })
    for (const dependent of dependents.get(id) ?? []) stale.add(dependent)
  }
}

/** All numbers and hashes of summaries that changed and of all their dependents. */
export function bringInLine(model: FileDraft, changed: ReadonlySet<string>): void {
  if (changed.size === 0) return
  const wanted = withDependents(model, changed)
  recount(model, (id) => wanted.has(id))
  rehash(model, changed)
}
