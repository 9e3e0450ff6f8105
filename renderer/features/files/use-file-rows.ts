import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import type { FileRow } from '../../../core/contract/file.ts'
import { api } from '../../api.ts'
import { CHUNK_ROWS, chunkOf, chunksInSight } from './file-chunks.ts'

export type FileRows = {
  readonly rowAt: (row: number) => FileRow | undefined
  /** The rows that are coloured together with a row. */
  readonly chunkAt: (row: number) => readonly FileRow[] | undefined
  /** The number of rows of the file, as far as it is known. */
  readonly total: number
  readonly error: unknown
  readonly onSight: (first: number, last: number) => void
}

/** The rows of a file around those in sight. `knownTotal` is null until the file was read to its end. */
export function useFileRows(id: string, knownTotal: number | null): FileRows {
  const [sight, setSight] = useState({ first: 0, last: CHUNK_ROWS - 1 })
  const chunks = chunksInSight(sight.first, sight.last, knownTotal ?? CHUNK_ROWS)
  const queries = useQueries({
    queries: chunks.map((chunk) => ({
      ...api.files.read.queryOptions({
        input: { id, view: { kind: 'rows', from: chunk * CHUNK_ROWS, count: CHUNK_ROWS } },
      }),
      staleTime: Number.POSITIVE_INFINITY,
    })),
  })
  const chunkAt = (row: number) => queries[chunks.indexOf(chunkOf(row))]?.data?.rows
  return {
    chunkAt,
    rowAt: (row) => chunkAt(row)?.[row % CHUNK_ROWS],
    total: knownTotal ?? queries[0]?.data?.rows.length ?? 0,
    error: queries.find(({ error }) => error !== null)?.error ?? null,
    onSight: (first, last) => setSight({ first, last }),
  }
}
