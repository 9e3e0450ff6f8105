import { type FixContext, isIn } from './fix.ts'

export type Link = { readonly from: string; readonly to: string }

/** The links of one cycle through a summary of the context, or undefined when there is none. */
export function ringIn(context: FixContext): Link[] | undefined {
  const { model } = context
  const done = new Set<string>()
  for (const start of [...model.summaries.keys()].filter(isIn(context))) {
    if (done.has(start)) continue
    const path: { id: string; next: number }[] = [{ id: start, next: 0 }]
    const onPath = new Map([[start, 0]])
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const edge = model.sourceLinks(top.id)[top.next]
      top.next += 1
      if (!edge) {
        path.pop()
        onPath.delete(top.id)
        done.add(top.id)
        continue
      }
      const at = onPath.get(edge.to)
      if (at !== undefined) {
        const ids = path.slice(at).map((step) => step.id)
        return ids.map((id, index) => ({ from: id, to: ids[index + 1] ?? edge.to }))
      }
      if (done.has(edge.to) || !model.summaries.has(edge.to)) continue
      onPath.set(edge.to, path.length)
      path.push({ id: edge.to, next: 0 })
    }
  }
  return undefined
}

/** The link whose source is newest against what is made from it; then the one that contradicts the depths most. */
export function newest({ model }: FixContext, ring: readonly Link[]): Link {
  const measure = ({ from, to }: Link): readonly number[] => {
    const [made, source] = [model.summaries.get(from), model.summaries.get(to)]
    return [
      (source?.createdAtMs ?? 0) - (made?.createdAtMs ?? 0),
      (source?.depth ?? 0) - (made?.depth ?? 0),
      model.sourceLinks(from).find((edge) => edge.to === to)?.ordinal ?? 0,
    ]
  }
  return ring.reduce((best, link) => {
    const [a, b] = [measure(link), measure(best)]
    const first = a.findIndex((value, index) => value !== b[index])
    return first >= 0 && (a[first] as number) > (b[first] as number) ? link : best
  })
}
