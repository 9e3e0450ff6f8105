import { useQuery } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { toErrorInfo } from '../../error-text.ts'
import { Button } from '../../ui/button.tsx'
import { Loading } from '../../ui/loading.tsx'
import { SectionHeading } from '../../ui/section-heading.tsx'
import styles from './found-memories.module.css'
import { MemoryRow } from './memory-row.tsx'

/** Memories of known systems in their usual places. */
export function FoundMemories() {
  const found = useQuery(api.machine.discover.queryOptions())
  return (
    <section>
      <SectionHeading
        aside={
          <Button look="quiet" disabled={found.isFetching} onClick={() => void found.refetch()}>
            Look again
          </Button>
        }
      >
        Found on this machine{found.data && ` · ${found.data.length}`}
      </SectionHeading>
      {found.isPending && <Loading what="memories on this machine" lines={3} />}
      {found.error && (
        <p className={styles.text} role="alert">
          The usual places could not be looked through: {toErrorInfo(found.error).message}
        </p>
      )}
      {found.data?.length === 0 && (
        <p className={styles.text}>
          No agent has left a memory in its usual place. Open one by its path, import a transcript, or look at the
          sample first.
        </p>
      )}
      <ul>
        {found.data?.map((memory) => (
          <MemoryRow key={memory.path} memory={memory} />
        ))}
      </ul>
    </section>
  )
}
