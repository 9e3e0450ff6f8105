import { type Fix, isIn } from '#core/systems/rules/fix.ts'
import { plural } from '#core/text.ts'
import { provenLinks, setLinks } from '../repair/link-proof.ts'
import { settle } from '../repair/settle.ts'

/** Restores links that a stored hash proves, for every rule that wrong links may break. */
export const restoreLinks: Fix = {
  name: 'summary_hash',
  stage: 'proven links',
  part: 'links',
  reads: ['edges', 'window', 'summaries', 'hash'],
  *apply(context) {
    const { draft, was, conversationId } = context
    if (conversationId === null) return
    const restored: string[] = []
    for (const { id } of [...draft.summaries.values()].filter((summary) => isIn(context)(summary.id))) {
      const links = provenLinks(draft, id, was.coverage)
      if (!links) continue
      setLinks(draft, id, links)
      restored.push(id)
    }
    if (restored.length === 0) return
    settle(draft, was)
    yield {
      title: `Give ${plural(restored.length, 'summary', 'summaries')} the sources back that ${restored.length === 1 ? 'it was' : 'they were'} made from`,
      rule: 'The stored hash is over sources and text: only these sources give it again.',
      risk: 'safe',
      nodes: restored,
    }
  },
}
