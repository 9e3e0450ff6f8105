import { plural } from '#core/text.ts'
import { type Fix, type FixContext, namedSummaries } from './fix.ts'

/** A fix for texts that say nothing, or too much: a summariser has to write them anew. */
export const rewriting = ({
  what,
  isStill = () => true,
  ...fix
}: Pick<Fix, 'name' | 'stage'> & {
  readonly what: string
  /** Whether a summary still needs it: an earlier step may have put its numbers right. */
  readonly isStill?: (context: FixContext, id: string) => boolean
}): Fix => ({
  ...fix,
  reads: ['edges', 'summaries', 'text', 'tokens'],
  *apply(context) {
    const nodes = namedSummaries(context).filter((id) => !context.draft.isEmpty(id) && isStill(context, id))
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

/** For texts that stand in place of a summary. */
export const rewritingFailed = (name: string, what: string): Fix => rewriting({ name, stage: 'failed summaries', what })
