import { skipToken, useQuery } from '@tanstack/react-query'
import type { ListedConversation } from '#core/contract/memory.ts'
import type { Strata } from '#core/contract/strata.ts'
import { api } from '#renderer/api.ts'
import { navigate } from '#renderer/routes.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { CompactButton } from '#renderer/ui/controls/compact-button.tsx'
import { useWindowRule } from '#renderer/ui/data/use-window-rule.ts'
import { depthColor } from '#renderer/ui/nodes/depth-color.ts'
import { formatCompression, formatCount, formatPressure, formatTokens, plural } from '#renderer/ui/texts/format.ts'
import { dueText, roomUntilSoft } from '#renderer/ui/texts/room-text.ts'
import { Answer, Figure } from './answer.tsx'
import { inheritedPart, leftOutText, windowParts } from './start-figures.ts'
import styles from './start-view.module.css'

type Props = { readonly conversation: ListedConversation; readonly strata: Strata | undefined }

/** What the model sees next turn, in tokens, to scale, and until when. */
export function WindowAnswer({ conversation, strata }: Props) {
  const settings = useQuery(api.memory.settings.queryOptions())
  const rule = useWindowRule()
  const { contextTokens, pressure, storedTokens, messages } = conversation
  const budgetTokens = conversation.ownBudgetTokens ?? settings.data?.budgetTokens ?? null
  const parts = strata && windowParts(strata)
  const more = parts ? inheritedPart(parts, conversation) : null
  const inherited = useIsFork(conversation, more !== null) ? more : null
  const allTokens = (parts?.summaryTokens ?? 0) + (parts?.messageTokens ?? 0) + (inherited?.tokens ?? 0)
  const leftOut = leftOutText(conversation, budgetTokens)
  const share = (tokens: number): string => `${(tokens / Math.max(budgetTokens ?? 0, allTokens)) * 100}%`
  return (
    <Answer
      question="What does the model see next turn?"
      about={budgetTokens === null ? 'of its window' : `of a window of ${formatTokens(budgetTokens)}`}
      action={<Button onClick={() => navigate({ view: 'window' }, 'push')}>Window →</Button>}
    >
      <Figure figure={contextTokens === null ? 'Being counted…' : formatTokens(contextTokens)}>
        {pressure !== null && `· ${formatPressure(pressure)} `}
        {parts && `· ${partsText(parts, messages, inherited?.items ?? 0)}`}
      </Figure>
      {parts && budgetTokens !== null && (
        <div
          className={styles.window}
          role="img"
          aria-label={`${inherited ? `${formatTokens(inherited.tokens)} from before the fork, ` : ''}${formatTokens(parts.summaryTokens)} of summaries and ${formatTokens(parts.messageTokens)} of messages, of ${formatTokens(budgetTokens)}`}
        >
          {inherited && <span style={{ width: share(inherited.tokens), background: 'var(--tool)' }} />}
          {parts.byDepth.map(({ depth, tokens }) => (
            <span
              key={depth}
              style={{ width: share(tokens), background: depth < 0 ? 'var(--assistant)' : depthColor(depth) }}
            />
          ))}
        </div>
      )}
      <p className={styles.due}>
        <Due conversation={conversation} budgetTokens={budgetTokens} />
        <CompactButton />
      </p>
      <p className="dim">
        {storedTokens !== null && `${formatTokens(storedTokens)}${inherited ? ' of its own' : ''} are stored`}
        {storedTokens !== null &&
          contextTokens !== null &&
          contextTokens > 0 &&
          contextTokens < storedTokens &&
          `, ${formatCompression(storedTokens / contextTokens)} as many as the model sees`}
        {leftOut !== null && `. ${leftOut}`}
        {rule !== null && '. The window is worked out from the file, which stores none'}
      </p>
    </Answer>
  )
}

/** The answer reads every member of the family, so it is asked for only where a window has more than is its own. */
function useIsFork({ conversationId, parentConversationId }: ListedConversation, isAsked: boolean): boolean {
  const input = isAsked && parentConversationId !== null ? { conversationId } : skipToken
  const { data } = useQuery(api.conversations.family.queryOptions({ input }))
  return data?.members.find((member) => member.conversationId === conversationId)?.relation === 'fork'
}

type Parts = ReturnType<typeof windowParts>

/**
 * `4 summaries and 152 of 377 messages`. Whether the summaries stand for the others is for a check to say. A fork begins
 * with what the conversation had from which it was forked.
 */
function partsText({ summaries, messages }: Parts, all: number, inherited: number): string {
  const own = [
    ...(summaries === 0 ? [] : [plural(summaries, 'summary', 'summaries')]),
    ...(all === 0 && inherited > 0 ? [] : [`${formatCount(messages)} of ${plural(all, 'message')}`]),
  ].join(' and ')
  if (inherited === 0) return own
  const before = `${plural(inherited, 'text')} from before the fork`
  return own === '' ? `${before}, nothing of its own yet` : `${before}, ${own} of its own`
}

/** A larger window is not listed only to know how long its turns are. */
const MOST_ITEMS = 8_000

type DueProps = { readonly conversation: ListedConversation; readonly budgetTokens: number | null }

/** When a compaction is due. The turns until then follow from the window, which takes longer to list than the rest. */
function Due({ conversation, budgetTokens }: DueProps) {
  const { conversationId, contextItems, activeTokens, leftOutTokens } = conversation
  const settings = useQuery(api.memory.settings.queryOptions())
  const isKnown = settings.data !== undefined && activeTokens !== null
  const window = useQuery(
    api.context.assemble.queryOptions({
      input: isKnown && contextItems <= MOST_ITEMS ? { conversationId } : skipToken,
      retry: false,
    }),
  )
  if (settings.data === undefined || activeTokens === null || budgetTokens === null) return null
  const { softThreshold, hardThreshold } = settings.data
  const room = { activeTokens, leftOutTokens: leftOutTokens ?? 0, budgetTokens, softThreshold, hardThreshold }
  return <span>{dueText(room, window.data ? roomUntilSoft(window.data).turns : null)}</span>
}
