import type { ContextItem } from '../../../core/contract/context.ts'
import type { CompactionEvent, ContextDifference } from '../../../core/contract/time-travel.ts'

/** Items that left one place of the window, and what came in there. Either may be empty. */
export type Replacement = { readonly left: readonly ContextItem[]; readonly entered: readonly ContextItem[] }

/** The changes of one run; those of no run have an empty id. */
export type RunChanges = { readonly runId: string; readonly replacements: readonly Replacement[] }

/**
 * What took the place of what. Both windows hold the items that stayed, in the same order: what left between two of them
 * and what entered there belong together.
 */
export function replacementsOf({ left, entered, stayed }: Pick<ContextDifference, 'left' | 'entered' | 'stayed'>) {
  const replacements: Replacement[] = []
  let [l, e] = [0, 0]
  for (let before = 0; before <= stayed; before += 1) {
    // An item stands before this one that stayed when that many fewer of its own list stand before it.
    const [l0, e0] = [l, e]
    while (l < left.length && (left[l]?.ordinal ?? 0) - l === before) l += 1
    while (e < entered.length && (entered[e]?.ordinal ?? 0) - e === before) e += 1
    if (l > l0 || e > e0) replacements.push(...divided(left.slice(l0, l), entered.slice(e0, e)))
  }
  // Ordinals of a damaged window may fit nowhere; their items are shown all the same.
  if (l < left.length || e < entered.length) replacements.push({ left: left.slice(l), entered: entered.slice(e) })
  return replacements
}

/** Neighbouring replacements told apart by how many messages each summary stands for, where that comes out even. */
function divided(left: readonly ContextItem[], entered: readonly ContextItem[]): readonly Replacement[] {
  const summaries = entered.findIndex((item) => item.kind === 'message')
  const made = summaries < 0 ? entered : entered.slice(0, summaries)
  const arrived = summaries < 0 ? [] : entered.slice(summaries)
  const parts = arrived.length > 0 ? [{ left: [], entered: arrived }] : []
  if (left.length === 0 || made.length === 0) {
    const rest = { left, entered: made }
    return rest.left.length + rest.entered.length > 0 ? [rest, ...parts] : parts
  }
  const each: Replacement[] = []
  let from = 0
  for (const item of made) {
    let to = from
    let messages = 0
    while (to < left.length && messages < item.messages) messages += left[to++]?.messages ?? 0
    if (messages !== item.messages) return [{ left, entered: made }, ...parts]
    each.push({ left: left.slice(from, to), entered: [item] })
    from = to
  }
  return from === left.length ? [...each, ...parts] : [{ left, entered: made }, ...parts]
}

/** Replacements by the run that made them, oldest run first; what no run made comes last. */
export function byRun(
  replacements: readonly Replacement[],
  events: readonly Pick<CompactionEvent, 'summaryId' | 'runId'>[],
): readonly RunChanges[] {
  const runOf = new Map(events.map(({ summaryId, runId }) => [summaryId, runId]))
  const runs = new Map<string, Replacement[]>()
  for (const { runId } of events) if (runId !== '') runs.set(runId, [])
  const others: Replacement[] = []
  for (const replacement of replacements) {
    const made = replacement.entered.findLast((item) => runOf.has(item.id))
    const list = runs.get(made === undefined ? '' : (runOf.get(made.id) ?? '')) ?? others
    list.push(replacement)
  }
  return [...runs, ['', others] as const]
    .filter(([, list]) => list.length > 0)
    .map(([runId, list]) => ({ runId, replacements: list }))
}

export const sumTokens = (items: readonly ContextItem[]): number => items.reduce((sum, item) => sum + item.tokens, 0)
