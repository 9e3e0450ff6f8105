import { skipToken, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DetailKind, LossReport, LostDetail } from '#core/contract/loss.ts'
import type { ListedConversation } from '#core/contract/memory.ts'
import { api } from '#renderer/api.ts'
import { navigate } from '#renderer/routes.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { Fact, Facts } from '#renderer/ui/controls/facts.tsx'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { useCopy } from '#renderer/ui/controls/use-copy.ts'
import { runAddress } from '#renderer/ui/data/run-address.ts'
import { timelineOf } from '#renderer/ui/data/timeline-query.ts'
import { depthCounts, depthLabel } from '#renderer/ui/nodes/depth-color.ts'
import { DepthSwatch } from '#renderer/ui/nodes/depth-swatch.tsx'
import { KeepButton } from '#renderer/ui/nodes/keep-button.tsx'
import { NodeLink } from '#renderer/ui/nodes/node-link.tsx'
import { ErrorLine } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import view from '#renderer/ui/styles/view.module.css'
import { conversationName, formatCount, formatDuration, plural } from '#renderer/ui/texts/format.ts'
import { LostText } from '#renderer/ui/texts/lost-text.tsx'
import { MarkedText } from '#renderer/ui/texts/marked-text.tsx'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import styles from './loss-panel.module.css'
import { type LastRun, lastRun, lossHeadline, lossMarkdown, withoutUndone } from './loss-report.ts'

type Props = { readonly conversation: ListedConversation }

/** As many of each list as the core gives, so that no kind takes the room of the others. */
const MOST_LISTED = 2000

/** What the last compaction of a conversation dropped or changed. */
export function LossPanel({ conversation }: Props) {
  const { conversationId } = conversation
  const timeline = useQuery(timelineOf(conversationId))
  const overview = useQuery(api.conversations.overview.queryOptions({ input: { conversationId } }))
  const run = timeline.data && overview.data && lastRun(withoutUndone(timeline.data.events, overview.data.runs))
  const losses = useQuery(
    api.trace.loss.queryOptions({
      input: run ? { conversationId, ...(run.runId !== '' && { runId: run.runId }), limit: MOST_LISTED } : skipToken,
      retry: false,
    }),
  )
  const failed = [timeline, overview, losses].find(({ error }) => error !== null)
  return (
    <section className={view.panel} aria-label="Loss report">
      <div>
        <h2 className={view.panelTitle}>
          {losses.data ? lossHeadline(losses.data.counts) : run === null ? 'Never compacted' : 'Loss report'}
        </h2>
        {losses.data && losses.data.counts.items > 0 && <p className="dim">{shareText(losses.data.counts)}</p>}
        {run === null && <p className="dim">Nothing of it has left the window by a compaction.</p>}
      </div>
      <Facts>
        <Fact name="conversation">
          <bdi className="clamped">{conversationName(conversation)}</bdi>
        </Fact>
        {run && <RunFacts run={run} />}
      </Facts>
      {failed ? (
        <ErrorLine error={failed.error} onRetry={() => void failed.refetch()} />
      ) : losses.data ? (
        <Losses report={losses.data} conversation={conversation} runId={run?.runId ?? ''} />
      ) : (
        run !== null && <Loading what="what the last compaction lost" lines={6} />
      )}
    </section>
  )
}

function RunFacts({ run }: { readonly run: LastRun }) {
  const { tokensBefore, tokensAfter, durationMs } = run
  return (
    <>
      <Fact name="last compaction">
        <TimeText atMs={run.atMs} form="short" />
        {durationMs > 0 && <span className="dim"> · {formatDuration(durationMs)}</span>}
      </Fact>
      <Fact name="tokens">
        {formatCount(tokensBefore)} → {formatCount(tokensAfter)}
      </Fact>
      <Fact name="made">{depthCounts(run.made)}</Fact>
    </>
  )
}

const shareText = ({ items, details, dropped, changed, unknown }: LossReport['counts']): string =>
  `${formatCount(dropped + changed)} of ${plural(details, 'detail')} in ${plural(items, 'text')} that left the window` +
  (unknown === 0 ? '' : `; ${formatCount(unknown)} more may be reworded`)

/** At most this many of each kind are listed at first. */
const FIRST = 5

type LossesProps = Props & { readonly report: LossReport; readonly runId: string }

function Losses({ report, conversation, runId }: LossesProps) {
  const [isWhole, setWhole] = useState(false)
  const [state, copy] = useCopy()
  const lost = Map.groupBy([...report.changed, ...report.dropped], ({ kind }) => kind)
  const isCut = [...lost.values()].some((some) => some.length > FIRST)
  return (
    <>
      <div className={styles.actions}>
        {runId !== '' && (
          <Button onClick={() => navigate({ conversationId: report.conversationId, ...runAddress(runId) }, 'push')}>
            Show the compaction
          </Button>
        )}
        <Button onClick={() => copy(lossMarkdown(report, conversationName(conversation)))}>
          {state === 'copied' ? 'Copied' : state === 'failed' ? 'Not copied' : 'Copy as Markdown'}
        </Button>
      </div>
      {report.counts.byKind.map(({ kind, dropped, changed }) => (
        <Kind
          key={kind}
          kind={kind}
          count={dropped + changed}
          lost={lost.get(kind)?.slice(0, isWhole ? undefined : FIRST) ?? []}
          conversationId={report.conversationId}
        />
      ))}
      {isCut && !isWhole && <Button onClick={() => setWhole(true)}>Show all that are listed</Button>}
      {report.notes.map((note) => (
        <p key={note} className="dim">
          {note}
        </p>
      ))}
    </>
  )
}

type KindProps = {
  readonly kind: DetailKind
  readonly count: number
  readonly lost: readonly LostDetail[]
  readonly conversationId: number
}

function Kind({ kind, count, lost, conversationId }: KindProps) {
  return (
    <div>
      <SectionHeading aside="told by">
        {kind} · {formatCount(count)}
      </SectionHeading>
      <ul className={styles.lost}>
        {lost.map((detail) => (
          <li key={`${detail.instead ?? ''} ${detail.text} ${detail.messageId}`}>
            <span title={fellText(detail)}>
              <DepthSwatch
                node={detail.depth === null ? { kind: 'message' } : { kind: 'condensed', depth: detail.depth }}
              />
            </span>
            <LostText detail={detail} conversationId={conversationId} about={fellText(detail)}>
              <MarkedText text={detail.text} />
              {detail.instead !== null && (
                <span className="dim">
                  {' '}
                  → <MarkedText text={detail.instead} />
                </span>
              )}
            </LostText>
            <span className={styles.by}>
              <NodeLink id={detail.messageId} conversationId={conversationId} />
            </span>
            <KeepButton id={detail.messageId} sentence={detail.sentence} />
          </li>
        ))}
      </ul>
    </div>
  )
}

const fellText = ({ depth }: LostDetail): string =>
  depth === null
    ? 'Left the window without a summary'
    : `Lost when a summary of the layer “${depthLabel(depth)}” was made`
