import { useState } from 'react'
import type { ExpandQueryResult } from '#core/contract/expand-query.ts'
import { useRoutePart } from '#renderer/routes.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { useConversation } from '#renderer/ui/data/use-conversations.ts'
import { NodeLink } from '#renderer/ui/nodes/node-link.tsx'
import { conversationName, formatCount, formatDuration, plural } from '#renderer/ui/texts/format.ts'
import { SourcePassage } from '#renderer/ui/texts/source-passage.tsx'
import { answerParts } from './answer-parts.ts'
import styles from './ask-view.module.css'

/** As many passages as one reads. */
const FIRST_PASSAGES = 12

type Props = { readonly result: ExpandQueryResult }

/** An answer with its sources, or the best passages when no model was asked, and the cost. */
export function AskAnswer({ result }: Props) {
  const [isWhole, setWhole] = useState(false)
  const conversationId = useRoutePart('conversationId')
  const { answer, citations, provider, model, fallback, notes, droppedIds, truncated } = result
  const isWritten = provider !== null
  const cited = new Set(citations.map(({ id }) => id))
  return (
    <article className={styles.article} aria-label="Answer">
      <p className={styles.who}>
        {isWritten ? (
          <>
            Answered by {provider} · {model}
          </>
        ) : (
          'Best passages. No model was asked.'
        )}{' '}
        <Grant result={result} />
      </p>
      {fallback !== null && <p className={styles.note}>No model answered: {fallback}</p>}
      {isWritten && (
        <p className={styles.text} dir="auto">
          {answerParts(answer, cited).map((part, index) =>
            part.kind === 'id' ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: the parts of an answer never change places
              <span key={index} className={styles.cite}>
                <NodeLink id={part.text} maxChars={16} />
              </span>
            ) : (
              part.text
            ),
          )}
        </p>
      )}
      {notes.map((note) => (
        <p key={note} className={styles.note}>
          {note}
        </p>
      ))}
      {truncated && citations.length > 0 && (
        <p className={styles.note}>
          There was more to read than the bound allows: raise it, or ask a narrower question.
        </p>
      )}
      {droppedIds.length > 0 && (
        <p className={styles.note}>Taken out of the answer, since nobody read them: {droppedIds.join(', ')}</p>
      )}
      {citations.length > 0 && (
        <section className={styles.sources}>
          <SectionHeading>
            {isWritten ? 'Sources' : 'Passages'} · {citations.length}
          </SectionHeading>
          {citations.slice(0, isWhole ? undefined : FIRST_PASSAGES).map((citation) => (
            <SourcePassage
              key={`${citation.id} ${citation.field} ${citation.part} ${citation.start}`}
              id={citation.id}
              node={citation}
              conversationId={citation.conversationId}
              atMs={citation.createdAtMs}
              field={citation.field}
              excerpt={citation.excerpt}
              matches={citation.matches}
              {...(citation.conversationId !== conversationId && {
                why: <OtherConversation conversationId={citation.conversationId} />,
              })}
            />
          ))}
          {citations.length > FIRST_PASSAGES && !isWhole && (
            <Button onClick={() => setWhole(true)}>Show all {citations.length}</Button>
          )}
        </section>
      )}
    </article>
  )
}

/** A passage of another conversation than the one on screen says of which. */
function OtherConversation({ conversationId }: { readonly conversationId: number }) {
  const { data } = useConversation(conversationId)
  return <>in {data ? <bdi>{conversationName(data)}</bdi> : 'another conversation'}</>
}

/** How much was read under the grant, and how much it allowed. */
function Grant({ result: { grant, tokensUsed, tookMs } }: { readonly result: ExpandQueryResult }) {
  return (
    <span
      title={`Grant ${grant.id}: ${plural(grant.rootIds.length, 'root')}, ${grant.readIds.length} read, ${plural(grant.refusals, 'refusal')}`}
    >
      {formatCount(tokensUsed)} of {formatCount(grant.tokenCap)} tokens in {plural(grant.calls, 'read')} ·{' '}
      {formatDuration(tookMs)}
    </span>
  )
}
