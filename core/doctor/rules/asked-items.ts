import type { RuleContext } from '#core/systems/rules/rule.ts'
import { isAsked } from '#core/systems/rules/scanned-memory.ts'

/** Returns the indexes of the entries of all windows that were asked for. */
export function* itemsOf(context: RuleContext): Generator<number> {
  const { window } = context.memory
  for (let item = 0; item < window.length; item += 1) {
    if (isAsked(context, window.conversations[item] as number)) yield item
  }
}

/** Returns the id of the message or summary that an item names. It must exist. */
export function itemId({ memory }: RuleContext, item: number): string {
  const target = memory.window.targets[item] as number
  return memory.window.isSummary[item] === 1 ? memory.summaries.at(target).id : memory.messageId(target)
}

/** Returns the id of the message or summary that an item names, or null when it does not exist. */
export const idOrNull = (context: RuleContext, item: number): string | null =>
  (context.memory.window.targets[item] as number) < 0 ? null : itemId(context, item)
