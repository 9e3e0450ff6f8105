import { assertNever } from '#core/errors.ts'
import { estimateTokens } from '#core/models/heuristic-tokens.ts'
import { counted, shown, shownEnd } from './shown.ts'

/** One thing that a summary can name, and what it can say of it where there is room. */
export type Entry = {
  readonly name: string
  readonly detail: string
  /** The detail holds the name already. */
  readonly isNamedInDetail?: boolean
}

/** `more` is shown only while the summary is short: examples, excerpts. */
type Use = 'always' | 'more'

/** Entries in order of importance under a title, or a piece of the file of which as much is shown as fits. */
export type Section =
  | {
      readonly kind: 'entries'
      readonly title: string
      readonly entries: readonly Entry[]
      /** How many there are in the file, when the explorer did not keep them all. */
      readonly total?: number
      /** True when there are more, and nobody has counted them. */
      readonly isCut?: boolean
      readonly use: Use
      /** The part of the free room that the names may take. */
      readonly share?: number
    }
  | {
      readonly kind: 'excerpt'
      readonly title: string
      readonly text: string
      /** The text is the end of a longer one: its own end is shown. */
      readonly isEnd?: boolean
      readonly use: Use
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
const FEW_TOKENS = 280
const NEARLY_FEW_TOKENS = 240
/** The part of the free room that a section may take for its names while other sections follow. */
const SHARE = 0.6

/** The number of entries that are named, or of characters of an excerpt, and how many entries have their detail. */
type Amount = { readonly named: number; readonly detailed: number }
type Amounts = Map<Section, Amount>

/**
 * Writes a summary that fits. First every section gets its names, then the sections get details in their order, and at
 * last a short summary is filled.
 */
export function summaryText(heading: string, { facts, sections }: Findings): string {
  const head = [heading, ...facts]
  while (head.length > 1 && estimateTokens(head.join('\n')) > MOST_TOKENS / 2) head.pop()
  const amounts: Amounts = new Map(sections.map((section) => [section, { named: 0, detailed: 0 }]))
  const write = (): string =>
    [...head, ...[...amounts].flatMap(([section, amount]) => linesOf(section, amount))].join('\n')
  const fits = (limit: number) => (): boolean => estimateTokens(write()) <= limit

  const always = sections.filter(({ use }) => use === 'always')
  for (const [index, section] of always.entries()) {
    const used = estimateTokens(write())
    const share = shareOf(section) ?? (index === always.length - 1 ? 1 : SHARE)
    addNames(amounts, section, fits(used + (MOST_TOKENS - used) * share))
  }
  for (const section of always) addDetails(amounts, section, fits(MOST_TOKENS))
  for (const section of sections) {
    if (section.use !== 'more' || estimateTokens(write()) >= NEARLY_FEW_TOKENS) continue
    if (section.kind === 'excerpt') addNames(amounts, section, fits(FEW_TOKENS))
    else addDetails(amounts, section, fits(FEW_TOKENS))
  }
  return write()
}

const shareOf = (section: Section): number | undefined => (section.kind === 'entries' ? section.share : undefined)
const sizeOf = (section: Section): number => (section.kind === 'entries' ? section.entries : section.text).length

function addNames(amounts: Amounts, section: Section, fits: () => boolean): void {
  most(sizeOf(section), fits, (named) => amounts.set(section, { named, detailed: 0 }))
}

function addDetails(amounts: Amounts, section: Section, fits: () => boolean): void {
  if (section.kind === 'excerpt') return
  const before = amounts.get(section)?.named ?? 0
  most(sizeOf(section), fits, (detailed) => amounts.set(section, { detailed, named: Math.max(before, detailed) }))
}

/** Applies the greatest number up to `limit` that fits. */
function most(limit: number, fits: () => boolean, apply: (count: number) => void): void {
  let [fitting, failing] = [0, limit + 1]
  while (failing - fitting > 1) {
    const middle = fitting === 0 && failing === limit + 1 ? limit : (fitting + failing) >> 1
    apply(middle)
    if (fits()) fitting = middle
    else failing = middle
  }
  apply(fitting)
}

/** An empty line stands before each section, so that Markdown does not take its title for the end of a list. */
function linesOf(section: Section, amount: Amount): string[] {
  if (amount.named === 0) return []
  switch (section.kind) {
    case 'entries':
      return ['', `${section.title}:`, ...entryLines(section, amount)]
    case 'excerpt': {
      const text = section.isEnd ? shownEnd(section.text, amount.named) : shown(section.text, amount.named)
      return text === '' ? [] : ['', `${section.title}:`, section.isEnd ? `…${text}` : text]
    }
    default:
      return assertNever(section)
  }
}

function entryLines(
  { entries, total = entries.length, isCut = false }: Extract<Section, { kind: 'entries' }>,
  { named, detailed }: Amount,
): string[] {
  const full = entries.slice(0, detailed).map(({ name, detail, isNamedInDetail = name === '' }) => {
    if (isNamedInDetail) return `- ${detail}`
    return detail === '' ? `- ${name}` : `- ${name}: ${detail}`
  })
  const names = entries.slice(detailed, named).flatMap(({ name }) => name || [])
  const left = total - detailed - names.length
  const rest = isCut
    ? ` … and ${left > 0 ? `more than ${counted(left)} ` : ''}more`
    : left > 0
      ? ` … and ${counted(left)} more`
      : ''
  if (names.length > 0) return [...full, `- ${detailed === 0 ? '' : 'also '}${names.join(', ')}${rest}`]
  return rest === '' ? full : [...full, `-${rest}`]
}
