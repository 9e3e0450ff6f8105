import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '../api.ts'
import { plural } from '../ui/format.ts'

export type Health = { readonly state: 'error' | 'warning' | 'fine'; readonly text: string }

/** Returns what the last check found in a conversation, or null before a check. */
export function useHealth(): (conversationId: number) => Health | null {
  const { data: report } = useQuery(api.integrity.last.queryOptions())
  return useMemo((): ((conversationId: number) => Health | null) => {
    if (!report) return () => null
    const found = new Map(report.byConversation?.map((one) => [one.conversationId, one]))
    return (conversationId) => {
      const { errors = 0, warnings = 0 } = found.get(conversationId) ?? {}
      const parts = [errors > 0 && plural(errors, 'error'), warnings > 0 && plural(warnings, 'warning')]
      const text = parts.filter(Boolean).join(', ')
      if (text !== '') return { state: errors > 0 ? 'error' : 'warning', text: `Check: ${text}` }
      return { state: 'fine', text: report.only ? 'Check: nothing wrong in its structure' : 'Check: nothing wrong' }
    }
  }, [report])
}
