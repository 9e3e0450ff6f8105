import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import type { ExpandQueryRequest } from '#core/contract/expand-query.ts'
import { MOST_AGENT_TOKENS } from '#core/contract/lists.ts'
import type { MessageEnds } from '#core/contract/retrieval.ts'
import { api } from '#renderer/api.ts'
import { navigate, useRoutePart, useShownOf } from '#renderer/routes.ts'
import { ProgressBar } from '#renderer/ui/charts/progress-bar.tsx'
import { Button } from '#renderer/ui/controls/button.tsx'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { useMarkedMessages } from '#renderer/ui/data/message-range.ts'
import { DETERMINISTIC } from '#renderer/ui/data/summarizers.ts'
import { useStored } from '#renderer/ui/data/use-stored.ts'
import { SummarizerChoice } from '#renderer/ui/parts/summarizer-choice.tsx'
import { ErrorState } from '#renderer/ui/states/error-state.tsx'
import number from '#renderer/ui/styles/number-field.module.css'
import { AskAnswer } from './ask-answer.tsx'
import styles from './ask-view.module.css'
import { ChosenNode, ToggleChip } from './filter-bar.tsx'
import { useChosenSummary } from './use-chosen-summary.ts'

type Props = {
  readonly conversationId: number | null
  /** Switches to the search for texts. */
  readonly kinds: ReactNode
}

const TOKEN_STEP = 500
const FEWEST_TOKENS = 500
const FIRST_TOKENS = 4000

/**
 * Asks the memory a question. The answer comes from a model or consists of passages, under a grant that limits what is
 * read.
 */
export function AskView({ conversationId, kinds }: Props) {
  const field = useRef<HTMLTextAreaElement>(null)
  const { between, isWaiting } = useMarkedMessages(conversationId)
  const { asked, stored, answer, ask, stop } = useAsked(conversationId, between, isWaiting)
  const addressed = asked?.prompt ?? ''
  const [prompt, setPrompt] = useState(addressed)
  const [shownFor, setShownFor] = useState(addressed)
  if (shownFor !== addressed) {
    setShownFor(addressed)
    setPrompt(addressed)
  }
  const [cap, setCap] = useState(asked?.tokenCap ?? stored.cap)
  const [summarizer, setSummarizer] = useState(asked?.summarizer ?? stored.summarizer)
  const [isHere, setHere] = useState(asked === null || asked.conversationId !== undefined)
  const [isWithin, setWithin] = useState(asked?.summaryIds !== undefined)
  const chosen = useChosenSummary()
  const summary = asked?.summaryIds?.[0] ?? chosen
  useEffect(() => field.current?.focus(), [])

  const send = (event?: FormEvent) => {
    event?.preventDefault()
    if (prompt.trim() === '' || isWaiting) return
    ask({
      prompt: prompt.trim(),
      tokenCap: Math.min(MOST_AGENT_TOKENS, Math.max(FEWEST_TOKENS, cap)),
      summarizer,
      ...(isHere && conversationId !== null && { conversationId }),
      ...between,
      ...(isWithin && summary !== null && { summaryIds: [summary] }),
    })
  }
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }

  return (
    <>
      <form className={styles.form} onSubmit={send}>
        <div className={styles.line}>
          {kinds}
          <textarea
            ref={field}
            className={styles.prompt}
            rows={2}
            maxLength={10_000}
            value={prompt}
            placeholder="What do you want to know? Enter asks, Shift Enter begins a line."
            aria-label="Question to the memory"
            onChange={(event) => setPrompt(event.target.value)}
            onKeyDown={press}
          />
          {answer.isFetching ? (
            <Button onClick={stop}>Stop</Button>
          ) : (
            <Button look="primary" disabled={prompt.trim() === '' || isWaiting} onClick={() => send()}>
              Ask
            </Button>
          )}
        </div>
        <div className={styles.bounds}>
          <label
            className={classNames(number.field, styles.cap)}
            title="Of the memory, in all; the reader gets no more"
          >
            reads at most
            <input
              type="number"
              min={FEWEST_TOKENS}
              max={MOST_AGENT_TOKENS}
              step={TOKEN_STEP}
              value={cap}
              onChange={(event) => setCap(event.target.valueAsNumber || FIRST_TOKENS)}
            />
            tokens
          </label>
          {conversationId !== null && between === null && (
            <ToggleChip isOn={isHere} onToggle={() => setHere(!isHere)}>
              this conversation only
            </ToggleChip>
          )}
          {summary !== null && (
            <ToggleChip isOn={isWithin} title={`Only below ${summary}`} onToggle={() => setWithin(!isWithin)}>
              below <ChosenNode id={summary} />
            </ToggleChip>
          )}
          <SummarizerChoice label="Answered by" value={summarizer} onChange={setSummarizer} />
        </div>
      </form>
      <div className={styles.answer} aria-live="polite" aria-busy={answer.isFetching}>
        {answer.isFetching ? (
          <div className={styles.wait}>
            <ProgressBar label="Reading the memory" done={0} total={0} />
            <p>Reading what bears on the question…</p>
          </div>
        ) : answer.error ? (
          <ErrorState error={answer.error} onRetry={() => void answer.refetch()} />
        ) : answer.data ? (
          <AskAnswer result={answer.data} />
        ) : (
          <p className={styles.hint}>
            The question is searched for, what was found is unfolded down to the messages, and the passages that bear
            most on it are quoted. With a model of yours they are put into an answer that may cite only what was read.
          </p>
        )}
      </div>
    </>
  )
}

