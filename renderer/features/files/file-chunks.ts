import type { FileInfo } from '#core/contract/lineage.ts'
import { type CodeLanguage, codeLanguage } from '#renderer/ui/texts/code-languages.ts'

/** Rows that are fetched and coloured together. */
export const CHUNK_ROWS = 100

export const chunkOf = (row: number): number => Math.floor(row / CHUNK_ROWS)

/** Chunks in sight, with the next one in both directions. */
export function chunksInSight(first: number, last: number, total: number): readonly number[] {
  const from = Math.max(0, chunkOf(first) - 1)
  const to = Math.min(chunkOf(Math.max(0, total - 1)), chunkOf(last) + 1)
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at)
}

/** Returns where a text occurs in a line, without regard to case, each as `[from, to)`. */
export function findAllIgnoringCase(line: string, query: string): readonly (readonly [number, number])[] {
  if (query === '') return []
  const matches: [number, number][] = []
  const pattern = new RegExp(query.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'gi')
  for (const found of line.matchAll(pattern)) {
    matches.push([found.index, found.index + found[0].length])
    if (matches.length === MOST_MATCHES) break
  }
  return matches
}

const MOST_MATCHES = 200

/** The number of the line that is asked for, or null. Thousands may be separated. */
export function parseLine(text: string): number | null {
  const digits = text.replace(/[\s,.']/g, '')
  const line = /^\d{1,15}$/.test(digits) ? Number(digits) : 0
  return line >= 1 ? line : null
}

/** The language of a file by the ending of its name, or of the name under which it is stored; null for plain text. */
export function languageOf({ fileName, storageUri }: Pick<FileInfo, 'fileName' | 'storageUri'>): CodeLanguage | null {
  for (const name of [fileName ?? '', storageUri]) {
    const [, ending = ''] = /\.([A-Za-z0-9]{1,10})$/.exec(name) ?? []
    const language = codeLanguage(ending)
    if (language !== null) return language
  }
  return null
}
