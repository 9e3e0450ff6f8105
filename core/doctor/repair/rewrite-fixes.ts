import { type Fixer, namedSummaries, plural, type Scope } from '../rules/fix.ts'
import { tokensBeneath } from '../surgery/rewrite.ts'

/** Texts that say nothing, or too much: a summariser has to write them anew. */
const rewriting = (check: string, what: string, isStill: (scope: Scope, id: string) => boolean): Fixer => ({
  checks: [check],
  reads: ['edges', 'summaries', 'text', 'tokens'],
  *fix(scope) {
    const nodes = namedSummaries(scope, check).filter((id) => !scope.model.isEmpty(id) && isStill(scope, id))
    if (nodes.length === 0) return
    yield {
      title: `Summarise ${plural(nodes.length, 'summary', 'summaries')} again: ${what}`,
      rule: 'Written from the sources by the summariser that is chosen; ids and links stay. Where no text comes out smaller than its sources, they take its place.',
      risk: 'model',
      nodes,
      rewrite: nodes,
    }
  },
})

const always = (): boolean => true

/** Counts may have been put right by an earlier step. */
function isNotSmaller({ model }: Scope, id: string): boolean {
  return (model.summaries.get(id)?.tokens ?? 0) >= tokensBeneath(model, id)
}

export const rewriteFixes: readonly Fixer[] = [
  rewriting('empty_summary', 'it says nothing', always),
  rewriting('fallback_summary', 'a failed summarisation stands in its place', always),
  rewriting('truncated_summary', 'its text was cut off', always),
  rewriting('deterministic_summary', 'it was made without a model', always),
  rewriting('not_smaller_than_sources', 'it is not smaller than what it stands for', isNotSmaller),
]
