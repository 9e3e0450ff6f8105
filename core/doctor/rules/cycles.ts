import { type Fix, type FixContext, isIn } from '#core/systems/rules/fix.ts'
import type { Rule, RuleContext } from '#core/systems/rules/rule.ts'
import { type Finding, isAsked } from '#core/systems/rules/scanned-memory.ts'
import { settle } from '../repair/settle.ts'
import { restoreLinks } from './restored-links.ts'

function* findCycles(context: RuleContext): Iterable<Finding | null> {
  const { summaries, order } = context.memory
  for (const { index, id, conversationId } of summaries.rows) {
    yield order.onCycle[index] === 1 && isAsked(context, conversationId)
      ? { id, conversationId, detail: 'reaches itself through its sources' }
      : null
  }
}

type Link = { readonly from: string; readonly to: string }

/** Returns the links of one cycle through a summary of the context, or undefined when there is none. */
function ringIn(context: FixContext): Link[] | undefined {
  const { draft } = context
  const done = new Set<string>()
  for (const start of [...draft.summaries.keys()].filter(isIn(context))) {
    if (done.has(start)) continue
    const path: { id: string; next: number }[] = [{ id: start, next: 0 }]
    const onPath = new Map([[start, 0]])
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const edge = draft.sourceLinks(top.id)[top.next]
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
      if (done.has(edge.to) || !draft.summaries.has(edge.to)) continue
      onPath.set(edge.to, path.length)
      path.push({ id: edge.to, next: 0 })
    }
  }
  return undefined
}

/**
 * Returns the link whose source is newest compared with its dependent; among equals, the one that contradicts the
 * depths most.
 */
function newest({ draft }: FixContext, ring: readonly Link[]): Link {
  const measure = ({ from, to }: Link): readonly number[] => {
    const [made, source] = [draft.summaries.get(from), draft.summaries.get(to)]
    return [
      (source?.createdAtMs ?? 0) - (made?.createdAtMs ?? 0),
      (source?.depth ?? 0) - (made?.depth ?? 0),
      draft.sourceLinks(from).find((edge) => edge.to === to)?.ordinal ?? 0,
    ]
  }
  return ring.reduce((best, link) => {
    const [a, b] = [measure(link), measure(best)]
    const first = a.findIndex((value, index) => value !== b[index])
    return first >= 0 && (a[first] as number) > (b[first] as number) ? link : best
  })
}

const cutCycles: Fix = {
  name: 'lineage_cycle',
  stage: 'cycles',
  reads: ['edges', 'window', 'summaries', 'depth'],
  *apply(context) {
    const { draft, was } = context
    const cut: string[] = []
    for (let ring = ringIn(context); ring; ring = ringIn(context)) {
      const { from, to } = newest(context, ring)
      const edges = draft.sourceLinks(from)
      draft.setSourceLinks(
        from,
        edges.filter((edge) => edge.to !== to),
      )
      cut.push(`${from} → ${to}`)
    }
    if (cut.length === 0) return
    settle(draft, was)
    yield {
      title: cut.length === 1 ? 'Cut the link that closes the cycle' : `Cut ${cut.length} links that close cycles`,
      rule: `Of each cycle the link goes that can least have been there from the beginning, from a summary to a source made after it (${cut.slice(0, 3).join(', ')}).`,
      risk: 'rewrite',
      nodes: [...new Set(cut.flatMap((edge) => edge.split(' → ')))],
    }
  },
}

export const lineageCycle = {
  id: 'lineage_cycle',
  group: 'lineage',
  severity: 'error',
  phase: 'structure',
  invariant: 'No summary is among its own sources, at any distance.',
  explanation:
    'A summary is made from itself, so that expanding it would never end in tools that do not look out for it.',
  fixes: [restoreLinks, cutCycles],
  find: findCycles,
} as const satisfies Rule
