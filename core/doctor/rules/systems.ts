import type { OwnRule } from '../../systems/own-rule.ts'
import { allSystems } from '../../systems/systems.ts'
import { rewritingFailed } from './rewriting.ts'
import type { Inspector, Rule, RuleContext } from './rule.ts'

/** What only some systems do, to files that only they write. */
export const systemRules: readonly Rule[] = allSystems().flatMap(({ id, ownRules }) =>
  ownRules.map((rule) => asRule(id, rule)),
)

function asRule(system: string, own: OwnRule): Rule {
  const { elsewhere, messageText, summaryText, notApplicable, rewriteBecause, advice, severity, ...rest } = own
  const rule = {
    ...rest,
    ...(messageText && { messageTexts: (): Inspector => messageText }),
    ...(summaryText && { summaryTexts: (): Inspector => summaryText }),
    notApplicable: (context: RuleContext): string | null =>
      context.system.id === system ? (notApplicable?.(context) ?? null) : elsewhere,
  }
  if (rewriteBecause !== undefined) return { ...rule, severity, fixes: [rewritingFailed(rule.id, rewriteBecause)] }
  return advice === undefined ? { ...rule, severity: 'info' } : { ...rule, severity, advice }
}
