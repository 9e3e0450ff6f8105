import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { BreakCause, CacheBreak, Usage } from '#core/contract/usage.ts'
import { api } from '#renderer/api.ts'
import { assertNever } from '#renderer/assert-never.ts'
import { navigate } from '#renderer/routes.ts'
import { useWidth } from '#renderer/ui/charts/use-size.ts'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { NodeLink } from '#renderer/ui/nodes/node-link.tsx'
import { ErrorLine } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import figures from '#renderer/ui/styles/figure-table.module.css'
import {
  costText,
  formatCompact,
  formatCount,
  formatDuration,
  formatPercent,
  plural,
} from '#renderer/ui/texts/format.ts'
import { formatShort } from '#renderer/ui/texts/format-time.ts'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import styles from './cache-ribbon.module.css'

const COLUMNS = 512
/** The most expensive breaks that are listed. */
const LISTED = 6

/** What the answers of a conversation used, as the ribbon and the lane of costs show it. */
export const usageOf = (conversationId: number) =>
  api.conversations.usage.queryOptions({ input: { conversationId, columns: COLUMNS, limit: LISTED } })

/** What each answer read from the provider's prompt cache, and where the cache could not be used. */
export function CacheRibbon({ conversationId }: { readonly conversationId: number }) {
  const usage = useQuery(usageOf(conversationId))
  return (
    <section aria-label="Prompt cache">
      <SectionHeading aside={usage.data && asideOf(usage.data)}>Prompt cache</SectionHeading>
      {usage.error ? (
        <ErrorLine error={usage.error} onRetry={() => void usage.refetch()} />
      ) : usage.data === undefined ? (
        <Loading what="the use of the prompt cache" lines={2} />
      ) : usage.data.recorded === 'cache' ? (
        <>
          <Ribbon usage={usage.data} />
          <Breaks usage={usage.data} />
        </>
      ) : (
        <p className={styles.note}>{missingText(usage.data)}</p>
      )}
    </section>
  )
}

function asideOf({ recorded, totals }: Usage): string | null {
  if (recorded !== 'cache' || totals.inputTokens === 0) return null
  const cost = totals.cost === null ? '' : ` · ${costText(totals.cost)}`
  return `${formatPercent(totals.cachedTokens / totals.inputTokens)} of ${formatCompact(totals.inputTokens)} input tokens came from it${cost}`
}

function missingText({ recorded, totals, steps }: Usage): string {
  const where = 'Imports of Claude Code, Codex and Pi keep it where their transcripts have it.'
  if (recorded === 'none') return `Not recorded. ${where}`
  return `Not recorded: ${plural(steps, 'answer')} say that ${formatCompact(totals.inputTokens)} tokens were sent, and not what came from the cache. ${where}`
}

const HEIGHT = 56
const BREAK_PX = 6

/** A bar for each answer, oldest first. A click leads to it. */
function Ribbon({ usage }: { readonly usage: Usage }) {
  const [box, width] = useWidth<HTMLDivElement>()
  const [hovered, setHovered] = useState<number | null>(null)
  const { columns, steps, breakCount, lostTokens, totals } = usage
  const count = columns.steps.length
  const bars = barsOf(columns, width)
  const columnAt = (event: React.PointerEvent<HTMLElement> | React.MouseEvent<HTMLElement>): number => {
    const { left } = event.currentTarget.getBoundingClientRect()
    return Math.min(count - 1, Math.max(0, Math.floor(((event.clientX - left) / (width || 1)) * count)))
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list of breaks leads to the messages by keyboard
    // biome-ignore lint/a11y/noStaticElementInteractions: as above
    <div
      ref={box}
      className={styles.ribbon}
      onPointerMove={(event) => setHovered(columnAt(event))}
      onPointerLeave={() => setHovered(null)}
      onClick={(event) =>
        navigate({ view: 'messages', selection: `msg_${columns.firstMessage[columnAt(event)]}` }, 'push')
      }
    >
      <svg
        width={width}
        height={HEIGHT + BREAK_PX + 2}
        role="img"
        aria-label={`${plural(steps, 'answer')}: ${formatCount(totals.cachedTokens)} of ${formatCount(totals.inputTokens)} input tokens came from the cache; ${plural(breakCount, 'break')}, ${formatCount(lostTokens)} tokens sent again.`}
      >
        <path d={bars.cached} fill="var(--leaf)" />
        <path d={bars.written} fill="var(--d1)" />
        <path d={bars.rest} fill="var(--tool)" />
        <path d={bars.breaks} stroke="var(--error)" strokeWidth={2} />
        {hovered !== null && (
          <rect
            className={styles.hovered}
            x={(hovered / count) * width}
            y={0}
            width={Math.max(1, width / count)}
            height={HEIGHT}
          />
        )}
      </svg>
      <p className={styles.legend}>
        <i style={{ background: 'var(--leaf)' }} /> from the cache
        {totals.writtenTokens !== null && (
          <>
            <i style={{ background: 'var(--d1)' }} /> written to it
          </>
        )}
        <i style={{ background: 'var(--tool)' }} /> {totals.writtenTokens === null ? 'not from it' : 'neither'}
        <i style={{ background: 'var(--error)', height: BREAK_PX, width: 2 }} /> break
        <span className={styles.readout}>{hovered !== null && columnText(columns, hovered)}</span>
      </p>
    </div>
  )
}

