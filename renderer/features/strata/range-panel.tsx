import { skipToken, useQuery } from '@tanstack/react-query'
import { lostByKind } from '#core/contract/lists.ts'
import type { LossReport } from '#core/contract/loss.ts'
import type { Strata } from '#core/contract/strata.ts'
import { api } from '#renderer/api.ts'
import { navigate } from '#renderer/routes.ts'
import { Button } from '#renderer/ui/button.tsx'
import { depthCounts } from '#renderer/ui/depth-color.ts'
import dim from '#renderer/ui/dim.module.css'
import { Dim } from '#renderer/ui/dim.tsx'
import { ErrorLine } from '#renderer/ui/error-state.tsx'
import { Fact, Facts } from '#renderer/ui/facts.tsx'
import { findingText } from '#renderer/ui/findings.ts'
import { formatCount, formatDuration, formatTokens, plural } from '#renderer/ui/format.ts'
import { formatRange } from '#renderer/ui/format-time.ts'
import { LostText } from '#renderer/ui/lost-text.tsx'
import { MarkedText } from '#renderer/ui/marked-text.tsx'
import { useMessageRange, useRangeEnds } from '#renderer/ui/message-range.ts'
import { NodeLink } from '#renderer/ui/node-link.tsx'
import type { MessageRange } from '#renderer/ui/range-address.ts'
import { SectionHeading } from '#renderer/ui/section-heading.tsx'
import { StateMark } from '#renderer/ui/state-mark.tsx'
import { useFindings } from '#renderer/ui/use-findings.ts'
import view from '#renderer/ui/view.module.css'
import { ViewPanel } from '#renderer/ui/view-panel.tsx'
import { type RangeFigures, summaryCount } from './range-figures.ts'
import styles from './strata-stage.module.css'

type Props = { readonly strata: Strata; readonly figures: RangeFigures; readonly onZoom: () => void }

/** The marked messages in the right panel: their figures, what they lost, and the findings among them. */
export function RangePanel(props: Props) {
  const [range] = useMessageRange()
  return <ViewPanel>{range && <Panel range={range} {...props} />}</ViewPanel>
}

function Panel({ range, strata, figures, onZoom }: Props & { readonly range: MessageRange }) {
  const ends = useRangeEnds(strata.conversationId, range)
  const [from, to] = [ends?.first.createdAtMs ?? null, ends?.last.createdAtMs ?? null]
  const { messages, tokens, roles, findings, details } = figures
  const open = () => navigate({ view: 'messages', selection: ends?.first.id ?? null }, 'push')
  return (
    <section className={view.panel} aria-label="Range">
      <div>
        <h2 className={view.panelTitle}>
          {from !== null && to !== null
            ? formatRange(Math.min(from, to), Math.max(from, to))
            : plural(range.last - range.first + 1, 'message')}
        </h2>
        <p className={dim.dim}>
          {from !== null && to !== null && from !== to && `${formatDuration(Math.abs(to - from))} · `}
          messages {formatCount(range.first + 1)} – {formatCount(range.last + 1)}
        </p>
      </div>
      <Facts>
        <Fact name="messages">
          {formatCount(messages)} <Dim>of {formatCount(strata.totalMessages)}</Dim>
        </Fact>
        <Fact name="by role">
          {roles === null ? null : roles.map(({ role, count }) => `${formatCount(count)} ${role}`).join(' · ')}
        </Fact>
        <Fact name="tokens">
          {formatCount(tokens)} <Dim>of {formatTokens(strata.totalTokens)}</Dim>
        </Fact>
        <Fact name="summaries">
          {formatCount(summaryCount(figures))}
          {figures.summaries.length > 0 && <Dim> · {depthCounts(figures.summaries)}</Dim>}
        </Fact>
        <Fact
          name="details"
          hint="Numbers, paths, names, decisions and the like in messages outside the window, counted in every message that says them"
        >
          {details === null ? (
            <Dim>being counted …</Dim>
          ) : details.all === 0 ? (
            'none outside the window'
          ) : (
            `${formatCount(details.all)} · ${formatCount(details.kept)} stand in the window`
          )}
        </Fact>
      </Facts>
      <div className={styles.actions}>
        <Button onClick={onZoom}>Zoom to range</Button>
        <Button onClick={open}>Open in messages</Button>
      </div>
      <Losses strata={strata} range={range} ends={ends && { from: ends.first.id, to: ends.last.id }} />
      <SectionHeading aside={formatCount(findings.length)}>Findings</SectionHeading>
      {findings.length === 0 ? (
        <p className={dim.dim}>None of the last check is in the range.</p>
      ) : (
        <FindingList ids={findings.map(({ id }) => id)} />
      )}
    </section>
  )
}

