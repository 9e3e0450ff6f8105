import type { CheckResult, IntegrityReport } from '../../../core/contract/integrity.ts'

export type ReportGroups = {
  /** Errors, then warnings; within each the most frequent first. */
  readonly findings: readonly CheckResult[]
  /** Found, and as it should be. */
  readonly expected: readonly CheckResult[]
  readonly passed: readonly CheckResult[]
  readonly notApplicable: readonly CheckResult[]
}

const RANK = { error: 0, warning: 1, info: 2 } as const

/** The checks of a report by what they say. */
export function groupChecks(checks: readonly CheckResult[]): ReportGroups {
  const applicable = checks.filter((check) => check.notApplicable === null)
  const found = applicable.filter((check) => check.count > 0)
  return {
    findings: found
      .filter((check) => check.severity !== 'info')
      .sort((a, b) => RANK[a.severity] - RANK[b.severity] || b.count - a.count),
    expected: found.filter((check) => check.severity === 'info'),
    passed: applicable.filter((check) => check.count === 0),
    notApplicable: checks.filter((check) => check.notApplicable !== null),
  }
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
export function reportTitle({ counts: { error, warning } }: Pick<IntegrityReport, 'counts'>): string {
  const parts = [error > 0 && spelled(error, 'error'), warning > 0 && spelled(warning, 'warning')].filter(
    (part) => part !== false,
  )
  if (parts.length === 0) return 'Nothing is wrong'
  const [first = '', ...rest] = parts
  return [first, ...rest.map((part) => part.toLowerCase())].join(', ')
}
