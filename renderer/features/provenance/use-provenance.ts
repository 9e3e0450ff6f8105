import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { Provenance } from '../../../core/contract/provenance.ts'
import { client } from '../../api.ts'
import { textHash } from './text-hash.ts'

/** A part of a text, UTF-16 units, end exclusive. */
export type TextRange = { readonly from: number; readonly to: number }

const PASSAGES = 4

/**
 * What a summary, or a range of it, rests on. Worked out once for each state of its text: a file that grows does not
 * change what was said of it.
 */
export function useProvenance(
  summaryId: string,
  content: string,
  range: TextRange | null,
  isWanted = true,
): UseQueryResult<Provenance> {
  return useQuery({
    queryKey: ['provenance', summaryId, textHash(content), range],
    queryFn: ({ signal }) => client.retrieval.provenance({ summaryId, limit: PASSAGES, ...(range ?? {}) }, { signal }),
    staleTime: 'static',
    enabled: isWanted && content !== '',
    ...(range !== null && { placeholderData: keepPreviousData }),
  })
}
