import { useQuery } from '@tanstack/react-query'
import { api } from '#renderer/api.ts'
import { toErrorInfo } from '#renderer/error-text.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import styles from './found-list.module.css'
import { FoundList } from './found-list.tsx'
import { MemoryRow } from './memory-row.tsx'

const TITLE = 'Found on this machine'

/** Memories of known systems in their usual places. */
export function FoundMemories() {
  const found = useQuery(api.machine.discover.queryOptions())
  const again = (
    <Button look="quiet" disabled={found.isFetching} onClick={() => void found.refetch()}>
      Look again
    </Button>
  )
  const recent = useQuery(api.machine.recent.queryOptions())
  // What was opened before stands above, and not twice.
  const others = found.data?.filter(({ path }) => !recent.data?.some((memory) => memory.path === path))
  if (others && others.length > 0)
    return (
      <FoundList
        title={TITLE}
        what="memories"
        items={others}
        textOf={({ label, path, system }) => `${label} ${path} ${system ?? ''}`}
        row={(memory) => <MemoryRow key={memory.path} memory={memory} />}
        aside={again}
      />
    )
  return (
    <section>
      <SectionHeading aside={again}>{TITLE}</SectionHeading>
      {found.isPending && <Loading what="memories on this machine" lines={3} />}
      {found.error && (
        <p className={styles.text} role="alert">
          The usual places could not be looked through: {toErrorInfo(found.error).message}
        </p>
      )}
      {found.data && found.data.length > 0 && (
        <p className={styles.text}>All that were found were opened before: they stand above.</p>
      )}
      {found.data?.length === 0 && (
        <p className={styles.text}>
          No agent has left a memory in its usual place. Open one by its path, import a transcript, or look at the
          sample first.
        </p>
      )}
    </section>
  )
}
