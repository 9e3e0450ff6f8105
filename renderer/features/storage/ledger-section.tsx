import { useMutation, useQuery } from '@tanstack/react-query'
import type { MemoryInfo } from '../../../core/contract/memory.ts'
import { api } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorLine } from '../../ui/error-state.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { formatBytes, plural } from '../../ui/format.ts'
import { Notice } from '../../ui/notice.tsx'
import { PathText } from '../../ui/path-text.tsx'
import { SectionHeading } from '../../ui/section-heading.tsx'
import styles from './storage-view.module.css'

/** Whether a ledger is kept, where, and whether it is behind. */
export function LedgerSection({ info }: { readonly info: MemoryInfo }) {
  const state = useQuery(api.ledger.state.queryOptions())
  const agree = useMutation(api.ledger.agree.mutationOptions({ onSettled: () => void state.refetch() }))
  if (state.error) return <ErrorLine error={state.error} onRetry={() => void state.refetch()} />
  if (state.data === undefined) return null
  const { path, pending, bytes, problem, blocked } = state.data
  return (
    <section className={styles.section}>
      <SectionHeading>Ledger</SectionHeading>
      {path === null ? (
        <p className={styles.dim}>
          {info.system === 'native' ? (
            <>
              None is kept. A ledger is a text file to which every change of this memory is appended, and from which it
              can be rebuilt: <code>lcm ledger</code> begins one.
            </>
          ) : (
            `This app keeps ledgers of its own memories only; this file belongs to ${info.systemLabel}.`
          )}
        </p>
      ) : (
        <>
          <Facts>
            <Fact name="path">
              <PathText path={path} />
            </Fact>
            <Fact name="written">{formatBytes(bytes)}</Fact>
            <Fact name="pending">
              {pending === 0 ? 'nothing: it is up to date' : `${plural(pending, 'change')} not in it yet`}
            </Fact>
          </Facts>
          {blocked !== null && (
            <Notice
              title="It cannot be continued."
              action={
                problem === 'not_agreed' &&
                !info.readOnly && (
                  <Button disabled={agree.isPending} onClick={() => agree.mutate(undefined)}>
                    Agree to this ledger
                  </Button>
                )
              }
            >
              {blocked}
            </Notice>
          )}
          {agree.error && <ErrorLine error={agree.error} />}
        </>
      )}
    </section>
  )
}
