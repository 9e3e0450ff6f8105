import { type Fixer, isIn, type Scope } from '../rules/fix.ts'
import { settle } from './settle.ts'

const cutCycles: Fixer = {
  checks: ['lineage_cycle'],
  reads: ['edges', 'window', 'summaries', 'depth'],
  *fix(scope) {
    const { model, was } = scope
    const cut: string[] = []
    for (let ring = ringIn(scope); ring; ring = ringIn(scope)) {
      const { from, to } = newest(scope, ring)
      const edges = model.sourceEdges(from)
      model.setSourceEdges(
        from,
        edges.filter((edge) => edge.to !== to),
      )
      cut.push(`${from} → ${to}`)
    }
    if (cut.length === 0) return
    settle(model, was)
    yield {
      title: cut.length === 1 ? 'Cut the link that closes the cycle' : `Cut ${cut.length} links that close cycles`,
      rule: `Of each cycle the link goes that can least have been there from the beginning, from a summary to a source made after it (${cut.slice(0, 3).join(', ')}).`,
      risk: 'rewrite',
      nodes: [...new Set(cut.flatMap((edge) => edge.split(' → ')))],
    }
  },
}

type Link = { readonly from: string; readonly to: string }

/** The links of one cycle through a summary of the scope, or undefined when there is none. */
function ringIn(scope: Scope): Link[] | undefined {
  const { model } = scope
  const done = new Set<string>()
  for (const start of [...model.summaries.keys()].filter(isIn(scope))) {
    if (done.has(start)) continue
    const path: { id: string; next: number }[] = [{ id: start, next: 0 }]
    const onPath = new Map([[start, 0]])
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const edge = model.sourceEdges(top.id)[top.next]
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
function newest({ model }: Scope, ring: readonly Link[]): Link {
  const measure = ({ from, to }: Link): readonly number[] => {
    const [made, source] = [model.summaries.get(from), model.summaries.get(to)]
    return [
      (source?.createdAtMs ?? 0) - (made?.createdAtMs ?? 0),
      (source?.depth ?? 0) - (made?.depth ?? 0),
      model.sourceEdges(from).find((edge) => edge.to === to)?.ordinal ?? 0,
    ]
  }
  return ring.reduce((best, link) => {
    const [a, b] = [measure(link), measure(best)]
    const first = a.findIndex((value, index) => value !== b[index])
    return first >= 0 && (a[first] as number) > (b[first] as number) ? link : best
  })
}

export const cycleFixes: readonly Fixer[] = [cutCycles]
