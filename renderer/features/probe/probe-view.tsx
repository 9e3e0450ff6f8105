import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { ProbeOutcome } from '#core/contract/probe.ts'
import type { MessageEnds } from '#core/contract/retrieval.ts'
import { api } from '#renderer/api.ts'
import { navigate, useRoute } from '#renderer/routes.ts'
import { useMarkedMessages } from '#renderer/ui/data/message-range.ts'
import { type MomentChoice, windowOf, windowOptions } from '#renderer/ui/data/window-choice.ts'
import { JobProgress } from '#renderer/ui/parts/job-progress.tsx'
import { EmptyState } from '#renderer/ui/states/empty-state.tsx'
import { ErrorLine, ErrorState } from '#renderer/ui/states/error-state.tsx'
import view from '#renderer/ui/styles/view.module.css'
import { formatPercent, plural } from '#renderer/ui/texts/format.ts'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import { FoundProbe, type FoundProps } from './found-probe.tsx'
import { ProbeForm } from './probe-form.tsx'
import styles from './probe-view.module.css'
import { useOwnQuestions, useProbe } from './use-probe.ts'

type Props = {
  readonly conversationId: number
  readonly kinds: ReactNode
  readonly at: MomentChoice
  readonly compared: MomentChoice
  /** The moment to compare with at first. */
  readonly firstMoment: string | null
} & Pick<FoundProps, 'renderTrace' | 'renderStrata'>

/** Asks a memory what its agent would be asked, and shows which answers it would still know. */
export function ProbeView(props: Props) {
  const { conversationId, kinds, at, compared, firstMoment } = props
  const { probe: address } = useRoute()
  const { job, found, isRunning, error, start } = useProbe(conversationId)
  const [own, setOwn] = useOwnQuestions()
  const [exportError, setExportError] = useState<unknown>(null)
  const presets = useQuery(api.compaction.presets.queryOptions())
  const report = useQuery(api.settings.report.queryOptions())
  const compare = windowOf(address.compare, compared.moment, presets.data ?? [])
  const { between, isWaiting } = useMarkedMessages(conversationId)
  const isReady = !isWaiting && at.moment !== null && (address.compare === null || compare !== null)
  const ask = () => {
    if (at.moment === null || !isReady) return
    setExportError(null)
    start({ at: at.moment, compare, limit: address.limit, questions: own?.questions ?? null, between })
  }
  const askAnew = () => {
    // Other questions have other numbers.
    navigate({ selection: null, probe: { ...address, question: null } }, 'replace')
    ask()
  }
  useFirstAsking(address.question !== null && job === null && !isRunning && isReady && !error, ask)
  return (
    <section className={view.view} aria-label="Probe">
      <ProbeForm
        {...{ kinds, at, compared, firstMoment, isRunning, isReady, own }}
        probe={address}
        options={windowOptions(presets.data ?? [], report.data ?? { providers: [] })}
        onOwn={setOwn}
        jobId={found?.jobId ?? null}
        onStart={askAnew}
        onError={setExportError}
      />
      <LastProbes conversationId={conversationId} />
      {exportError !== null && <ErrorLine error={exportError} />}
      {isRunning ? (
        <div className={view.running}>
          <JobProgress job={job?.state === 'running' ? job : null} title="Probing…" />
        </div>
      ) : error ? (
        <ErrorState error={error} onRetry={ask} />
      ) : (
        job?.state === 'cancelled' && <p className={styles.note}>The last probe was cancelled.</p>
      )}
      {found !== null && !error && !isWaiting && !isOf(found.outcome, between) && (
        <p className={styles.note}>
          {between === null
            ? 'These are questions about some messages only.'
            : 'These questions are not limited to the marked messages.'}{' '}
          Probe again to ask about {between === null ? 'all' : 'those'}.
        </p>
      )}
      {found !== null && !error && <FoundProbe {...props} found={found} address={address} />}
      {found === null && !isRunning && !error && (
        <EmptyState title="Would the agent have remembered?">
          A probe asks the memory about its own numbers, paths, decisions, rules and corrections, or whatever you ask,
          and says for each answer whether it stands in the window, is recoverable by a search or by expanding, was
          changed, or is lost. No model is asked, and nothing is changed. Press Probe to begin.
        </EmptyState>
      )}
    </section>
  )
}

/** As many are named, the newest last. */
const NAMED = 5
/** The figure of a probe is written down a moment after its end. */
const REFRESH_MS = 5_000

/** What the last probes of the conversation found, also those at the end of a session. */
function LastProbes({ conversationId }: { readonly conversationId: number }) {
  const history = useQuery(
    api.activity.history.queryOptions({ input: { days: 30, of: 'this' }, refetchInterval: REFRESH_MS }),
  )
  const probes = history.data?.probes.filter((one) => one.conversationId === conversationId).slice(-NAMED) ?? []
  if (probes.length === 0) return null
  return (
    <p className={styles.note}>
      Known or found in the last probes:{' '}
      {probes.map(({ atMs, recall, questions }, index) => (
        <span key={atMs} title={plural(questions, 'question')}>
          {index > 0 && ', '}
          {formatPercent(recall)} at <TimeText atMs={atMs} form="short" />
        </span>
      ))}
    </p>
  )
}

const isOf = ({ asked }: ProbeOutcome, between: MessageEnds | null): boolean =>
  asked.fromMessage === between?.fromMessage && asked.toMessage === between?.toMessage

/** An address that names a question of a probe runs that probe once, when nobody ran one yet. */
function useFirstAsking(isDue: boolean, ask: () => void): void {
  const wasAsked = useRef(false)
  useEffect(() => {
    if (!isDue || wasAsked.current) return
    wasAsked.current = true
    ask()
  })
}
