import type { IntegrityReport } from '#core/contract/integrity.ts'
import type { RepairPlan, RepairStep } from '#core/contract/repair.ts'
import { renderSql, statementsOf } from '../apply/rows.ts'
import { fingerprintOf } from './describe-changes.ts'
import type { PlannedStep } from './plan-steps.ts'

/** The most rows and nodes of a step that are shown. */
const MOST_ROWS = 200
const MOST_NODES = 20
/** The longest text in a row that is shown. */
const MOST_CHARS = 4000

/** Returns a plan as it is shown, with the first rows of each step. */
export function toPlan(
  report: IntegrityReport,
  steps: readonly PlannedStep[],
  onlyExport: string | null,
  madeAtMs: number,
): RepairPlan {
  const found = report.checks.filter((check) => check.count > 0 && check.severity !== 'info')
  return {
    planId: fingerprintOf(steps.map((step) => [step.id, step.fingerprint])),
    madeAtMs,
    steps: steps.map(toShownStep),
    onlyExport,
    findings: Object.fromEntries(found.map((check) => [check.id, check.count])),
  }
}

/** Leaves out what only the writer needs. */
export function toShownStep({
  statements,
  isForOriginal: _original,
  rewrite: _rewrite,
  ...step
}: PlannedStep): RepairStep {
  return {
    ...step,
    fixes: [...step.fixes],
    dependsOn: [...step.dependsOn],
    nodes: step.nodes.slice(0, MOST_NODES),
    changes: shownChanges(step.changes),
    sql: [...sqlOf(step.changes.slice(0, MOST_ROWS)), ...statements.map((sql) => `${sql};`)].slice(0, MOST_ROWS),
  }
}

/** Returns the first rows, with long texts cut. */
export function shownChanges(changes: PlannedStep['changes']): RepairStep['changes'] {
  const cut = (cells: RepairStep['changes'][number]['after']): typeof cells =>
    cells &&
    Object.fromEntries(
      Object.entries(cells).map(([name, value]) => [
        name,
        typeof value === 'string' && value.length > MOST_CHARS ? `${value.slice(0, MOST_CHARS)}…` : value,
      ]),
    )
  return changes
    .slice(0, MOST_ROWS)
    .map(({ before, after, ...change }) => ({ ...change, before: cut(before), after: cut(after) }))
}

export const sqlOf = (changes: PlannedStep['changes']): string[] => [...statementsOf(changes)].map(renderSql)
