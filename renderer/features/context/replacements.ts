import type { ContextItem } from '#core/contract/context.ts'
import type { CompactionEvent, ContextDifference } from '#core/contract/time-travel.ts'

/** Items that left a position of the window, and the items that entered there. Either may be empty. */
export type Replacement = { readonly left: readonly ContextItem[]; readonly entered: readonly ContextItem[] }

/** The changes of one run. Changes outside any run have an empty id. */
export type RunChanges = { readonly runId: string; readonly replacements: readonly Replacement[] }

/**
 * Pairs removed items with the items that replaced them. Both windows hold the items that stayed, in the same order, so
 * what left between two of them and what entered there belong together.
 */
export function replacementsOf({ left, entered, stayed }: Pick<ContextDifference, 'left' | 'entered' | 'stayed'>) {
  const replacements: Replacement[] = []
  let [l, e] = [0, 0]
  for (let before = 0; before <= stayed; before += 1) {
    // An item comes before this one that stayed when that many fewer items of its own list come before it.
    const [l0, e0] = [l, e]
    while (l < left.length && (left[l]?.ordinal ?? 0) - l === before) l += 1
    while (e < entered.length && (entered[e]?.ordinal ?? 0) - e === before) e += 1
    if (l > l0 || e > e0) replacements.push(...divided(left.slice(l0, l), entered.slice(e0, e)))
  }
  // Ordinals of a damaged window may fit nowhere. Their items are shown as well.
  if (l < left.length || e < entered.length) replacements.push({ left: left.slice(l), entered: entered.slice(e) })
  return replacements
}

/** Divides neighbouring replacements by the number of messages that each summary covers, if the numbers match. */
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

/** Returns replacements by the run that made them, oldest run first. Changes outside any run come last. */
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
