import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '#renderer/api.ts'

const isOf = (path: unknown, area: string): boolean => Array.isArray(path) && path[0] === area

/** Saves a part of the settings, and requests again everything that depends on them. */
export function useSaveSettings() {
  const queries = useQueryClient()
  return useMutation(
    api.settings.save.mutationOptions({
      // An answer under way is older than what is saved now, and would be shown and built upon.
      onMutate: () => queries.cancelQueries({ queryKey: api.settings.report.key() }),
      onSuccess: (report) => {
        queries.setQueryData(api.settings.report.queryKey(), report)
        void queries.invalidateQueries({
          predicate: ({ queryKey: [path] }) => !isOf(path, 'machine') && !isOf(path, 'settings'),
        })
      },
    }),
  )
}