/** Returns the bars as one path for each kind of tokens: the mean of the answers in a column. */
function barsOf({ steps, inputTokens, cachedTokens, writtenTokens, breaks }: Usage['columns'], width: number) {
  const means = steps.map((many, index) => (inputTokens[index] ?? 0) / (many || 1))
  const most = Math.max(1, ...means)
  const step = width / (steps.length || 1)
  const gap = step >= 4 ? 1 : 0
  const paths = { cached: '', written: '', rest: '', breaks: '' }
  for (const [index, many] of steps.entries()) {
    const x = index * step
    let bottom = HEIGHT
    const bar = (tokens: number): string => {
      const height = (Math.max(0, tokens) / (many || 1) / most) * HEIGHT
      if (height <= 0) return ''
      bottom -= height
      return `M${x.toFixed(1)} ${bottom.toFixed(1)}h${(step - gap).toFixed(1)}v${height.toFixed(1)}h${(gap - step).toFixed(1)}Z`
    }
    const [cached, written] = [cachedTokens[index] ?? 0, writtenTokens[index] ?? 0]
    paths.cached += bar(cached)
    paths.written += bar(written)
    paths.rest += bar((inputTokens[index] ?? 0) - cached - written)
    if ((breaks[index] ?? 0) > 0) paths.breaks += `M${(x + step / 2).toFixed(1)} ${HEIGHT + 2}v${BREAK_PX}`
  }
  return paths
}

function columnText(columns: Usage['columns'], index: number): string {
  const [many, atMs] = [columns.steps[index] ?? 0, columns.atMs[index]]
  const when = atMs == null ? '' : `${formatShort(atMs)}, `
  const what = many === 1 ? `message ${formatCount(columns.messages[index] ?? 0)}` : plural(many, 'answer')
  return `${when}${what}: ${formatCount(columns.cachedTokens[index] ?? 0)} of ${formatCount(columns.inputTokens[index] ?? 0)} tokens from the cache`
}

/** The answers that had to send most of their prompt again. */
function Breaks({ usage: { breaks, breakCount, lostTokens } }: { readonly usage: Usage }) {
  if (breakCount === 0)
    return <p className={styles.note}>No break: each answer found in the cache what the one before left there.</p>
  return (
    <>
      <p className={styles.note}>
        {plural(breakCount, 'break')}: {formatCount(lostTokens)} tokens were sent again
        {breakCount > breaks.length && `; the ${formatCount(breaks.length)} most expensive`}
      </p>
      <table className={`${figures.table} ${styles.breaks}`}>
        <thead>
          <tr>
            <th>when</th>
            <th>why</th>
            <th>sent again</th>
            <th>cost of the answer</th>
            <th>message</th>
          </tr>
        </thead>
        <tbody>
          {breaks.map((one) => (
            <tr key={`${one.messageId} ${one.messages}`}>
              <td>
                <TimeText atMs={one.atMs} form="short" />
              </td>
              <td>{causeText(one)}</td>
              <td>{formatCount(one.expectedTokens - one.cachedTokens)}</td>
              <td>{one.cost === null ? 'not recorded' : costText(one.cost)}</td>
              <td>
                <NodeLink id={one.messageId} view="messages" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

function causeText({ cause, pauseMs }: CacheBreak): string {
  if (cause === null) return 'the file does not tell'
  return whyText(cause, pauseMs ?? 0)
}

function whyText(cause: BreakCause, pauseMs: number): string {
  switch (cause) {
    case 'compaction':
      return 'the window was compacted or pruned'
    case 'pause':
      return `after a pause of ${formatDuration(pauseMs)}`
    case 'model':
      return 'another model was asked'
    default:
      return assertNever(cause)
  }
}
