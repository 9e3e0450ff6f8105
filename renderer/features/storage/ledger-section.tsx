import { useQuery } from '@tanstack/react-query'
import type { MemoryInfo } from '../../../core/contract/memory.ts'
import { api } from '../../api.ts'
import { ErrorLine } from '../../ui/error-line.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { formatBytes, plural } from '../../ui/format.ts'
import { Notice } from '../../ui/notice.tsx'
import { PathText } from '../../ui/path-text.tsx'
import { SectionHeading } from '../../ui/section-heading.tsx'
import styles from './storage-view.module.css'

/** Whether a ledger is kept, where, and whether it is behind. */
export function LedgerSection({ info }: { readonly info: MemoryInfo }) {
  const state = useQuery(api.ledger.state.queryOptions())
  if (state.error) return <ErrorLine error={state.error} onRetry={() => void state.refetch()} />
  if (state.data === undefined) return null
  const { path, pending, bytes, blocked } = state.data
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
          {blocked !== null && <Notice title="It cannot be continued.">{blocked}</Notice>}
        </>
      )}
    </section>
  )
}
