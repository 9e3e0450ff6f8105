import type { CheckResult, IntegrityReport, Sample } from '../../contract/integrity.ts'
import type { Area } from '../rules/fix.ts'
import { checks } from '../rules/rules.ts'
import { areasOf, fingerprintOf } from './describe-changes.ts'
import { fixers } from './fixers.ts'
import { manualNote } from './manual-notes.ts'
import { isPaired, PAIR_CHECKS } from './pairs.ts'
import type { Findings, Planned, PlannedStep } from './plan-steps.ts'

/** Checks without a step of their own that can only fire because of rows that other steps put right. */
const OF_OTHERS: Readonly<Record<string, RegExp>> = {
  sqlite_integrity: /CHECK constraint failed|inverted index|fts5?|_trigram/i,
  foreign_keys: /^(summary_messages|summary_sources|context_items)\b/,
}

const withFixer = new Set(fixers.flatMap((fixer) => fixer.checks))
const reads = new Map(fixers.flatMap((fixer) => fixer.checks.map((check) => [check, new Set(fixer.reads)] as const)))
const WINDOW: ReadonlySet<Area> = new Set(['window'])
const causes = new Map(checks.map((check) => [check.id, check.consequenceOf ?? []]))

/**
 * The steps of a plan with what they settle besides, and a manual step for every check that has findings which none of
 * them settles. A finding goes along with a step when its own fixer finds nothing left to do after that.
 */
export function withLeftovers(
  report: IntegrityReport,
  findings: Findings,
  { steps, model }: Pick<Planned, 'steps' | 'model'>,
): PlannedStep[] {
  const also = new Map<string, string[]>()
  const manual: PlannedStep[] = []
  for (const check of report.checks) {
    if (check.count === 0 || check.severity === 'info') continue
    const left = groupsOf(check, findings).filter(([conversationId, group]) => {
      const near = steps.filter((step) => isNear(step.conversationId, conversationId))
      if (near.some((step) => step.fixes.includes(check.id))) return false
      const goes = PAIR_CHECKS.includes(check.id)
        ? group.every((finding) => isPaired(model, finding))
        : goesAlong(check.id, group)
      const cause = goes ? causeOf(check.id, near) : undefined
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

/** What is left where pages are damaged: nothing that was read can be relied on to plan with. */
export const manualSteps = (report: IntegrityReport): PlannedStep[] =>
  report.checks
    .filter((check) => check.count > 0 && check.severity !== 'info')
    .map((check) => manualStep(check, [[null, check.samples]]))

type Group = readonly [conversationId: number | null, findings: readonly Sample[]]

function groupsOf(check: CheckResult, findings: Findings): Group[] {
  const all = findings.get(check.id)
  if (!all || OF_OTHERS[check.id]) return [[null, all ?? check.samples]]
  return [...Map.groupBy(all, (finding) => finding.conversationId)]
}

const isNear = (a: number | null, b: number | null): boolean => a === null || b === null || a === b

function goesAlong(check: string, group: readonly Sample[]): boolean {
  const pattern = OF_OTHERS[check]
  return pattern ? group.every(({ detail }) => pattern.test(detail)) : withFixer.has(check)
}

/** The step that settles what makes this check fire; else the last one, since its fixer found nothing left after it. */
function causeOf(check: string, near: readonly PlannedStep[]): PlannedStep | undefined {
  const named = near.find((step) => causes.get(check)?.some((cause) => step.fixes.includes(cause)))
  return (
    named ??
    near.findLast(
      (step) =>
        areasOf(step.changes).intersection(reads.get(check) ?? (PAIR_CHECKS.includes(check) ? WINDOW : NOTHING)).size >
        0,
    )
  )
}

const NOTHING: ReadonlySet<Area> = new Set()

function manualStep(check: CheckResult, left: readonly Group[]): PlannedStep {
  const { advice, cannotRestore } = manualNote(check.id)
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
    rewrite: [],
    cannotRestore,
    dependsOn: [],
    fingerprint: fingerprintOf(check.id, count),
  }
}
