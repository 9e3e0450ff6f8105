import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { meaningOf } from '../../../core/contract/glossary.ts'
import type { Role } from '../../../core/contract/ids.ts'
import { checksMade } from '../../../core/contract/lists.ts'
import type { Overview } from '../../../core/contract/memory.ts'
import { api } from '../../api.ts'
import { navigate, useShownChoice } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'
import { nodeColor } from '../../ui/depth-color.ts'
import { DepthSwatch } from '../../ui/depth-swatch.tsx'
import { Dim } from '../../ui/dim.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import figures from '../../ui/figure-table.module.css'
import { formatCompact, formatCompression, formatCount, formatPercent, plural } from '../../ui/format.ts'
import { LargeRow } from '../../ui/large-row.tsx'
import { Loading } from '../../ui/loading.tsx'
import { SectionHeading } from '../../ui/section-heading.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { AllConversations } from './all-conversations.tsx'
import { CacheRibbon } from './cache-ribbon.tsx'
import { type Breakdown, byDepth, compressionOf, depthName, standsForText, withShares } from './overview-figures.ts'
import styles from './overview-view.module.css'
import { PressureFigures } from './pressure-figures.tsx'
import { PressureHistory } from './pressure-history.tsx'
import { RunTable } from './run-table.tsx'

type Props = { readonly conversationId: number }

const SCOPES = ['conversation', 'all'] as const
const SCOPE_OPTIONS = [
  { value: 'conversation', label: 'this conversation' },
  { value: 'all', label: 'all conversations' },
] as const

/** A conversation in figures, or all conversations in one table. */
export function OverviewView({ conversationId }: Props) {
  const [shown, setShown] = useShownChoice('overview.scope', SCOPES)
  const scope = <Segmented label="What is shown" options={SCOPE_OPTIONS} value={shown} onChange={setShown} />
  if (shown === 'all') return <AllConversations conversationId={conversationId} scope={scope} />
  return <ConversationFigures conversationId={conversationId} scope={scope} />
}

function ConversationFigures({ conversationId, scope }: Props & { readonly scope: ReactNode }) {
  const overview = useQuery(api.conversations.overview.queryOptions({ input: { conversationId } }))
  if (overview.error) return <ErrorState error={overview.error} onRetry={() => void overview.refetch()} />
  if (!overview.data) return <Loading what="the overview" lines={7} />
  const { conversation, budgetTokens, depths, roles, largestMessages, runs } = overview.data
  return (
    <div className={styles.view}>
      <div className={styles.scope}>{scope}</div>
      <PressureFigures conversation={conversation} budgetTokens={budgetTokens} />
      <PressureHistory conversation={conversation} budgetTokens={budgetTokens} />
      {conversation.messages > 0 && <CacheRibbon conversationId={conversationId} />}
      <HealthLine />
      <div className={styles.columns}>
        <div className={styles.column}>
          <DepthTable depths={depths} storedTokens={conversation.storedTokens} />
          <RoleTable roles={roles} />
        </div>
        <div className={styles.column}>
          <LargestMessages messages={largestMessages} />
        </div>
      </div>
      <RunTable runs={runs} />
    </div>
  )
}

/** The health of the file in one line. */
function HealthLine() {
  const last = useQuery(api.integrity.last.queryOptions())
  const jobs = useQuery(api.jobs.list.queryOptions())
  if (last.data === undefined) return null
  const report = last.data
  const isChecking = jobs.data?.some(({ kind, state }) => kind === 'integrity' && state === 'running') ?? false
  const state = report === null ? 'unknown' : report.counts.error > 0 ? 'error' : report.ok ? 'fine' : 'warning'
  return (
    <section className={styles.line} aria-label="Health">
      <span className={styles.dot} data-state={state} aria-hidden="true" />
      {report === null ? (
        <span>{isChecking ? 'The file is being checked.' : 'The file has not been checked in this window.'}</span>
      ) : (
        <span>
          {report.ok
            ? 'Nothing wrong was found'
            : `${plural(report.counts.error, 'error')}, ${plural(report.counts.warning, 'warning')}`}{' '}
          <Dim>
            by {plural(checksMade(report), 'check')}, <TimeText atMs={report.finishedAtMs} />
          </Dim>
        </span>
      )}
      <Button onClick={() => navigate({ view: 'integrity' }, 'push')}>
        {report === null
          ? isChecking
            ? 'Show the check'
            : 'Check it'
          : report.ok
            ? 'Show the checks'
            : 'Show the findings'}
      </Button>
    </section>
  )
}

