import { useQuery } from '@tanstack/react-query'
import type { ListedConversation } from '#core/contract/memory.ts'
import { api } from '#renderer/api.ts'
import { navigate } from '#renderer/routes.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { Fact, Facts } from '#renderer/ui/controls/facts.tsx'
import { Kbd } from '#renderer/ui/controls/kbd.tsx'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { useConversation, useConversations } from '#renderer/ui/data/use-conversations.ts'
import { NodeIdText } from '#renderer/ui/nodes/node-id-text.tsx'
import { OpeningRefusal } from '#renderer/ui/states/opening-refusal.tsx'
import { useOpening } from '#renderer/ui/states/use-opening.ts'
import {
  conversationName,
  costText,
  formatCount,
  formatPressure,
  plainName,
  plural,
} from '#renderer/ui/texts/format.ts'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import styles from './conversation-detail.module.css'

/** Imported conversations and those of other systems were often stored later than they were held. */
const ROW_TIME = 'When its row in the file was written. The axis of the layers shows when messages were said.'

type Props = { readonly conversation: ListedConversation }

/** The details of the conversation, shown while nothing in it is selected. */
export function ConversationDetail({ conversation }: Props) {
  const { conversationId, sessionId, parentConversationId, maxDepth, createdAtMs, updatedAtMs } = conversation
  const { data: spawner } = useConversation(parentConversationId)
  const name = conversationName(conversation)
  const { data: info } = useQuery(api.memory.info.queryOptions())
  const pulledFrom = info?.pulledFrom?.conversationId === conversationId ? info.pulledFrom : undefined
  return (
    <div className={styles.detail}>
      <SectionHeading>Conversation</SectionHeading>
      <p className={classNames('clamped', styles.name)} title={name}>
        <bdi>{name}</bdi>
      </p>
      <Facts>
        <Fact name="session">
          <NodeIdText id={sessionId} />
        </Fact>
        <Fact name="number">{conversationId}</Fact>
        <Fact name="messages">{formatCount(conversation.messages)}</Fact>
        <Fact name="summaries">
          {formatCount(conversation.summaries)}
          {maxDepth > 0 && `, depth ${maxDepth}`}
        </Fact>
        <Fact name="stored">{tokens(conversation.storedTokens)}</Fact>
        <Fact name="window">
          {conversation.contextTokens !== null && `${formatCount(conversation.contextTokens)} tokens`}
          {conversation.pressure !== null && ` (${formatPressure(conversation.pressure)})`}
          {conversation.contextTokens !== null && ' in '}
          {formatCount(conversation.contextItems - (conversation.leftOutItems ?? 0))} items
          {conversation.contextTokens === null && ', tokens not counted yet'}
        </Fact>
        {conversation.leftOutItems !== null && conversation.leftOutItems > 0 && (
          <Fact name="left out">
            {tokens(conversation.leftOutTokens)} in {plural(conversation.leftOutItems, 'item')}
          </Fact>
        )}
        <Fact name="row begun" hint={ROW_TIME}>
          {createdAtMs === null ? null : <TimeText atMs={createdAtMs} form="short" />}
        </Fact>
        <Fact name="row changed" hint={ROW_TIME}>
          {updatedAtMs === null ? null : <TimeText atMs={updatedAtMs} form="short" />}
        </Fact>
      </Facts>
      {spawner && <Related title="Came from" rows={[spawner]} />}
      {pulledFrom && pulledFrom.parentId !== null && (
        <SpawnerElsewhere {...pulledFrom} parentId={pulledFrom.parentId} />
      )}
      <SubAgents of={conversationId} />
      <FamilyFigures conversation={conversation} />
      <p className={styles.hint}>
        Select a bar, a row or a hit to see what it says and where it comes from. <Kbd>Mod K</Kbd> takes an id as well,{' '}
        <Kbd>?</Kbd> lists the keys.
      </p>
      {maxDepth >= 0 && (
        <p className={styles.hint}>
          What is dimmed in the layers is not in the window itself. The search filter “outside” looks only there.
        </p>
      )}
    </div>
  )
}

const tokens = (count: number | null): string => (count === null ? 'not counted yet' : `${formatCount(count)} tokens`)

function SubAgents({ of }: { readonly of: number }) {
  const { rows, counts, hasMore, more } = useConversations({ parentConversationId: of })
  const own = rows?.filter(({ parentConversationId }) => parentConversationId === of) ?? []
  if (counts === undefined || own.length === 0) return null
  return (
    <>
      <Related title={`Forks and sub-agents · ${formatCount(counts.found)}`} rows={own} />
      {hasMore && (
        <Button look="quiet" onClick={more}>
          More
        </Button>
      )}
    </>
  )
}

/**
 * What a conversation with all its forks and sub-agents holds and cost. Nothing is shown of one without them, and nothing
 * asked, because every answer of a family is read for it.
 */
function FamilyFigures({ conversation: { conversationId, parentConversationId } }: Props) {
  const { rows } = useConversations({ parentConversationId: conversationId })
  const hasChildren = rows?.some((row) => row.parentConversationId === conversationId) ?? false
  const enabled = parentConversationId !== null || hasChildren
  const { data } = useQuery(api.conversations.family.queryOptions({ input: { conversationId }, enabled }))
  if (data === undefined || data.members.length < 2) return null
  const { members, messages, usage } = data
  return (
    <section className={styles.related}>
      <SectionHeading aside="each message once">Family · {formatCount(members.length)}</SectionHeading>
      <Facts>
        <Fact name="messages">{formatCount(messages)}</Fact>
        {usage.steps > 0 && (
          <>
            <Fact name="input" hint="Tokens that the agent recorded, with those from the cache">
              {tokens(usage.inputTokens)}
            </Fact>
            <Fact name="from cache">{usage.cachedTokens === null ? 'not recorded' : tokens(usage.cachedTokens)}</Fact>
            <Fact name="output">{tokens(usage.outputTokens)}</Fact>
          </>
        )}
        <Fact name="cost">{usage.cost === null ? null : costText(usage.cost)}</Fact>
      </Facts>
    </section>
  )
}

type ElsewhereProps = { readonly address: string; readonly tenant: string; readonly parentId: number }

/** A conversation that was pulled from PostgreSQL comes without the one that spawned it. */
function SpawnerElsewhere({ address, tenant, parentId }: ElsewhereProps) {
  const opening = useOpening(address)
  const { row, error, open } = opening
  const isOpening = row !== null && error === null
  return (
    <>
      <section className={styles.related}>
        <SectionHeading>Came from</SectionHeading>
        <button
          type="button"
          disabled={isOpening}
          title="Copies it from the database and opens it"
          onClick={() => open({ tenant, conversationId: parentId, label: '', messages: 0 })}
        >
          <bdi>{`Conversation ${parentId} of ${plainName(tenant)}`}</bdi>
          <span>{isOpening ? 'opening…' : 'not in this file'}</span>
        </button>
      </section>
      <OpeningRefusal opening={opening} />
    </>
  )
}

function Related({ title, rows }: { readonly title: string; readonly rows: readonly ListedConversation[] }) {
  return (
    <section className={styles.related}>
      <SectionHeading>{title}</SectionHeading>
      {rows.map((row) => (
        <button
          key={row.conversationId}
          type="button"
          onClick={() => navigate({ conversationId: row.conversationId }, 'push')}
        >
          <bdi>{conversationName(row)}</bdi>
          <span>{formatCount(row.messages)}</span>
        </button>
      ))}
    </section>
  )
}
