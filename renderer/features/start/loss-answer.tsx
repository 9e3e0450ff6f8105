import { useQueries, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { lostByKind } from '#core/contract/lists.ts'
import type { LossReport, LostDetail } from '#core/contract/loss.ts'
import type { ListedConversation } from '#core/contract/memory.ts'
import { api } from '#renderer/api.ts'
import { navigate, useLink } from '#renderer/routes.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { runAddress } from '#renderer/ui/data/run-address.ts'
import { timelineOf } from '#renderer/ui/data/timeline-query.ts'
import { ErrorLine } from '#renderer/ui/states/error-state.tsx'
import { useFirstRest } from '#renderer/ui/states/use-first-rest.ts'
import { formatCount, formatPercent, plural } from '#renderer/ui/texts/format.ts'
import { isUndone } from '#renderer/ui/texts/job-text.ts'
import { LostText } from '#renderer/ui/texts/lost-text.tsx'
import { MarkedText } from '#renderer/ui/texts/marked-text.tsx'
import { readable } from '#renderer/ui/texts/readable-passage.ts'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import { Answer, Figure } from './answer.tsx'
import styles from './loss-answer.module.css'
import { type Compaction, goneText, newestCompactions } from './loss-report.ts'

/** At most this many compactions are listed, the newest first. */
const LISTED = 3
/** At most this many details of each are named, decisions first. */
const NAMED = 3
/** Details that are words of people. Signs in the others, such as paths and numbers, are a part of them. */
const SENTENCES: ReadonlySet<LostDetail['kind']> = new Set([
  'decision',
  'constraint',
  'negation',
  'error',
  'words',
  'quote',
])
/** A compaction of a longer conversation may have replaced so much that comparing it takes minutes: only when asked. */
const MOST_UNASKED = 20_000
/** What was lost is compared once everything else has been answered for so long. */
const REST_MS = 400
const ALL_REQUESTS = {}

type Props = { readonly conversation: ListedConversation }

/** What the newest compactions dropped or changed. */
export function LossAnswer({ conversation }: Props) {
  const { conversationId, summaries, messages } = conversation
  const [isAsked, setAsked] = useState(messages <= MOST_UNASKED)
  const overview = useQuery(api.conversations.overview.queryOptions({ input: { conversationId } }))
  const recorded = overview.data?.runs.filter((run) => !isUndone(run) && run.created > 0)
  const isUnrecorded = recorded?.length === 0 && summaries > 0
  const timeline = useQuery(timelineOf(isUnrecorded ? conversationId : null))
  // Before the timeline is there, nothing is said of a file that records no runs.
  const events = isUnrecorded ? timeline.data?.events : []
  const compactions = recorded && events && newestCompactions(recorded, events, LISTED)
  const isAtRest = useFirstRest(ALL_REQUESTS, REST_MS)
  const reports = useReports(conversationId, compactions ?? [], isAsked && isAtRest)
  const error = overview.error ?? timeline.error
  const newest = reports[0]
  return (
    <Answer
      question="What got lost, and when?"
      about="Details are decisions, numbers, paths, names and quotes"
      action={
        <Button
          onClick={() => navigate({ view: 'compact', shown: { 'compact.list': 'history' } }, 'push')}
          disabled={compactions?.length === 0}
        >
          Compactions →
        </Button>
      }
    >
      {error !== null ? (
        <ErrorLine error={error} />
      ) : compactions === undefined ? (
        <Figure figure="…" />
      ) : compactions.length === 0 ? (
        <Figure figure="Nothing so far">
          · no compaction has replaced a message{conversation.parentConversationId !== null && ' of this conversation'}
        </Figure>
      ) : (
        <>
          {newest?.counts.details === 0 ? (
            <Figure figure="No detail">
              · what left the window with the newest compaction has no number, path, name or decision to lose
            </Figure>
          ) : newest ? (
            <Figure figure={`${formatCount(lostOf(newest))} of ${plural(newest.counts.details, 'detail')}`}>
              that left the window with the newest compaction {lostOf(newest) === 1 ? 'is' : 'are'}{' '}
              {newest.counts.changed > 0 ? 'lost or changed' : 'lost'}
            </Figure>
          ) : (
            <Figure
              figure={
                isUnrecorded ? plural(summaries, 'summary', 'summaries') : plural(recorded?.length ?? 0, 'compaction')
              }
            >
              {isUnrecorded ? 'so far; when each was made is all that the file records' : 'so far'}
            </Figure>
          )}
          <ul className={styles.list}>
            {compactions.map((compaction, index) => (
              <Row
                key={compaction.runId}
                {...{ compaction, conversationId }}
                report={reports[index]}
                isAsked={isAsked}
              />
            ))}
          </ul>
          {!isAsked && (
            <p>
              <Button onClick={() => setAsked(true)}>Compare what they lost</Button>{' '}
              <span className="dim">It may take minutes in a conversation of this length.</span>
            </p>
          )}
        </>
      )}
    </Answer>
  )
}

const lostOf = ({ counts }: LossReport): number => counts.dropped + counts.changed

type RowProps = {
  readonly compaction: Compaction
  readonly conversationId: number
  /** Undefined until it is compared, null when it cannot be. */
  readonly report: LossReport | null | undefined
  readonly isAsked: boolean
}

function Row({ compaction, conversationId, report, isAsked }: RowProps) {
  const link = useLink()
  const { runId, atMs, summaries, tokensBefore, tokensAfter } = compaction
  const saved = tokensAfter === null || !tokensBefore ? 0 : 1 - tokensAfter / tokensBefore
  const time = <TimeText atMs={atMs} form="short" />
  return (
    <li className={styles.row}>
      <span>
        {runId === '' ? (
          time
        ) : (
          <a className={styles.when} href={link(runAddress(runId))}>
            {time}
          </a>
        )}
      </span>
      <span className="dim">
        {report ? `${plural(report.counts.items, 'text')} → ` : ''}
        {plural(summaries, 'summary', 'summaries')}
      </span>
      <span title={saved > 0 ? `${formatPercent(saved)} less` : undefined}>
        {tokensBefore === null ? '…' : formatCount(tokensBefore)} →{' '}
        {tokensAfter === null ? '…' : plural(tokensAfter, 'token')}
      </span>
      <span>
        {report === undefined ? (
          <span className="dim">{isAsked && 'being compared…'}</span>
        ) : report === null ? (
          <span className="dim">not compared</span>
        ) : (
          <LostCount report={report} />
        )}
      </span>
      <span className={styles.named}>
        {report &&
          lostByKind(report)
            .slice(0, NAMED)
            .map(({ detail }) => (
              <span key={`${detail.kind} ${detail.text} ${detail.messageId}`} className={styles.chip}>
                <LostText detail={detail} conversationId={conversationId} about={detail.kind}>
                  <MarkedText
                    text={
                      readable({ text: detail.text, matches: [] }, SENTENCES.has(detail.kind) ? 'prose' : 'code').text
                    }
                  />
                </LostText>
              </span>
            ))}
      </span>
    </li>
  )
}

/** How many details were lost. Where there were none, or all were kept, it is no alarm. */
function LostCount({ report }: { readonly report: LossReport }) {
  if (report.counts.details === 0) return <span className="dim">no details</span>
  const lost = lostOf(report)
  return lost === 0 ? (
    <span className="dim">nothing lost</span>
  ) : (
    <span className={styles.lost}>{goneText(report.counts)}</span>
  )
}

/**
 * Compares what each compaction replaced with what it left, one after the other, the newest first. What a compaction
 * lost does not change with later messages, so it is asked once.
 */
function useReports(conversationId: number, compactions: readonly Compaction[], isAtRest: boolean) {
  const [next, setNext] = useState(0)
  const results = useQueries({
    queries: compactions.map(({ runId }, index) => ({
      ...api.trace.loss.queryOptions({
        input: { conversationId, ...(runId !== '' && { runId }) },
        retry: false,
      }),
      enabled: isAtRest && index === next,
    })),
  })
  const current = results[next]
  const isDone = current !== undefined && (current.data !== undefined || current.isError)
  useEffect(() => {
    if (isDone) setNext((before) => before + 1)
  }, [isDone])
  return results.map(({ data, isError }) => data ?? (isError ? null : undefined))
}
