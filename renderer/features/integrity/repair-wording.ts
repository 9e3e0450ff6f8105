import { NOTHING_ELSE } from '#core/contract/lists.ts'
import type { MemoryInfo } from '#core/contract/memory.ts'
import type { RepairResult, RepairRisk, RepairStep } from '#core/contract/repair.ts'
import type { Tone } from '#renderer/ui/controls/chip.tsx'
import { checkTitle } from '#renderer/ui/data/check-titles.ts'
import { formatCount, plural } from '#renderer/ui/texts/format.ts'
import { canChoose } from './step-choice.ts'

/** The meaning of a risk, for its chip. */
export const RISKS: Readonly<Record<RepairRisk, { readonly tone: Tone; readonly hint: string }>> = {
  safe: { tone: 'fine', hint: 'Rebuilds what follows from the rest of the file' },
  rewrite: { tone: 'warning', hint: 'Changes derived content by a rule, which the step names' },
  model: { tone: 'warning', hint: 'Needs a summariser to write a text anew' },
  manual: { tone: 'neutral', hint: 'Cannot be done by the app; the step says what a person can do' },
}

/** Divides what a step says into why and how, and which rows it changes. */
export function stepWords(description: string): { readonly sentence: string; readonly rows: string | null } {
  const at = description.indexOf(NOTHING_ELSE)
  if (at < 0) return { sentence: description, rows: null }
  const end = at + NOTHING_ELSE.length
  return { sentence: description.slice(end).trim(), rows: description.slice(0, end) }
}

/** `Apply 2 of 6 steps`. */
export const applyText = (chosen: number, all: number): string =>
  chosen === all ? `Apply ${plural(all, 'step')}` : `Apply ${formatCount(chosen)} of ${plural(all, 'step')}`

/** `3 steps applied`, or what became of them instead. */
export function outcomeTitle({ applied, skipped, rolledBack }: RepairResult): string {
  if (rolledBack !== null) return 'Rolled back: nothing was kept'
  if (applied.length === 0) return 'Nothing was to be changed'
  return `${plural(applied.length, 'step')} applied${skipped.length > 0 ? `, ${formatCount(skipped.length)} skipped` : ''}`
}

export type FindingChange = { readonly check: string; readonly before: number; readonly after: number }

/** Returns the checks that found something before or after, improved ones first. */
export function findingChanges({ before, after }: Pick<RepairResult, 'before' | 'after'>): readonly FindingChange[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .map((check) => ({ check, before: before[check] ?? 0, after: after[check] ?? 0 }))
    .sort((a, b) => a.after - a.before - (b.after - b.before) || a.check.localeCompare(b.check))
}

/**
 * `By hand: A link leads to nothing, 5 findings`. A step by hand is named by the id of its check, which is what commands
 * know; the findings beside it have titles.
 */
export const stepTitle = ({ id, risk, title }: Pick<RepairStep, 'id' | 'risk' | 'title'>): string =>
  risk === 'manual' ? title.replace(id.replaceAll('_', ' '), checkTitle(id)) : title

/** Says why a plan can only be exported, or returns null when steps can be applied. */
export function whyOnlyExport(
  { readOnly, system, systemLabel, readOnlyReason }: MemoryInfo,
  steps: readonly Pick<RepairStep, 'risk'>[],
): string | null {
  if (!readOnly) return null
  if (system === 'native') return `${readOnlyReason ?? 'The file is read-only.'} The plan can be exported.`
  if (!steps.some(canChoose))
    return `This file belongs to ${systemLabel} and stays as it is. Every step of the plan is by hand: in a working copy you can rewrite, dissolve and transplant summaries.`
  return `This file belongs to ${systemLabel} and stays as it is. The plan can be exported, or applied to a working copy: backup first, one transaction, a second check before it is kept.`
}

/** What a working copy is offered for: a bright repair only where the plan has a step that can be applied in it. */
export const copyOffer = (steps: readonly Pick<RepairStep, 'risk'>[]): { label: string; look: 'primary' | 'plain' } =>
  steps.some(canChoose)
    ? { label: 'Repair in a working copy', look: 'primary' }
    : { label: 'Make a working copy', look: 'plain' }

/** Rows by table of some steps, `context_items 3`; of an index its entries. */
export function rowsByTable(
  steps: readonly RepairStep[],
): readonly { readonly table: string; readonly rows: number }[] {
  const tables = new Map<string, number>()
  for (const step of steps) {
    const named = new Set(step.changes.map((change) => change.table))
    // Only the first part of the rows is shown. A step of one table has all its rows there.
    if (named.size === 1) for (const table of named) tables.set(table, (tables.get(table) ?? 0) + step.rows)
    else for (const { table } of step.changes) tables.set(table, (tables.get(table) ?? 0) + 1)
  }
  return [...tables].map(([table, rows]) => ({ table, rows }))
}
