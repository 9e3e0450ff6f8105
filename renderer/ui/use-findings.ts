import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '../api.ts'
import { type Findings, findingsOf } from './findings.ts'

/** What the last scan of this window says of single nodes, for every view that shows nodes. */
export function useFindings(): Findings {
  const { data } = useQuery(api.integrity.last.queryOptions())
  return useMemo(() => findingsOf(data ?? null), [data])
}
