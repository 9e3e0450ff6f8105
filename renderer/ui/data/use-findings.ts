import { useQuery } from '@tanstack/react-query'
import { createContext, use, useMemo } from 'react'
import { api } from '#renderer/api.ts'
import { type Findings, findingsOf, NO_FINDINGS } from './findings.ts'

/** The findings of the last scan, asked for once for the many that show them. */
export const FindingsContext = createContext<Findings>(NO_FINDINGS)

/** Returns the findings of the last scan by node, for every view with nodes. */
export const useFindings = (): Findings => use(FindingsContext)

/** What the context holds. */
export function useLastFindings(): Findings {
  const { data } = useQuery(api.integrity.last.queryOptions())
  return useMemo(() => findingsOf(data ?? null), [data])
}