/** The question of the address, and its answer. A model is asked when the user asks, never because of an address. */
function useAsked(conversationId: number | null, between: MessageEnds | null, isWaiting: boolean) {
  const queries = useQueryClient()
  const query = useRoutePart('query')
  const shown = new URLSearchParams(useShownOf('find'))
  const [storedCap, storeCap] = useStored<number>('ask-tokens', FIRST_TOKENS)
  const [storedSummarizer, storeSummarizer] = useStored<string>('ask-summarizer', DETERMINISTIC)
  const [decided, setDecided] = useState<{ readonly about: string; readonly isAsked: boolean } | null>(null)

  const within = shown.get('find.within')
  const isHere = shown.get('find.where') === 'conversation' && conversationId !== null
  const asked: ExpandQueryRequest | null =
    query === null
      ? null
      : {
          prompt: query,
          tokenCap: Number(shown.get('find.tokens')) || FIRST_TOKENS,
          summarizer: shown.get('find.summarizer') ?? DETERMINISTIC,
          ...(isHere && { conversationId }),
          ...between,
          ...(within !== null && { summaryIds: [within] }),
        }
  const isDecided = decided !== null && decided.about === JSON.stringify(asked)
  const options = api.retrieval.expandQuery.queryOptions({
    input: asked ?? skipToken,
    // A question is answered once, so that a change of the file does not call a model again.
    staleTime: 'static',
    gcTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  const isAsked = isDecided ? decided.isAsked : asked?.summarizer === DETERMINISTIC
  const answer = useQuery({ ...options, enabled: asked !== null && isAsked && !isWaiting })

  const ask = (request: ExpandQueryRequest) => {
    const { prompt, tokenCap = FIRST_TOKENS, summarizer = DETERMINISTIC } = request
    // Asking the same question again fetches the answer again.
    if (JSON.stringify(request) === JSON.stringify(asked)) void answer.refetch()
    setDecided({ about: JSON.stringify(request), isAsked: true })
    storeCap(tokenCap)
    storeSummarizer(summarizer)
    const texts = {
      'find.tokens': tokenCap === FIRST_TOKENS ? null : String(tokenCap),
      'find.summarizer': summarizer === DETERMINISTIC ? null : summarizer,
      'find.where': request.conversationId === undefined ? null : 'conversation',
      'find.within': request.summaryIds?.[0] ?? null,
    }
    navigate({ query: prompt, shown: texts }, 'push')
  }
  const stop = () => {
    setDecided({ about: JSON.stringify(asked), isAsked: false })
    void queries.cancelQueries({ queryKey: options.queryKey })
  }
  return { asked, answer, ask, stop, stored: { cap: storedCap, summarizer: storedSummarizer } }
}
