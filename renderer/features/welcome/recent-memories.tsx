import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { SectionHeading } from '../../ui/section-heading.tsx'
import { MemoryRow } from './memory-row.tsx'

/** What was opened before. Nothing is shown before the first time. */
export function RecentMemories() {
  const recent = useQuery(api.machine.recent.queryOptions())
  const queries = useQueryClient()
  const forget = useMutation(
    api.machine.forgetRecent.mutationOptions({
      onSuccess: () => queries.invalidateQueries({ queryKey: api.machine.recent.key() }),
    }),
  )
  if (!recent.data || recent.data.length === 0) return null
  return (
    <section>
      <SectionHeading>Recent</SectionHeading>
      <ul>
        {recent.data.map((memory) => (
          <MemoryRow
            key={memory.path}
            memory={memory}
            isMissing={!memory.exists}
            onForget={() => forget.mutate({ path: memory.path })}
          />
        ))}
      </ul>
    </section>
  )
}
