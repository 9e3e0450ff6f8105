/** Something `width` wide whose middle should be at `center`. */
export type Wish = { readonly center: number; readonly width: number }

/**
 * Middles for things in a row that keep their order and at least `gap` between them, as near to where each wants to be
 * as can be (least squares: neighbours that push each other share the way). O(n).
 */
export function spread(wishes: readonly Wish[], gap: number): readonly number[] {
  // Without widths and gaps between them the wishes only have to rise: each run that does not becomes its mean.
  const offsets: number[] = []
  let offset = 0
  wishes.forEach(({ width }, index) => {
    const before = wishes[index - 1]
    if (before) offset += before.width / 2 + gap + width / 2
    offsets.push(offset)
  })
  const groups: { mean: number; count: number }[] = []
  wishes.forEach(({ center }, index) => {
    let group = { mean: center - (offsets[index] ?? 0), count: 1 }
    for (let before = groups.at(-1); before && before.mean > group.mean; before = groups.at(-1)) {
      const count = before.count + group.count
      group = { mean: (before.mean * before.count + group.mean * group.count) / count, count }
      groups.pop()
    }
    groups.push(group)
  })
  return groups
    .flatMap(({ mean, count }) => Array.from({ length: count }, () => mean))
    .map((mean, index) => mean + (offsets[index] ?? 0))
}
