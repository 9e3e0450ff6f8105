import type { StorageObject, StorageReport } from '#core/contract/storage.ts'

type Kind = StorageObject['kind']
/** The uses of the bytes in the file and its log. */
export type Use = Kind | 'free' | 'log'

const USES: readonly { readonly use: Use; readonly label: string; readonly color: string }[] = [
  { use: 'table', label: 'tables', color: 'var(--d1)' },
  { use: 'index', label: 'indexes', color: 'var(--d2)' },
  { use: 'search_index', label: 'full-text index', color: 'var(--leaf)' },
  { use: 'search_text', label: 'text kept for search', color: 'var(--d3)' },
  { use: 'system', label: 'SQLite’s own', color: 'var(--tool)' },
  {
    use: 'free',
    label: 'free pages',
    color: 'repeating-linear-gradient(135deg, var(--control) 0 1.5px, transparent 1.5px 4px)',
  },
  { use: 'log', label: 'write-ahead log', color: 'var(--lit)' },
]

export const lookOf = (use: Use) => USES.find((one) => one.use === use) ?? USES[0]

export type Part = { readonly use: Use; readonly label: string; readonly color: string; readonly bytes: number }

/** Divides file and log into parts, in a fixed order, without empty parts. */
export function partsOf(
  report: Pick<StorageReport, 'objects' | 'freePages' | 'pageBytes' | 'walBytes'>,
): readonly Part[] {
  const bytesOf = (use: Use): number => {
    if (use === 'free') return report.freePages * report.pageBytes
    if (use === 'log') return report.walBytes
    return report.objects.reduce((sum, object) => sum + (object.kind === use ? object.bytes : 0), 0)
  }
  return USES.map((use) => ({ ...use, bytes: bytesOf(use.use) })).filter(({ bytes }) => bytes > 0)
}

export type StorageRow = StorageObject & {
  /** True when it belongs to the table above it. */
  readonly isPart: boolean
  /** The bytes of a table with all its parts, or of a single object. */
  readonly wholeBytes: number
}

/** Returns each table with its indexes below it, sorted by total size, largest first. */
export function storageRows(objects: readonly StorageObject[]): readonly StorageRow[] {
  const groups = new Map<string, StorageObject[]>()
  for (const object of objects) {
    const group = groups.get(object.of)
    if (group) group.push(object)
    else groups.set(object.of, [object])
  }
  const sum = (group: readonly StorageObject[]) => group.reduce((bytes, object) => bytes + object.bytes, 0)
  return [...groups.values()]
    .sort((a, b) => sum(b) - sum(a))
    .flatMap((group) => {
      const wholeBytes = sum(group)
      // The tables of a full-text index have no table with their common name, so the largest one represents them.
      return group
        .sort((a, b) => Number(isHead(b)) - Number(isHead(a)) || b.bytes - a.bytes)
        .map((object, index) => {
          const isPart = index > 0
          return { ...object, isPart, wholeBytes: isPart ? object.bytes : wholeBytes }
        })
    })
}

const isHead = ({ name, of }: StorageObject): boolean => name === of
