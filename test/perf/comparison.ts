/** One figure of the benchmark, named by its path in the JSON document: `read.transcriptPage.p95`. */
type ComparedFigure = {
  readonly name: string
  /** The median of the rounds. */
  readonly old: number
  readonly new: number
  readonly ratio: number
  readonly isWorse: boolean
}

export type Comparison = {
  readonly figures: readonly ComparedFigure[]
  /** Names of figures that only the old benchmark has. */
  readonly onlyOld: readonly string[]
  /** Figures that only the new benchmark has, with the medians of the rounds. */
  readonly onlyNew: readonly { readonly name: string; readonly new: number }[]
}

/** How much slower a figure may become, and how much heavier. */
const SLOWER = 1.1
const HEAVIER = 1.05

/** The first four say how much was measured; the maxima are left out because one pause of the machine decides them. */
const NOT_COMPARED = new Set(['messages', 'summaries', 'runs', 'frames', 'max', 'worstMs'])
const MORE_IS_BETTER = /(PerSecond|Share|ShareOfTriggers|^speedUp|^speedUpOfAll|^reduction)$/
const SIZE = /Megabytes$/

/** Which build is measured when: alternately, and each one first in every other round. */
export function turns(rounds: number): ('old' | 'new')[] {
  return Array.from({ length: rounds }, (_, round) =>
    round % 2 === 0 ? (['old', 'new'] as const) : (['new', 'old'] as const),
  ).flat()
}

/** Compares what the rounds of two builds printed with `--json`. */
export function compare(oldRounds: readonly unknown[], newRounds: readonly unknown[]): Comparison {
  const [old, now] = [medians(oldRounds), medians(newRounds)]
  return {
    figures: [...now].flatMap(([name, value]) => {
      const before = old.get(name)
      return before === undefined ? [] : [compareFigure(name, before, value)]
    }),
    onlyOld: [...old.keys()].filter((name) => !now.has(name)),
    onlyNew: [...now].flatMap(([name, value]) => (old.has(name) ? [] : [{ name, new: value }])),
  }
}

function compareFigure(name: string, old: number, now: number): ComparedFigure {
  const ratio = now === old ? 1 : now / old
  const last = lastPart(name)
  const growth = MORE_IS_BETTER.test(last) ? 1 / ratio : ratio
  return { name, old, new: now, ratio, isWorse: growth > (SIZE.test(last) ? HEAVIER : SLOWER) }
}

/** The table and what stands below it. */
export function comparisonText({ figures, onlyOld, onlyNew }: Comparison): string {
  const rows = [
    ['', 'old', 'new', 'new ÷ old', ''],
    ...figures.map(({ name, old, new: now, ratio, isWorse }) => [
      name,
      short(old),
      short(now),
      ratio.toFixed(2),
      isWorse ? 'worse' : '',
    ]),
    ...onlyNew.map(({ name, new: now }) => [name, '–', short(now), '–', '']),
  ]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  const table = rows.map(([name = '', ...cells]) =>
    [name.padEnd(widths[0] ?? 0), ...cells.map((cell, at) => cell.padStart(widths[at + 1] ?? 0))].join('  ').trimEnd(),
  )
  const worse = figures.filter(({ isWorse }) => isWorse).length
  return [
    ...table,
    '',
    `${worse} of ${figures.length} figures are worse: slower than ${SLOWER} × or, in megabytes, more than ${HEAVIER} ×.`,
    ...(onlyOld.length > 0 ? [`Only the old benchmark has: ${onlyOld.join(', ')}`] : []),
  ].join('\n')
}

/** Of each figure that at least one round has. */
function medians(rounds: readonly unknown[]): Map<string, number> {
  const values = new Map<string, number[]>()
  for (const round of rounds)
    for (const [name, value] of numbersIn(round)) values.set(name, [...(values.get(name) ?? []), value])
  return new Map([...values].map(([name, list]) => [name, median(list)]))
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const upper = sorted[Math.floor(middle)] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2
}

/** Every figure in a document. An object in a list goes by its first text: `checked.phases.structure.durationMs`. */
function numbersIn(value: unknown, path: readonly string[] = []): [name: string, value: number][] {
  if (typeof value === 'number') return NOT_COMPARED.has(path.at(-1) ?? '') ? [] : [[path.join('.'), value]]
  if (typeof value !== 'object' || value === null) return []
  const entries = Array.isArray(value)
    ? value.map((item: unknown, at) => [nameOf(item) ?? String(at), item] as const)
    : Object.entries(value)
  return entries.flatMap(([name, item]) => numbersIn(item, [...path, name]))
}

const nameOf = (item: unknown): string | undefined =>
  typeof item === 'object' && item !== null
    ? Object.values(item).find((value): value is string => typeof value === 'string')
    : undefined

const lastPart = (name: string): string => name.slice(name.lastIndexOf('.') + 1)
const short = (value: number): string => value.toLocaleString('en', { maximumSignificantDigits: 3 })
