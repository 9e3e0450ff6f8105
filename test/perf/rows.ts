import { availableParallelism } from 'node:os'
import type { Duration, Timing } from './statistics.ts'

/** A line of the table of the benchmark. */
export type Row = readonly [what: string, measured: string, cpu: string, goal: string]

export const fixed = (value: number, digits = 0): string => value.toFixed(digits)

export const timing = (what: string, { p50, p95, max, cpuP50, cpuP95 }: Timing, goal = ''): Row => [
  what,
  `p50 ${fixed(p50)}, p95 ${fixed(p95)}, max ${fixed(max)} ms`,
  `${fixed(cpuP50)}, ${fixed(cpuP95)} ms`,
  goal,
]

export const duration = (what: string, { wallMs, cpuMs }: Duration, goal = ''): Row => [
  what,
  `${fixed(wallMs)} ms`,
  `${fixed(cpuMs)} ms`,
  goal,
]

export const figure = (what: string, measured: string, goal = ''): Row => [what, measured, '', goal]

export function printTable(title: string, rows: readonly Row[]): void {
  const table: readonly Row[] = [['', 'measured', 'CPU p50, p95', 'goal'], ...rows]
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => (row[column] ?? '').length)))
  console.log(`${title}, Node ${process.version}, ${availableParallelism()} cores\n`)
  for (const row of table)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
  console.log('')
}
