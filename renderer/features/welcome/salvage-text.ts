import type { SalvagedTable, SalvageReport } from '#core/contract/salvage.ts'
import { formatBytes, formatCount, plural } from '#renderer/ui/texts/format.ts'

/** As many ranges are named. */
const SHOWN = 6

type Rows = Pick<SalvagedTable, 'table' | 'read' | 'refused' | 'lost' | 'lostRanges'>

/** Says what a salvaged file has of a damaged one. */
export function salvageText(report: {
  readonly tables: readonly Rows[]
  readonly isWhole: SalvageReport['isWhole']
  readonly byPages: SalvageReport['byPages']
  readonly missingBytes: SalvageReport['missingBytes']
}): string {
  const { tables, isWhole, byPages, missingBytes } = report
  const unsure = tables.filter(isUnsure).map(({ table }) => table)
  const ranges = tables.reduce((sum, table) => sum + named(table).count, 0)
  const missing = missingBytes > 0 ? `${formatBytes(missingBytes)} are missing at the end of the file.` : null
  const sentences = isWhole
    ? ['Every row could be read: the damage lies in what is not copied, such as an index.', missing]
    : [
        'What could be read is in a new memory, row by row.',
        ranges > 0 ? `${plural(ranges, 'range', 'ranges')} of rows could not.` : null,
        unsure.length > 0
          ? `The order of ${unsure.join(' and ')} is lost: rows were found page by page, and nobody can say whether ${ranges > 0 ? 'any other' : 'any'} is missing.`
          : null,
        byPages
          ? 'Its table of contents is lost: rows were found page by page, and of what stood on lost pages only messages between others can be named.'
          : null,
        missing,
      ]
  return sentences.filter((sentence) => sentence !== null).join(' ')
}

/** Says which rows of a table are lost. */
export function lostText(rows: Rows): string {
  const { lost, count } = named(rows)
  const more = count > SHOWN ? ` and ${formatCount(count - SHOWN)} more` : ''
  const ranges = count > 0 ? `${lost.slice(0, SHOWN).map(rangeText).join(', ')}${more}` : 'nothing'
  const unsure = count > 0 ? `${ranges}; whether more is missing cannot be told` : 'cannot be told'
  const said = isUnsure(rows) ? unsure : ranges
  return rows.refused > 0 ? `${said} · ${formatCount(rows.refused)} rows make no sense` : said
}

const isEverything = ({ from, to }: Range): boolean => from === 'the first' && to === 'the last'

/** No row was reached in order, and yet there are rows: they were found on their pages. */
const isUnsure = ({ read, lost }: Rows): boolean => read > 0 && lost.some(isEverything)

/** The ranges that are known to be lost, as far as they are listed, and how many there are. */
function named(rows: Rows): { readonly lost: readonly Range[]; readonly count: number } {
  const isNamed = (range: Range): boolean => !(isUnsure(rows) && isEverything(range))
  return { lost: rows.lost.filter(isNamed), count: rows.lostRanges - (isUnsure(rows) ? 1 : 0) }
}

type Range = Rows['lost'][number]

/** `conversation 1 message 202 – 350`: what both ends begin with is said once. */
function rangeText({ from, to }: Range): string {
  if (from === to) return from
  const shared = /^.*message (?=\d+$)/.exec(from)?.[0] ?? ''
  return `${from} – ${to.startsWith(shared) ? to.slice(shared.length) : to}`
}
