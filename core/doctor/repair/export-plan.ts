import { basename } from 'node:path'
import type { MemoryInfo } from '#core/contract/memory.ts'
import type { ExportedPlan, ExportFormat, RowChange } from '#core/contract/repair.ts'
import { isNative } from '#core/systems/native/native.ts'
import type { PlannedStep } from './plan-steps.ts'
import { sqlOf } from './shown-plan.ts'

export type ExportRequest = {
  readonly steps: readonly PlannedStep[]
  readonly info: MemoryInfo
  readonly format: ExportFormat
  readonly nowMs: number
}

/** Exports a plan as a text for people, or as a script for a native file. */
export function exportPlan(request: ExportRequest): ExportedPlan {
  const { info, format } = request
  const text = format === 'sql' ? sqlText(request) : markdownText(request)
  return { format, fileName: `${basename(info.path)}.repair.${format === 'sql' ? 'sql' : 'md'}`, text }
}

function markdownText({ steps, info, nowMs }: ExportRequest): string {
  const lines = [
    `# Repair plan for ${code(basename(info.path))}`,
    '',
    `${info.systemLabel}, planned ${new Date(nowMs).toISOString()}. ${steps.length} ${steps.length === 1 ? 'step' : 'steps'}. Messages are never changed.`,
    '',
  ]
  for (const [index, step] of steps.entries()) {
    lines.push(
      `## ${index + 1}. ${plain(step.title)}`,
      '',
      `- step ${code(step.id)}, risk **${step.risk}**, ${step.rows.toLocaleString('en')} rows`,
      `- settles ${step.fixes.map(code).join(', ')}`,
      ...(step.dependsOn.length > 0 ? [`- after ${step.dependsOn.map(code).join(', ')}`] : []),
      '',
      plain(step.description),
      '',
      ...(step.cannotRestore === null ? [] : [`**Cannot be restored:** ${plain(step.cannotRestore)}`, '']),
      ...(step.changes.length === 0 ? [] : [...changeTable(step.changes), '']),
    )
  }
  return `${lines.join('\n').trimEnd()}\n`
}

function changeTable(changes: readonly RowChange[]): string[] {
  const cell = (cells: RowChange['before']): string =>
    cells === null
      ? '–'
      : code(
          Object.entries(cells)
            .map(([name, value]) => `${name}=${value ?? 'NULL'}`)
            .join(' '),
        )
  return [
    '| table | row | before | after |',
    '|---|---|---|---|',
    ...changes.map(({ table, key, before, after }) => `| ${table} | ${cell(key)} | ${cell(before)} | ${cell(after)} |`),
  ]
}

/** Text from a file may hold anything, so line breaks, table borders and ends of code spans are removed. */
const code = (text: string): string =>
  `\`${text
    .replace(/[\r\n]+/g, ' ')
    .replaceAll('`', "'")
    .replaceAll('|', '\\|')
    .slice(0, 400)}\``
const plain = (text: string): string => text.replace(/[\r\n]+/g, ' ').replace(/[\\`*_{}[\]<>#|]/g, '\\$&')

function sqlText({ steps, info, nowMs }: ExportRequest): string {
  const isForeign = !isNative(info)
  const isForOriginal =
    steps.some((step) => step.isForOriginal) &&
    steps.every(({ isForOriginal, risk }) => isForOriginal || risk === 'manual')
  const lines = [
    `-- Repair plan for ${comment(info.path)}, ${new Date(nowMs).toISOString()}.`,
    ...(isForOriginal
      ? [
          '-- These statements rebuild indexes of the file itself: close its own program, and run them on a copy of the file.',
        ]
      : isForeign
        ? [
            `-- The file belongs to ${comment(info.systemLabel)}. These statements name the tables of a working copy ("lcm copy --from FILE --to COPY"):`,
            '-- run them on that, never on the file itself, whose tables are others.',
          ]
        : [
            '-- "lcm repair --apply" does the same with a backup before and a scan after. By hand: close other programs, copy the file first.',
          ]),
    '-- Messages are never changed. Steps that need a summariser or a person have no statements.',
    'BEGIN IMMEDIATE;',
    'PRAGMA defer_foreign_keys = ON;',
  ]
  for (const step of steps) {
    lines.push('', `-- ${comment(step.id)} (${step.risk}): ${comment(step.title)}`)
    if (step.risk === 'manual' || step.risk === 'model') lines.push(`-- ${comment(step.description)}`)
    const statements = step.statements.map((sql) => `${sql.replace(/;$/, '')};`)
    if (step.isForOriginal && !isForOriginal) {
      lines.push('-- For a copy of the file itself, not for the working copy:', ...statements.map((sql) => `-- ${sql}`))
    } else lines.push(...sqlOf(step.changes), ...statements)
  }
  const proof = isForOriginal ? ['', '-- It has to answer "ok".', 'PRAGMA integrity_check;'] : []
  return `${[...lines, '', 'COMMIT;', ...proof].join('\n')}\n`
}

const comment = (text: string): string => text.replace(/[\r\n]+/g, ' ')
