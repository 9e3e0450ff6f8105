import { isNative } from '#core/systems/native/native.ts'
import type { RuleContext } from '#core/systems/rules/rule.ts'

/** For rules about data that only native files record. */
export const nativeOnly =
  (what: string) =>
  ({ info }: RuleContext): string | null =>
    isNative(info) ? null : `${info.systemLabel} does not record ${what}.`

/** For rules about the stored entries of a window. */
export const storedWindow = ({ info }: RuleContext): string | null =>
  info.capabilities.storedWindow ? null : `${info.systemLabel} derives its window by a rule and stores none.`