/** Of more messages than this, losses are counted only. */
const MOST_LISTED = 5000
const FIRST_LOST = 8
const ONCE = 'A detail that several messages say is counted once here, and among the figures above in each of them.'

type LossesProps = {
  readonly strata: Strata
  readonly range: MessageRange
  readonly ends: { readonly from: string; readonly to: string } | null
}

/** What the messages said that stands nowhere in the window: by kind, and the most telling. */
function Losses({ strata: { conversationId }, range, ends }: LossesProps) {
  const isTooLong = range.last - range.first >= MOST_LISTED
  const { data, error, refetch } = useQuery(
    api.trace.loss.queryOptions({
      input: ends === null || isTooLong ? skipToken : { conversationId, fromMessage: ends.from, toMessage: ends.to },
      retry: false,
    }),
  )
  if (isTooLong)
    return <p className={dim.dim}>Mark at most {formatCount(MOST_LISTED)} messages to see what they lost.</p>
  if (error) return <ErrorLine error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <p className={dim.dim}>Comparing with the window …</p>
  const lost = data.counts.dropped + data.counts.changed
  return (
    <>
      <SectionHeading
        aside={<span title={ONCE}>{`${formatCount(lost)} of ${formatCount(data.counts.details)}, each once`}</span>}
      >
        Lost details
      </SectionHeading>
      {lost === 0 ? <p className={dim.dim}>Nothing that they say is missing.</p> : <Kinds counts={data.counts} />}
      {lost > 0 && <MostTelling report={data} />}
    </>
  )
}

function Kinds({ counts: { byKind } }: { readonly counts: LossReport['counts'] }) {
  const most = Math.max(...byKind.map(({ dropped, changed }) => dropped + changed))
  return (
    <ul className={styles.kinds}>
      {byKind.map(({ kind, dropped, changed }) => (
        <li key={kind}>
          <span>{kind}</span>
          <span className={styles.rangeBar}>
            <span style={{ width: `${((dropped + changed) / most) * 100}%` }} />
          </span>
          <span className={styles.count}>{formatCount(dropped + changed)}</span>
        </li>
      ))}
    </ul>
  )
}

function MostTelling({ report }: { readonly report: LossReport }) {
  const lost = lostByKind(report)
  return (
    <>
      <SectionHeading aside="lost at">Most telling</SectionHeading>
      <ul className={styles.lost}>
        {lost.slice(0, FIRST_LOST).map(({ state, detail }) => (
          <li key={`${state} ${detail.kind} ${detail.text} ${detail.messageId}`}>
            <StateMark state={state}>{detail.kind}</StateMark>
            <LostText detail={detail}>
              <MarkedText text={detail.text} />
            </LostText>
            <span className={styles.at}>
              <NodeLink id={detail.atSummary ?? detail.messageId} maxChars={10} />
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}

function FindingList({ ids }: { readonly ids: readonly string[] }) {
  const findings = useFindings()
  return (
    <ul className={styles.findings}>
      {ids.slice(0, 20).map((id) => {
        const finding = findings.get(id)
        return (
          <li key={id}>
            <NodeLink id={id} />
            {finding && <Dim>{findingText(finding)}</Dim>}
          </li>
        )
      })}
    </ul>
  )
}
