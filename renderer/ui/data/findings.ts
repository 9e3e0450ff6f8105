import type { IntegrityReport } from '#core/contract/integrity.ts'
import { checkTitle } from './check-titles.ts'

/** The findings of the last scan at a node. */
export type NodeFinding = {
  /** The severity of the worst finding. */
  readonly severity: 'error' | 'warning'
  /** Every check with a finding at the node, once, the worst first. */
  readonly checks: readonly { readonly id: string; readonly explanation: string }[]
}

/** Findings by the id of their node. */
export type Findings = ReadonlyMap<string, NodeFinding>

export const NO_FINDINGS: Findings = new Map()

/**
 * Returns the nodes with findings in a report. Expected states do not count. A report names only the first of many
 * nodes.
 */
export function findingsOf(report: Pick<IntegrityReport, 'checks'> | null): Findings {
  if (report === null) return NO_FINDINGS
  const findings = new Map<string, NodeFinding>()
  for (const severity of ['error', 'warning'] as const) {
    for (const check of report.checks) {
      if (check.severity !== severity || check.count === 0 || check.notApplicable !== null) continue
      for (const id of new Set(check.samples.map((sample) => sample.id))) {
        if (id === null) continue
        const known = findings.get(id)
        const own = { id: check.id, explanation: check.explanation }
        findings.set(id, { severity: known?.severity ?? severity, checks: [...(known?.checks ?? []), own] })
      }
    }
  }
  return findings
}

/** `error: A summary is made from itself; A stored depth is wrong`, for a title or a screen reader. */
export const findingText = ({ severity, checks }: NodeFinding): string =>
  `${severity}: ${checks.map(({ id }) => checkTitle(id)).join('; ')}`

/**
 * Returns what a resume would load of the conversations whose chain of records breaks, by their ids. A report names only
 * the first of many.
 */
export function brokenChainsOf(report: Pick<IntegrityReport, 'checks'>): ReadonlyMap<number, string> {
  const samples = report.checks.find(({ id }) => id === 'broken_chain')?.samples ?? []
  return new Map(
    samples.flatMap(({ conversationId, detail }) =>
      conversationId === null ? [] : [[conversationId, detail] as const],
    ),
  )
}
