import { useQuery } from '@tanstack/react-query'
import { lostByKind } from '#core/contract/lists.ts'
import type { FactTrace, Recovery } from '#core/contract/trace.ts'
import { api } from '#renderer/api.ts'
import { Icon } from '#renderer/ui/controls/icon.tsx'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { useCopy } from '#renderer/ui/controls/use-copy.ts'
import { depthColor } from '#renderer/ui/nodes/depth-color.ts'
import { NodeLink } from '#renderer/ui/nodes/node-link.tsx'
import { StateMark } from '#renderer/ui/parts/state-mark.tsx'
import { ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { formatCount, formatTokens, plural } from '#renderer/ui/texts/format.ts'
import { MarkedText } from '#renderer/ui/texts/marked-text.tsx'
import styles from './recovery-panel.module.css'
import { tellingAlone } from './trace-wording.ts'
import { type TraceAsked, useLadder, useRecoveries } from './use-trace.ts'

const FELL = 24
/** Many of them may be numbers that say nothing alone. */
const MOST_ASKED = 200

type Props = { readonly asked: TraceAsked }

/** How to have in the window again what was lost: by expanding, by search; and what fell with it. */
export function RecoveryPanel({ asked }: Props) {
  const found = useLadder(asked)
  if (found.error) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />
  if (!found.data) {
    if (found.isFetching) return <Loading what="trace" lines={6} />
    return (
      <div className={styles.panel}>
        <p className={styles.hint}>Trace something, and the way back to it is shown here.</p>
      </div>
    )
  }
  const trace = found.data
  if (trace.ladder.length === 0)
    return (
      <div className={styles.panel}>
        <p className={styles.hint}>Nothing says this, so there is nothing to get back.</p>
      </div>
    )
  return (
    <div className={styles.panel}>
      {trace.details.length > 0 && <Now trace={trace} />}
      <Recoveries trace={trace} query={asked.query} />
      <LostWithIt trace={trace} />
    </div>
  )
}

type TraceProps = { readonly trace: FactTrace }

type RecoveriesProps = TraceProps & {
  /** The words that are traced, or null for everything in a message. */
  readonly query: string | null
}

/** How to have it in the window again. */
export function Recoveries({ trace: { id, details, conversationId }, query }: RecoveriesProps) {
  const found = useRecoveries(id, query)
  if (found.error) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />
  if (!found.data) return <Loading what="way back" lines={4} />
  const { wayBack } = found.data
  const isFollowed = details.length > 0
  const searches = wayBack.filter((way) => way.kind === 'search')
  return (
    <>
      <Expanding recovery={wayBack.find((way) => way.kind === 'expand')} />
      {isFollowed && <Searching recoveries={searches} conversationId={conversationId} />}
      {!isFollowed && wayBack.length === 0 && (
        <p className={styles.hint}>Without a detail there is nothing to search for.</p>
      )}
    </>
  )
}

/** What was lost at the same summary. */
export function LostWithIt({ trace: { lostAt, conversationId } }: TraceProps) {
  if (lostAt === null || conversationId === null) return null
  return <FellWithIt conversationId={conversationId} summaryId={lostAt.id} />
}

function Now({ trace: { inWindow, toldAgain, state } }: TraceProps) {
  const [again] = toldAgain
  const words = inWindow
    ? 'In the window now.'
    : state === 'partly'
      ? 'Partly in the window now.'
      : state === 'left_out'
        ? 'In the window, and left out of what is sent.'
        : 'Not in the window now.'
  return (
    <p className={styles.now}>
      <StateMark state={inWindow ? 'kept' : state}>{''}</StateMark>
      <span>
        {words}{' '}
        {again && (
          <>
            {inWindow ? 'Said again by' : 'Some of it is said by'} <NodeLink id={again.id} />.
          </>
        )}
      </span>
    </p>
  )
}

type Expand = Extract<Recovery, { kind: 'expand' }>
type Search = Extract<Recovery, { kind: 'search' }>

function Expanding({ recovery }: { readonly recovery: Expand | undefined }) {
  if (recovery === undefined) return null
  const { steps, tokens } = recovery
  const expanded = steps.length - 1
  const command = steps
    .slice(0, -1)
    .map(({ id }) => `lcm expand ${id}`)
    .at(-1)
  return (
    <section className={styles.section}>
      <SectionHeading aside={`${plural(expanded, 'step')} · ${formatTokens(tokens)} read`}>By expanding</SectionHeading>
      <ol className={styles.steps}>
        {steps.map(({ id, depth, tokens: own, sources }, index) => (
          <li key={id}>
            <span
              className={styles.swatch}
              style={{ background: depth < 0 ? 'var(--assistant)' : depthColor(depth) }}
            />
            <span className={styles.step}>
              <NodeLink id={id} maxChars={20} />
              <span>
                {index === 0
                  ? 'in the window'
                  : index === steps.length - 1
                    ? 'it stands here'
                    : `1 of ${plural(steps[index - 1]?.sources ?? sources, 'source')}`}
              </span>
            </span>
            {own > 0 && <span className="small">+{formatCount(own)}</span>}
          </li>
        ))}
      </ol>
      {command !== undefined && <Command text={command} />}
    </section>
  )
}

type SearchingProps = { readonly recoveries: readonly Search[]; readonly conversationId: number | null }

function Searching({ recoveries, conversationId }: SearchingProps) {
  const [first] = recoveries
  const within = conversationId === null ? '' : ` --conversation ${conversationId}`
  return (
    <section className={styles.section}>
      <SectionHeading aside={first === undefined ? undefined : '1 step'}>By search</SectionHeading>
      {first === undefined ? (
        <p className={styles.hint}>None of the queries that were tried finds it.</p>
      ) : (
        <>
          <table className={styles.queries}>
            <thead>
              <tr>
                <th scope="col">query</th>
                <th scope="col">hits</th>
                <th scope="col">place</th>
                <th scope="col">tokens</th>
              </tr>
            </thead>
            <tbody>
              {recoveries.map(({ query, hits, hitsAreExact, place, tokens, id }) => (
                <tr key={query} title={`It finds ${id}`}>
                  <td>{query}</td>
                  <td>
                    {!hitsAreExact && 'at least '}
                    {formatCount(hits)}
                  </td>
                  <td>{formatCount(place)}</td>
                  <td>{formatCount(tokens)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <Command text={`lcm grep '${first.query.replaceAll("'", "'\\''")}' --sort relevance${within}`} />
        </>
      )}
    </section>
  )
}

/** What was lost when the same summary was made. */
function FellWithIt({ conversationId, summaryId }: { readonly conversationId: number; readonly summaryId: string }) {
  const report = useQuery(
    api.trace.loss.queryOptions({
      input: { conversationId, summaryId, limit: MOST_ASKED },
      staleTime: 60_000,
      retry: false,
    }),
  )
  const { dropped = [], changed = [], counts } = report.data ?? {}
  const lost = tellingAlone(lostByKind({ changed, dropped })).slice(0, FELL)
  const all = (counts?.dropped ?? 0) + (counts?.changed ?? 0)
  return (
    <section className={styles.section}>
      <SectionHeading aside={counts && `${formatCount(all)} of ${plural(counts.details, 'detail')}`}>
        Lost with it
      </SectionHeading>
      {report.error ? (
        <ErrorState error={report.error} onRetry={() => void report.refetch()} />
      ) : report.data ? (
        <p className={styles.fell}>
          {lost.map(({ detail: { kind, text, messageId } }) => (
            <del key={`${kind} ${text}`} title={`${kind}, ${messageId}`}>
              <MarkedText text={text} />
            </del>
          ))}
          {all > lost.length && <span>{formatCount(all - lost.length)} more</span>}
        </p>
      ) : (
        <Loading what="what was lost" lines={3} />
      )}
    </section>
  )
}

function Command({ text }: { readonly text: string }) {
  const [copied, copy] = useCopy()
  return (
    <button type="button" className={styles.command} title="Copy" onClick={() => copy(text)}>
      <code>{text}</code>
      {copied === 'copied' ? 'copied' : <Icon name="copy" />}
    </button>
  )
}
