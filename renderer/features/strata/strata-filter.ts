import { ROLES } from '#core/contract/lists.ts'
import type { Strata, StrataMessages } from '#core/contract/strata.ts'
import type { Run } from './merge-narrow.ts'
import type { PlacedFinding } from './place-nodes.ts'

/** What can be filtered by. Of each kind several can be chosen; what is chosen of no kind is not filtered by it. */
const KINDS = [ROLES, ['leaf', 'condensed'], ['in the window', 'not in the window'], ['with findings']] as const
export const FILTER_WORDS = KINDS.flat()
type FilterWord = (typeof FILTER_WORDS)[number]
export type StrataFilter = ReadonlySet<FilterWord>

/** What the filter is applied to. */
type Filtered = {
  readonly filter?: StrataFilter | undefined
  readonly strata: Pick<Strata, 'summaries'>
  readonly foundIds?: Pick<ReadonlySet<string>, 'has'> | undefined
  readonly findings?: readonly PlacedFinding[] | undefined
}

export const NO_FILTER: StrataFilter = new Set()

/** The opacity of what a filter leaves out: its place stays visible. */
export const FILTERED_OUT = 0.12

/** The words in an address are those of the menu, with dots between them. */
export const parseFilter = (text: string | null): StrataFilter =>
  new Set(FILTER_WORDS.filter((word) => (text ?? '').split('.').includes(word.replaceAll(' ', '-'))))

export const filterText = (filter: StrataFilter): string | null =>
  FILTER_WORDS.filter((word) => filter.has(word))
    .map((word) => word.replaceAll(' ', '-'))
    .join('.') || null

/** Adds a word, or removes it. */
export function toggledFilter(filter: StrataFilter, word: FilterWord): StrataFilter {
  const next = new Set(filter)
  if (!next.delete(word)) next.add(word)
  return next
}

/** Returns whether one of the words of a kind that apply is chosen, or none of the kind. */
function passes(filter: StrataFilter, kind: readonly FilterWord[], applies: (word: FilterWord) => boolean): boolean {
  const chosen = kind.filter((word) => filter.has(word))
  return chosen.length === 0 || chosen.some(applies)
}

/** Returns whether one of some merged summaries is shown. Roles are those of messages alone. */
export function isRunShown(
  { filter, strata, foundIds }: Filtered,
  lane: readonly number[],
  { first, last }: Run,
): boolean {
  if (filter === undefined || filter.size === 0) return true
  const { depth, inWindow, id } = strata.summaries
  for (let order = first; order <= last; order++) {
    const entry = lane[order] ?? 0
    const isShown =
      passes(filter, KINDS[1], (word) => (word === 'leaf') === (depth[entry] ?? 0) <= 0) &&
      passes(filter, KINDS[2], (word) => (word === 'in the window') === (inWindow[entry] === 1)) &&
      passes(filter, KINDS[3], () => foundIds?.has(id[entry] ?? '') ?? false)
    if (isShown) return true
  }
  return false
}

/** Returns whether one of some merged messages is shown. Of a column, the role with the most tokens is known. */
export function isColumnShown(
  { filter, findings = [] }: Filtered,
  columns: StrataMessages,
  { first, last }: Run,
): boolean {
  if (filter === undefined || filter.size === 0) return true
  for (let entry = first; entry <= last; entry++) {
    const inside = columns.inWindow[entry] ?? 0
    const [x0, x1] = [columns.x0[entry] ?? 0, columns.x1[entry] ?? 0]
    const isShown =
      passes(filter, KINDS[0], (word) => word === ROLES[columns.role[entry] ?? 0]) &&
      passes(filter, KINDS[2], (word) =>
        word === 'in the window' ? inside > 0 : inside < (columns.count[entry] ?? 0),
      ) &&
      passes(filter, KINDS[3], () =>
        findings.some((finding) => finding.entry === null && finding.x0 < x1 && finding.x1 > x0),
      )
    if (isShown) return true
  }
  return false
}
