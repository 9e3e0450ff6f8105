import { onlyIn, type Rule } from '../rules/rule.ts'
import { type Finding, isAsked, type ScanContext } from '../rules/scanned-memory.ts'

function* findUnconsumed(context: ScanContext): Iterable<Finding | null> {
  const { summaries, links, window } = context.memory
  for (const { index, id, conversationId, depth } of summaries.rows) {
    const isShown = (window.summaryCounts[index] ?? 0) > 0 || (links.dependents[index]?.length ?? 0) > 0
    yield isShown || !isAsked(context, conversationId)
      ? null
      : { id, conversationId, detail: `depth ${depth}, made into nothing else and not shown` }
  }
}

export const rules: readonly Rule[] = [
  {
    id: 'unconsumed_root',
    group: 'context',
    severity: 'info',
    phase: 'structure',
    invariant: 'Every summary that no other was made of is shown to the model.',
    explanation:
      'This system shows only the newest summary of each depth. Of these the model sees at most a line with their id.',
    notApplicable: onlyIn('pi-lcm', 'Other systems show all of them.'),
    find: findUnconsumed,
  },
]
