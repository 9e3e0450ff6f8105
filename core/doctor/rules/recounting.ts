import { type Fix, isIn } from '#core/systems/rules/fix.ts'
import { plural } from '#core/text.ts'
import { type NumberField, recount } from '../repair/numbers.ts'

/**
 * Makes a fix that computes numbers from the sources, for every summary of the conversation whose numbers are wrong.
 */
export const recounting = ({
  what,
  fields,
  rule,
  ...fix
}: Pick<Fix, 'name' | 'stage' | 'reads'> & {
  readonly what: string
  readonly fields: readonly NumberField[]
  readonly rule: string
}): Fix => ({
  ...fix,
  *apply(context) {
    const { draft, isExcepted } = context
    const before = new Map(draft.summaries)
    const isOfThese = isIn(context)
    recount(draft, (id) => isOfThese(id) && !isExcepted(id), fields)
    const nodes = [...before].filter(([id, was]) => draft.summaries.get(id) !== was).map(([id]) => id)
    if (nodes.length === 0) return
    yield {
      title: `Count the ${what} of ${plural(nodes.length, 'summary', 'summaries')} again`,
      rule,
      risk: 'safe',
      nodes,
    }
  },
})
