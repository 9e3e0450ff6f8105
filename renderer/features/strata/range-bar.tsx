import { skipToken, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { lostByKind } from '#core/contract/lists.ts'
import type { LossReport } from '#core/contract/loss.ts'
import type { Strata } from '#core/contract/strata.ts'
import { api } from '#renderer/api.ts'
import { navigate } from '#renderer/routes.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { findingText } from '#renderer/ui/data/findings.ts'
import { BEYOND_THE_END, useRangeEnds } from '#renderer/ui/data/message-range.ts'
import type { MessageRange } from '#renderer/ui/data/range-address.ts'
import { useFindings } from '#renderer/ui/data/use-findings.ts'
import { KeepButton } from '#renderer/ui/nodes/keep-button.tsx'
import { NodeLink } from '#renderer/ui/nodes/node-link.tsx'
import { RangeChip } from '#renderer/ui/parts/range-chip.tsx'
import { StateMark } from '#renderer/ui/parts/state-mark.tsx'
import { ErrorLine } from '#renderer/ui/states/error-state.tsx'
import { formatCount } from '#renderer/ui/texts/format.ts'
import { LostText } from '#renderer/ui/texts/lost-text.tsx'
import { MarkedText } from '#renderer/ui/texts/marked-text.tsx'
import { type RangeFigures, sumsText } from './range-figures.ts'
import styles from './strata-stage.module.css'

type Props = {
  readonly strata: Strata
  /** Null until they are known. */
  readonly figures: RangeFigures | null
  readonly range: MessageRange
  readonly onZoom: () => void
}

/** The marked messages under the head of the layers: their sums, what can be done with them, and what they lost. */
export function RangeBar({ range, strata, figures, onZoom }: Props) {
  const isWhole = range.last < strata.totalMessages
  return (
    <section className={styles.range} aria-label="Range">
      {isWhole && figures !== null ? (
        <WholeRange {...{ range, strata, figures, onZoom }} />
      ) : (
        <div className={styles.rangeLine}>
          <RangeChip conversationId={strata.conversationId} />
          {!isWhole && (
            <p className={styles.sums} role="status">
              {BEYOND_THE_END}
            </p>
          )}
        </div>
      )}
    </section>
  )
}

function WholeRange({ range, strata, figures, onZoom }: Props & { readonly figures: RangeFigures }) {
  const [isUnfolded, setUnfolded] = useState(false)
  const ends = useRangeEnds(strata.conversationId, range)
  const sums = sumsText(figures, range, strata)
  const open = () => navigate({ view: 'messages', selection: ends?.first.id ?? null }, 'push')
  return (
    <>
      <div className={styles.rangeLine}>
        <RangeChip conversationId={strata.conversationId} />
        <p className={styles.sums} title={sums}>
          {sums}
        </p>
        <Button aria-expanded={isUnfolded} onClick={() => setUnfolded(!isUnfolded)}>
          {isUnfolded ? 'Hide what they lost' : 'What they lost'}
        </Button>
        <Button onClick={onZoom}>Zoom</Button>
        <Button onClick={open}>Messages →</Button>
      </div>
      {isUnfolded && (
        <div className={styles.report}>
          <Losses strata={strata} range={range} ends={ends && { from: ends.first.id, to: ends.last.id }} />
          <div>
            <SectionHeading aside={formatCount(figures.findings.length)}>Findings</SectionHeading>
            {figures.findings.length === 0 ? (
              <p className="dim">None of the last check is in the range.</p>
            ) : (
              <FindingList ids={figures.findings.map(({ id }) => id)} />
            )}
          </div>
        </div>
      )}
    </>
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
  if (isTooLong) return <p className="dim">Mark at most {formatCount(MOST_LISTED)} messages to see what they lost.</p>
  if (error) return <ErrorLine error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <p className="dim">Comparing with the window …</p>
  const lost = data.counts.dropped + data.counts.changed
  return (
    <>
      <div>
        <SectionHeading
          aside={<span title={ONCE}>{`${formatCount(lost)} of ${formatCount(data.counts.details)}, each once`}</span>}
        >
          Lost details
        </SectionHeading>
        {lost === 0 ? <p className="dim">Nothing that they say is missing.</p> : <Kinds counts={data.counts} />}
      </div>
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
    <div>
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
            <KeepButton id={detail.messageId} sentence={detail.sentence} />
          </li>
        ))}
      </ul>
    </div>
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
            {finding && <span className="dim">{findingText(finding)}</span>}
          </li>
        )
      })}
    </ul>
  )
}
