import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useDeferredValue } from 'react'
import { meaningOf } from '#core/contract/glossary.ts'
import type { Role } from '#core/contract/ids.ts'
import type { ListedConversation, MemoryInfo, Overview } from '#core/contract/memory.ts'
import { api } from '#renderer/api.ts'
import { navigate } from '#renderer/routes.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { useConversation } from '#renderer/ui/data/use-conversations.ts'
import { nodeColor } from '#renderer/ui/nodes/depth-color.ts'
import { DepthSwatch } from '#renderer/ui/nodes/depth-swatch.tsx'
import { LargeRow } from '#renderer/ui/nodes/large-row.tsx'
import { ErrorLine, ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import figures from '#renderer/ui/styles/figure-table.module.css'
import { formatCompact, formatCompression, formatCount, formatPercent } from '#renderer/ui/texts/format.ts'
import { Answer } from './answer.tsx'
import { CacheRibbon } from './cache-ribbon.tsx'
import { ForgottenField } from './forgotten-field.tsx'
import { HealthAnswer } from './health-answer.tsx'
import { LossAnswer } from './loss-answer.tsx'
import { PressureHistory } from './pressure-history.tsx'
import {
  type Breakdown,
  byDepth,
  compressionOf,
  depthName,
  layersText,
  standsForText,
  withShares,
} from './start-figures.ts'
import styles from './start-view.module.css'
import { WindowAnswer } from './window-answer.tsx'

type Props = {
  readonly conversationId: number
  readonly info: MemoryInfo
  /** What is offered above the questions, where anything is. */
  readonly offer: ReactNode
  /** Draws the layers of the conversation in small. */
  readonly renderLayers: () => ReactNode
}

/** From a question to its answer: what a conversation forgot, what the model sees, and whether the memory is sound. */
export function StartView({ conversationId, info, offer, renderLayers }: Props) {
  const { data: conversation, error, refetch } = useConversation(conversationId)
  // The answers are drawn first. What follows them is drawn in short tasks afterwards, because it takes as long.
  const areAnswersDrawn = useDeferredValue(true, false)
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  return (
    <div className={styles.scroller}>
      <div className={styles.view}>
        <div className={styles.part}>
          {offer}
          <ForgottenField />
          {conversation && <Answers {...{ conversation, info, renderLayers }} />}
        </div>
        <div className={styles.part}>
          <div className={styles.more}>
            <SectionHeading>More about this conversation</SectionHeading>
          </div>
          {conversation && areAnswersDrawn && <MoreFigures conversation={conversation} />}
        </div>
      </div>
    </div>
  )
}

type AnswersProps = Omit<Props, 'conversationId' | 'offer'> & { readonly conversation: ListedConversation }

function Answers({ conversation, info, renderLayers }: AnswersProps) {
  const { conversationId } = conversation
  const strata = useQuery(api.strata.get.queryOptions({ input: { conversationId, axis: 'messages' } }))
  return (
    <>
      <WindowAnswer conversation={conversation} strata={strata.data} />
      <LossAnswer conversation={conversation} />
      <HealthAnswer info={info} />
      <Answer
        question="How is it layered?"
        about={strata.data && layersText(strata.data)}
        action={<Button onClick={() => navigate({ view: 'layers' }, 'push')}>Layers →</Button>}
      >
        {renderLayers()}
      </Answer>
    </>
  )
}

/** What is worth a look besides: the window over time, the prompt cache, and what takes the most room. */
function MoreFigures({ conversation }: { readonly conversation: ListedConversation }) {
  const { conversationId } = conversation
  const overview = useQuery(api.conversations.overview.queryOptions({ input: { conversationId } }))
  if (overview.error) return <ErrorLine error={overview.error} onRetry={() => void overview.refetch()} />
  if (!overview.data) return <Loading what="figures" lines={5} />
  const { budgetTokens, depths, roles, largestMessages } = overview.data
  return (
    <>
      <PressureHistory conversation={conversation} budgetTokens={budgetTokens} />
      <div className={styles.columns}>
        <div className={styles.column}>
          <DepthTable depths={depths} storedTokens={overview.data.conversation.storedTokens} />
          <RoleTable roles={roles} />
        </div>
        <div className={styles.column}>
          <LargestMessages messages={largestMessages} />
        </div>
      </div>
      {conversation.messages > 0 && <CacheRibbon conversationId={conversationId} />}
    </>
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
