import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '#renderer/api.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { ErrorLine } from '#renderer/ui/states/error-state.tsx'
import styles from './found-list.module.css'
import { shortMemories } from './found-list.tsx'
import { MemoryRow } from './memory-row.tsx'

/** The number of recent memories that leaves room for found ones on the first page. */
const FIRST_RECENT = 6

/** Memories that were opened before. Without any, nothing is shown. */
export function RecentMemories() {
  const recent = useQuery(api.machine.recent.queryOptions())
  const queries = useQueryClient()
  const [isWhole, setWhole] = useState(false)
  const forget = useMutation(
    api.machine.forgetRecent.mutationOptions({
      onSuccess: () => queries.invalidateQueries({ queryKey: api.machine.recent.key() }),
    }),
  )
  if (recent.error)
    return (
      <section>
        <SectionHeading>Opened before</SectionHeading>
        <div className={styles.damaged}>
          <ErrorLine error={recent.error} onRetry={() => void recent.refetch()} />
        </div>
      </section>
    )
  if (!recent.data || recent.data.length === 0) return null
  const { rows, hidden } = shortMemories(recent.data, isWhole ? recent.data.length : FIRST_RECENT)
  return (
    <section>
      <SectionHeading>Opened before</SectionHeading>
      {forget.error && <ErrorLine error={forget.error} />}
      <ul>
        {rows.map((memory) => (
          <MemoryRow
            key={memory.path}
            memory={memory}
            isMissing={!memory.exists}
            onForget={() => forget.mutate({ path: memory.path })}
          />
        ))}
      </ul>
      {hidden > 0 && (
        <div className={styles.more}>
          <Button look="quiet" onClick={() => setWhole(true)}>
            Show {hidden} more
          </Button>
        </div>
      )}
    </section>
  )
}
