import type { ContextItem } from '#core/contract/context.ts'

/** A line of the list: an item, or items in a row that are left out. */
export type ItemRow =
  | { readonly kind: 'item'; readonly key: string; readonly item: ContextItem }
  | {
      readonly kind: 'out'
      readonly key: string
      /** What unfolds it, with the other part of the same items in a row. */
      readonly fold: string
      readonly items: readonly ContextItem[]
      readonly tokens: number
    }

/** Fewer in a row are not folded. */
const FEWEST_FOLDED = 4

/** A damaged window may name an item twice. */
const keyOf = ({ ordinal, id }: ContextItem): string => `${ordinal} ${id}`

/**
 * Folds items in a row that are left out, so that the list begins with what the model sees.
 * @param unfolded folds whose items are listed
 * @param selection an item that has to be in the list
 */
export function itemRows(
  items: readonly ContextItem[],
  unfolded: ReadonlySet<string>,
  selection: string | null,
): readonly ItemRow[] {
  const rows: ItemRow[] = []
  const single = (item: ContextItem): ItemRow => ({ kind: 'item', key: keyOf(item), item })
  for (let at = 0; at < items.length; ) {
    let end = at
    while (end < items.length && !(items[end] as ContextItem).included) end += 1
    const fold = `out ${at}`
    const out = items.slice(at, end)
    const parts = unfolded.has(fold) ? out.map((item) => [item]) : around(out, selection)
    for (const part of parts) {
      const [first] = part
      if (first === undefined) continue
      if (part.length < FEWEST_FOLDED) rows.push(...part.map(single))
      else rows.push({ kind: 'out', key: `out ${keyOf(first)}`, fold, items: part, tokens: sumOf(part) })
    }
    const next = items[end]
    if (next !== undefined) rows.push(single(next))
    at = end + 1
  }
  return rows
}

const sumOf = (items: readonly ContextItem[]): number => items.reduce((sum, { tokens }) => sum + tokens, 0)

/** Divides items into those before the selected one, it alone, and those after it. */
function around(items: readonly ContextItem[], selection: string | null): readonly (readonly ContextItem[])[] {
  const at = selection === null ? -1 : items.findIndex(({ id }) => id === selection)
  return at < 0 ? [items] : [items.slice(0, at), items.slice(at, at + 1), items.slice(at + 1)]
}