const ROLES: Readonly<Record<Role, true>> = { system: true, user: true, assistant: true, tool: true }

const isRole = (text: string): text is Role => Object.hasOwn(ROLES, text)

/** Returns the role with that name, or null. */
const roleOf = (name: string): Role | null => (isRole(name) ? name : null)

type Large = Overview['largestMessages'][number]

/** The messages with the most tokens, largest first. */
function LargestMessages({ messages }: { readonly messages: readonly Large[] }) {
  const longest = messages[0]?.tokens ?? 1
  return (
    <section>
      <SectionHeading aside="tokens">Largest messages</SectionHeading>
      {messages.length === 0 && <p className={styles.none}>There is no message.</p>}
      <ul>
        {messages.map((message) => (
          <li key={message.id}>
            <LargeRow
              id={message.id}
              text={message.excerpt || message.role}
              tokens={message.tokens}
              most={longest}
              color={nodeColor({ kind: 'message', role: roleOf(message.role) })}
            />
          </li>
        ))}
      </ul>
    </section>
  )
}

type DepthTableProps = { readonly depths: readonly Breakdown[]; readonly storedTokens: number }

/** How much each layer compresses. */
function DepthTable({ depths, storedTokens }: DepthTableProps) {
  return (
    <section>
      <SectionHeading>Summaries by depth</SectionHeading>
      {depths.length === 0 ? (
        <p className={styles.none}>Nothing was summarised yet.</p>
      ) : (
        <table className={figures.table}>
          <thead>
            <tr>
              <th title={meaningOf('depth')}>layer</th>
              <th>summaries</th>
              <th>tokens</th>
              <th>stand for</th>
              <th>compression</th>
            </tr>
          </thead>
          <tbody>
            {byDepth(depths).map((row) => {
              const ratio = compressionOf(row)
              return (
                <tr key={row.key}>
                  <td className={styles.name} title={meaningOf(row.key === '0' ? 'leaf, condensed' : 'depth')}>
                    <DepthSwatch node={{ kind: row.key === '0' ? 'leaf' : 'condensed', depth: Number(row.key) }} />
                    {depthName(row.key)}
                  </td>
                  <td>{formatCount(row.count)}</td>
                  <td>{formatCompact(row.tokens)}</td>
                  <td>{standsForText(row, storedTokens)}</td>
                  <td>{ratio === null ? '–' : formatCompression(ratio)}</td>
                </tr>
              )
            })}
          </tbody>
        </table>
      )}
    </section>
  )
}

/** How much each role wrote. */
function RoleTable({ roles }: { readonly roles: readonly Breakdown[] }) {
  return (
    <section>
      <SectionHeading>Messages by role</SectionHeading>
      {roles.length === 0 ? (
        <p className={styles.none}>There is no message.</p>
      ) : (
        <table className={figures.table}>
          <thead>
            <tr>
              <th>role</th>
              <th>messages</th>
              <th>tokens</th>
              <th>share</th>
              <th>
                <span className="unseen">share, drawn</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {withShares(roles, (key) => key).map((row) => (
              <tr key={row.key}>
                <td className={styles.name}>
                  <DepthSwatch node={{ kind: 'message', role: roleOf(row.key) }} />
                  {row.label}
                </td>
                <td>{formatCount(row.count)}</td>
                <td>{formatCompact(row.tokens)}</td>
                <td>{formatPercent(row.share)}</td>
                <td className={styles.wide}>
                  <span
                    className={figures.bar}
                    style={{ width: `${row.share * 100}%`, background: `var(--${row.key}, var(--tool))` }}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
