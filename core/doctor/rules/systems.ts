import type { SystemId } from '../../contract/memory.ts'
import { type OwnRule, whyNotAsked } from '../../systems/own-rule.ts'
import { allSystems } from '../../systems/systems.ts'
import { rewritingFailed } from './rewriting.ts'
import type { Inspector, Rule, RuleContext } from './rule.ts'

/** What only some systems do, to files that only they write. */
export const systemRules: readonly Rule[] = allSystems().flatMap(({ id, ownRules }) =>
  ownRules.map((rule) => asRule(id, rule)),
)

function asRule(owner: SystemId, own: OwnRule): Rule {
  const { elsewhere: _, messageText, summaryText, rewriteBecause, advice, severity, ...rest } = own
  const rule = {
    ...rest,
    ...(messageText && { messageTexts: (): Inspector => messageText }),
    ...(summaryText && { summaryTexts: (): Inspector => summaryText }),
    notApplicable: (context: RuleContext): string | null => whyNotAsked(owner, own, context),
  }
  if (rewriteBecause !== undefined) return { ...rule, severity, fixes: [rewritingFailed(rule.id, rewriteBecause)] }
  return advice === undefined ? { ...rule, severity: 'info' } : { ...rule, severity, advice }
}
