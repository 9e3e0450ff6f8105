import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { api } from '#renderer/api.ts'
import { toErrorInfo } from '#renderer/error-text.ts'
import { navigate } from '#renderer/routes.ts'
import { Chip } from '#renderer/ui/controls/chip.tsx'
import { formatTokens, plural } from '#renderer/ui/texts/format.ts'
import { MarkedText } from '#renderer/ui/texts/marked-text.tsx'
import { CallResult, OtherHalf } from './call-result.tsx'
import { Disclosure } from './disclosure.tsx'
import { useFold } from './folds.tsx'
import { MessageBody } from './message-body.tsx'
import { MessageHead } from './message-head.tsx'
import { PAGE_CHARS } from './pages.ts'
import styles from './sub-agent-fold.module.css'
import type { PlacedAgent, SubAgent } from './sub-agents.ts'
import { toolPairs } from './tool-pairs.ts'
import { useSubAgents } from './use-sub-agents.ts'

/** The messages of a sub-agent that are drawn in place at first, and at most. */
const FIRST_MESSAGES = 20
const MOST_MESSAGES = 500

type Props = {
  readonly agents: readonly PlacedAgent[]
  readonly messageId: string
  /** The block below which they are drawn. */
  readonly blockKey: string | null
}

/** The sub-agents that a call started, or a message when their call is not known. */
export function SubAgents({ agents, messageId, blockKey }: Props) {
  return agents
    .filter(({ key }) => key === blockKey)
    .map(({ agent }) => (
      <SubAgentFold key={agent.conversationId} agent={agent} foldKey={`${messageId}/agent ${agent.conversationId}`} />
    ))
}

/** A conversation that a message started, in one line that unfolds. */
function SubAgentFold({ agent, foldKey }: { readonly agent: SubAgent; readonly foldKey: string }) {
  const { conversationId, title, sessionId, messages, storedTokens } = agent
  const [isOpen, toggle] = useFold(foldKey)
  return (
    <section className={styles.fold} aria-label={`Sub-agent: ${title ?? sessionId}`}>
      <Disclosure
        isOpen={isOpen}
        onToggle={toggle}
        head={
          <>
            <Chip tone="assistant">sub-agent</Chip>
            <span className={styles.title}>
              <MarkedText text={title ?? sessionId} />
            </span>
            <span className={styles.size}>
              {plural(messages, 'message')}
              {storedTokens !== null && ` · ${formatTokens(storedTokens)}`}
            </span>
          </>
        }
      >
        <SubAgentMessages conversationId={conversationId} />
        <p className={styles.more}>
          <button
            type="button"
            className={styles.link}
            onClick={(event) => {
              event.stopPropagation()
              navigate({ conversationId, selection: null }, 'push')
            }}
          >
            Open as a conversation
          </button>
        </p>
      </Disclosure>
    </section>
  )
}

function SubAgentMessages({ conversationId }: { readonly conversationId: number }) {
  const [limit, setLimit] = useState(FIRST_MESSAGES)
  const { data, error } = useQuery({
    ...api.transcript.page.queryOptions({ input: { conversationId, offset: 0, limit, contentChars: PAGE_CHARS } }),
    placeholderData: keepPreviousData,
  })
  const messageAt = useMemo(
    () => (position: number) => (position < 0 || position >= (data?.total ?? 0) ? null : data?.messages[position]),
    [data],
  )
  const inSight = useMemo(() => ({ first: 0, last: limit }), [limit])
  const agents = useSubAgents(conversationId, inSight, messageAt)
  if (error) return <p className="small">{toErrorInfo(error).message}</p>
  if (!data) return <p className="small">Loading its messages…</p>
  const rest = data.total - data.messages.length
  return (
    <>
      {data.messages.map((message) => {
        const pairs = toolPairs(message.position, messageAt, () => false)
        if (pairs.head !== null) return null
        const below = agents.get(message.position) ?? []
        return (
          <article key={message.id} className={styles.message} aria-label={`${message.role} ${message.id}`}>
            <MessageHead message={message} />
            <MessageBody
              message={message}
              below={({ key, kind }) => {
                const elsewhere = pairs.elsewhere.get(key)
                return (
                  <>
                    <SubAgents agents={below} messageId={message.id} blockKey={key} />
                    {pairs.results.get(key)?.map((result) => (
                      <CallResult key={result.id} message={result} />
                    ))}
                    {elsewhere && <OtherHalf of={kind === 'tool_call' ? 'call' : 'result'} elsewhere={elsewhere} />}
                  </>
                )
              }}
            />
            <SubAgents agents={below} messageId={message.id} blockKey={null} />
          </article>
        )
      })}
      {rest > 0 && limit < MOST_MESSAGES && (
        <p className={styles.more}>
          <button
            type="button"
            className={styles.link}
            onClick={(event) => {
              event.stopPropagation()
              setLimit(Math.min(MOST_MESSAGES, limit * 5))
            }}
          >
            {plural(rest, 'more message')}
          </button>
        </p>
      )}
    </>
  )
}
