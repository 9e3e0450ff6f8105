import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '../api.ts'
import { type Findings, findingsOf } from './findings.ts'

/** Returns the findings of the last scan by node, for every view with nodes. */
export function useFindings(): Findings {
  const { data } = useQuery(api.integrity.last.queryOptions())
  return useMemo(() => findingsOf(data ?? null), [data])
}
