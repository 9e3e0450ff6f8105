import type { CheckResult, IntegrityReport } from '#core/contract/integrity.ts'

/** A finding with those that may only follow from it. */
type Cause = { readonly check: CheckResult; readonly consequences: readonly CheckResult[] }

export type ReportGroups = {
  /** Errors, then warnings; within each the most frequent first. */
  readonly findings: readonly CheckResult[]
  /** The same findings, each consequence under its first cause. */
  readonly causes: readonly Cause[]
  /** Findings that are expected. */
  readonly expected: readonly CheckResult[]
  readonly passed: readonly CheckResult[]
  readonly notApplicable: readonly CheckResult[]
}

/**
 * Returns findings that are by design of the system from which a working copy comes, in the form of expected findings.
 */
export function byDesign(report: Pick<IntegrityReport, 'byDesign'>): readonly CheckResult[] {
  return (report.byDesign ?? []).map(({ id, group, severity, invariant, why, count, samples }) => ({
    id,
    group,
    severity,
    invariant,
    explanation: why,
    count,
    samples,
    repairable: false,
    notApplicable: null,
    durationMs: 0,
  }))
}

/** `By design of ArgentOS`; of one system, as a copy comes from one. */
export const byDesignTitle = ({ byDesign: ways }: Pick<IntegrityReport, 'byDesign'>): string =>
  `By design of ${ways?.[0]?.systemLabel ?? 'its system'}`

const RANK = { error: 0, warning: 1, info: 2 } as const

/**
 * Groups the checks of a report by their result. A check that found something which is by design has not simply passed.
 */
export function groupChecks(checks: readonly CheckResult[], ways: readonly CheckResult[] = []): ReportGroups {
  const applicable = checks.filter((check) => check.notApplicable === null)
  const found = applicable.filter((check) => check.count > 0)
  const findings = found
    .filter((check) => check.severity !== 'info')
    .sort((a, b) => RANK[a.severity] - RANK[b.severity] || b.count - a.count)
  return {
    findings,
    causes: foldConsequences(findings),
    expected: found.filter((check) => check.severity === 'info'),
    passed: applicable.filter((check) => check.count === 0 && !ways.some(({ id }) => id === check.id)),
    notApplicable: checks.filter((check) => check.notApplicable !== null),
  }
}

/**
 * A consequence of a consequence belongs to the first cause. Findings that explain each other are listed separately.
 */
function foldConsequences(findings: readonly CheckResult[]): Cause[] {
  const byId = new Map(findings.map((check) => [check.id, check]))
  const causeOf = (check: CheckResult): CheckResult | undefined =>
    check.consequenceOf?.map((id) => byId.get(id)).find((cause) => cause !== undefined && cause !== check)
  const rootOf = (check: CheckResult): CheckResult => {
    const seen = new Set([check])
    let root = check
    for (let cause = causeOf(root); cause !== undefined; cause = causeOf(root)) {
      if (seen.has(cause)) return check
      seen.add(cause)
      root = cause
    }
    return root
  }
  return findings
    .filter((check) => rootOf(check) === check)
    .map((check) => ({ check, consequences: findings.filter((other) => other !== check && rootOf(other) === check) }))
}

const NUMBERS = [
  'No',
  'One',
  'Two',
  'Three',
  'Four',
  'Five',
  'Six',
  'Seven',
  'Eight',
  'Nine',
  'Ten',
  'Eleven',
  'Twelve',
]

const spelled = (count: number, noun: string): string =>
  `${NUMBERS[count] ?? count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`

/** `Two errors, one warning`, or `Nothing is wrong`. */
export function reportTitle({ counts: { error, warning }, only }: Pick<IntegrityReport, 'counts' | 'only'>): string {
  const parts = [error > 0 && spelled(error, 'error'), warning > 0 && spelled(warning, 'warning')].filter(
    (part) => part !== false,
  )
  if (parts.length === 0) return only === undefined ? 'Nothing is wrong' : 'Nothing is wrong in its structure'
  const [first = '', ...rest] = parts
  return [first, ...rest.map((part) => part.toLowerCase())].join(', ')
}
