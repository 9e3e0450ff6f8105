import type { CheckResult, IntegrityReport, Sample } from '#core/contract/integrity.ts'
import type { FileDraft } from '#core/systems/rules/file-draft.ts'
import type { Rule } from '#core/systems/rules/rule.ts'
import { rules } from '../rules/rules.ts'
import { areasOf, fingerprintOf } from './describe-changes.ts'
import type { Findings, Planned, PlannedStep } from './plan-steps.ts'

const ruleOf = new Map(rules.map((rule) => [rule.id, rule]))

/**
 * Returns the steps of a plan with the other findings that they settle, and a manual step for every rule with findings
 * that no step settles. A step settles a finding as well when the finding's own fix finds nothing left to do after it.
 */
export function withLeftovers(
  report: IntegrityReport,
  findings: Findings,
  { steps, draft }: Pick<Planned, 'steps' | 'draft'>,
): PlannedStep[] {
  const also = new Map<string, string[]>()
  const manual: PlannedStep[] = []
  for (const check of report.checks) {
    if (check.count === 0 || check.severity === 'info') continue
    const left = groupsOf(check, findings).filter(([conversationId, group]) => {
      const near = steps.filter((step) => isNear(step.conversationId, conversationId))
      if (near.some((step) => step.fixes.includes(check.id))) return false
      const rule = ruleOf.get(check.id)
      const cause = rule && goesAlong(rule, group, draft) ? causeOf(rule, near) : undefined
      if (cause) also.set(cause.id, [...(also.get(cause.id) ?? []), check.id])
      return cause === undefined
    })
    if (left.length > 0) manual.push(manualStep(check, left))
  }
  return [
    ...steps.map((step) => ({ ...step, fixes: [...new Set([...step.fixes, ...(also.get(step.id) ?? [])])] })),
    ...manual,
  ]
}

/** When pages are damaged, no plan can rely on what was read, so every step is manual. */
export const manualSteps = (report: IntegrityReport): PlannedStep[] =>
  report.checks
    .filter((check) => check.count > 0 && check.severity !== 'info')
    .map((check) => manualStep(check, [[null, check.samples]]))

type Group = readonly [conversationId: number | null, findings: readonly Sample[]]

function groupsOf(check: CheckResult, findings: Findings): Group[] {
  const all = findings.get(check.id)
  if (!all || ruleOf.get(check.id)?.settledAlong?.isFileWide) return [[null, all ?? check.samples]]
  return [...Map.groupBy(all, (finding) => finding.conversationId)]
}

const isNear = (a: number | null, b: number | null): boolean => a === null || b === null || a === b

const goesAlong = ({ fixes, settledAlong }: Rule, group: readonly Sample[], draft: FileDraft): boolean =>
  settledAlong ? group.every((finding) => settledAlong.isGone(finding, draft)) : fixes !== undefined

/**
 * Returns the step that settles the cause of this rule's findings. Without one it is the last step, because the rule's
 * fix found nothing left after it.
 */
function causeOf(
  { consequenceOf = [], fixes, settledAlong }: Rule,
  near: readonly PlannedStep[],
): PlannedStep | undefined {
  const reads = new Set(settledAlong?.reads ?? fixes?.at(-1)?.reads)
  return (
    near.find((step) => consequenceOf.some((cause) => step.fixes.includes(cause))) ??
    near.findLast((step) => areasOf(step.changes).intersection(reads).size > 0)
  )
}

/** The advice for findings that the fixes of their rule did not change. */
const NO_FIX =
  'No rule says what is right here. Look at the findings: a single summary can be rewritten, or dissolved into its sources.'

function manualStep(check: CheckResult, left: readonly Group[]): PlannedStep {
  const { advice = NO_FIX, cannotRestore = null } = ruleOf.get(check.id) ?? {}
  const [only] = left
  const count =
    left.length === 1 && only?.[0] === null ? check.count : left.reduce((sum, [, group]) => sum + group.length, 0)
  return {
    id: check.id,
    fixes: [check.id],
    conversationId: null,
    nodes: left.flatMap(([, group]) => group.flatMap(({ id }) => id ?? [])),
    title: `By hand: ${check.id.replaceAll('_', ' ')}, ${count.toLocaleString('en')} ${count === 1 ? 'finding' : 'findings'}`,
    description: `${check.explanation} ${advice}`,
    risk: 'manual',
    rows: 0,
    changes: [],
    statements: [],
    isForOriginal: false,
    rewrite: [],
    setAside: [],
    cannotRestore,
    dependsOn: [],
    fingerprint: fingerprintOf(check.id, count),
  }
}
