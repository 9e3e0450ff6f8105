import { estimateTokens } from '../../models/heuristic-tokens.ts'

/** One thing that a summary can name, and what it can say of it where there is room. */
export type Entry = { readonly name: string; readonly detail: string }

/** Entries in order of importance under a title. */
export type Section = {
  readonly title: string
  readonly entries: readonly Entry[]
  /** How many there are in the file, when the explorer did not keep them all. */
  readonly total?: number
  /** `more` is shown only while the summary is short: examples, excerpts. */
  readonly use: 'always' | 'more'
}

/** What an explorer found out. */
export type Findings = {
  /** Facts about the whole file, most important first. */
  readonly facts: readonly string[]
  readonly sections: readonly Section[]
}

/** A summary never has more. What is counted by another estimator should still be below 500. */
const MOST_TOKENS = 470
/** A shorter summary is filled with sections for `more`, which do not make it longer than this. */
const FEW_TOKENS = 270
/** The part of the free room that the names of a section may take while other sections follow. */
const SHARE_OF_NAMES = 0.6

/** How many entries of a section are named, and how many of these have their detail. */
type Amount = { named: number; detailed: number }

/**
 * Writes a summary that fits. First every section gets its names, then the sections get details in their order, and at
 * last a short summary is filled.
 */
export function summaryText(heading: string, { facts, sections }: Findings): string {
  const head = [heading, ...facts]
  while (head.length > 1 && estimateTokens(head.join('\n')) > MOST_TOKENS / 2) head.pop()
  const amounts = new Map(sections.map((section): [Section, Amount] => [section, { named: 0, detailed: 0 }]))
  const write = (): string =>
    [...head, ...[...amounts].flatMap(([section, amount]) => linesOf(section, amount))].join('\n')
  const fits = (limit: number) => (): boolean => estimateTokens(write()) <= limit

  const always = sections.filter(({ use }) => use === 'always')
  for (const [index, section] of always.entries()) {
    const used = estimateTokens(write())
    const share = index === always.length - 1 ? 1 : SHARE_OF_NAMES
    most(section.entries.length, fits(used + (MOST_TOKENS - used) * share), (count) => {
      set(amounts, section, { named: count })
    })
  }
  for (const section of always) addDetails(amounts, section, fits(MOST_TOKENS))
  for (const section of sections) {
    if (section.use !== 'more' || estimateTokens(write()) >= FEW_TOKENS - 30) continue
    addDetails(amounts, section, fits(FEW_TOKENS))
  }
  return write()
}

function addDetails(amounts: Map<Section, Amount>, section: Section, fits: () => boolean): void {
  const before = amounts.get(section)?.named ?? 0
  most(section.entries.length, fits, (count) => {
    set(amounts, section, { detailed: count, named: Math.max(before, count) })
  })
}

function set(amounts: Map<Section, Amount>, section: Section, change: Partial<Amount>): void {
  amounts.set(section, { ...(amounts.get(section) ?? { named: 0, detailed: 0 }), ...change })
}

/** Applies the greatest number up to `limit` that fits. */
function most(limit: number, fits: () => boolean, apply: (count: number) => void): void {
  let [fitting, failing] = [0, limit + 1]
  while (failing - fitting > 1) {
    const middle = (fitting + failing) >> 1
    apply(middle)
    if (fits()) fitting = middle
    else failing = middle
  }
  apply(fitting)
}

function linesOf({ title, entries, total = entries.length }: Section, { named, detailed }: Amount): string[] {
  if (named === 0) return []
  const full = entries.slice(0, detailed).map(({ name, detail }) => {
    if (name === '') return `- ${detail}`
    return detail === '' ? `- ${name}` : `- ${name}: ${detail}`
  })
  const names = entries.slice(detailed, named).flatMap(({ name }) => name || [])
  const left = total - detailed - names.length
  const rest = left > 0 ? `${left} more` : null
  const also = names.length === 0 ? (rest === null ? [] : [`- … and ${rest}`]) : [alsoNamed(detailed, names, rest)]
  return [`${title}:`, ...full, ...also]
}

function alsoNamed(detailed: number, names: readonly string[], rest: string | null): string {
  const list = rest === null ? names.join(', ') : `${names.join(', ')} … and ${rest}`
  return detailed === 0 ? `- ${list}` : `- also ${list}`
}
