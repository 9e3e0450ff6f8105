import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { Provenance } from '../../../core/contract/provenance.ts'
import { client } from '../../api.ts'
import { textHash } from './text-hash.ts'

/** A range of a text in UTF-16 units. The end is exclusive. */
export type TextRange = { readonly from: number; readonly to: number }

const PASSAGES = 4

/**
 * Fetches the support of a summary or of a range of it, once for each state of its text. Appended messages do not
 * change the answer.
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
