import type { SalvagedTable, SalvageReport } from '#core/contract/salvage.ts'
import { formatBytes, formatCount, plural } from '#renderer/ui/format.ts'

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
  const ranges = tables.reduce((sum, table) => sum + (isUnsure(table) ? 0 : table.lostRanges), 0)
  const missing = missingBytes > 0 ? `${formatBytes(missingBytes)} are missing at the end of the file.` : null
  const sentences = isWhole
    ? ['Every row could be read: the damage lies in what is not copied, such as an index.', missing]
    : [
        'What could be read is in a new memory, row by row.',
        ranges > 0 ? `${plural(ranges, 'range', 'ranges')} of rows could not.` : null,
        unsure.length > 0
          ? `The order of ${unsure.join(' and ')} is lost: rows were found page by page, and nobody can say whether any is missing.`
          : null,
        byPages
          ? 'Its table of contents is lost: rows were found page by page, and what stood on lost pages cannot be named.'
          : null,
        missing,
      ]
  return sentences.filter((sentence) => sentence !== null).join(' ')
}

/** Says which rows of a table are lost. */
export function lostText(rows: Rows): string {
  const { lost, lostRanges, refused } = rows
  const ranges = isUnsure(rows)
    ? 'cannot be told'
    : lostRanges === 0
      ? 'nothing'
      : `${lost.slice(0, SHOWN).map(rangeText).join(', ')}${lostRanges > SHOWN ? ` and ${formatCount(lostRanges - SHOWN)} more` : ''}`
  return refused > 0 ? `${ranges} · ${formatCount(refused)} rows make no sense` : ranges
}

/** No row was reached in order, and yet there are rows: they were found on their pages. */
const isUnsure = ({ read, lost, lostRanges }: Rows): boolean =>
  read > 0 && lostRanges === 1 && lost[0]?.from === 'the first' && lost[0].to === 'the last'

type Range = Rows['lost'][number]

const rangeText = ({ from, to }: Range): string => (from === to ? from : `${from} – ${to}`)
