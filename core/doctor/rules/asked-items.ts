import { isAsked } from '../../systems/scanned-memory.ts'
import type { RuleContext } from './rule.ts'

/** Items of the windows that were asked for, by their places. */
export function* itemsOf(context: RuleContext): Generator<number> {
  const { window } = context.facts
  for (let item = 0; item < window.length; item += 1) {
    if (isAsked(context, window.conversations[item] as number)) yield item
  }
}

/** The id of the message or summary that an item names, which must be there. */
export function itemId({ facts }: RuleContext, item: number): string {
  const target = facts.window.targets[item] as number
  return facts.window.isSummary[item] === 1 ? facts.summaries.at(target).id : facts.messageId(target)
}

/** The same, or null where the item names nothing that is there. */
export const idOrNull = (context: RuleContext, item: number): string | null =>
  (context.facts.window.targets[item] as number) < 0 ? null : itemId(context, item)
