import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { type ExpandQueryRequest, MOST_AGENT_TOKENS } from '../../../core/contract/expand-query.ts'
import { api } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { shortenId } from '../../ui/format.ts'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { SummarizerChoice } from '../../ui/summarizer-choice.tsx'
import { DETERMINISTIC } from '../../ui/summarizers.ts'
import { useStored } from '../../ui/use-stored.ts'
import { AskAnswer } from './ask-answer.tsx'
import styles from './ask-view.module.css'
import { ToggleChip } from './toggle-chip.tsx'
import { useChosenSummary } from './use-chosen-summary.ts'

type Props = {
  readonly conversationId: number | null
  /** Switches to the search for texts. */
  readonly kinds: ReactNode
}

/**
 * The key of the query cache under which the last question outlives the view, so that a user who comes back from a
 * source finds the answer.
 */
const KEPT = ['search', 'asked']
const TOKEN_STEP = 500
const FEWEST_TOKENS = 500
const FIRST_TOKENS = 4000

/**
 * Asks the memory a question. The answer comes from a model or consists of passages, under a grant that limits what is
 * read.
 */
export function AskView({ conversationId, kinds }: Props) {
  const field = useRef<HTMLTextAreaElement>(null)
  const queries = useQueryClient()
  const [prompt, setPrompt] = useState(() => queries.getQueryData<ExpandQueryRequest>(KEPT)?.prompt ?? '')
  const [cap, setCap] = useStored<number>('ask-tokens', FIRST_TOKENS)
  const [summarizer, setSummarizer] = useStored<string>('ask-summarizer', DETERMINISTIC)
  const [isHere, setHere] = useState(false)
  const [isWithin, setWithin] = useState(false)
  const [asked, setAsked] = useState(() => queries.getQueryData<ExpandQueryRequest>(KEPT) ?? null)
  const summary = useChosenSummary()
  const answer = useQuery(
    api.retrieval.expandQuery.queryOptions({
      input: asked ?? skipToken,
      // A question is answered once, so that a change of the file does not call a model again.
      staleTime: 'static',
      gcTime: Number.POSITIVE_INFINITY,
      retry: false,
    }),
  )
  useEffect(() => field.current?.focus(), [])

  const ask = (event?: FormEvent) => {
    event?.preventDefault()
    if (prompt.trim() === '') return
    const request = {
      prompt: prompt.trim(),
      tokenCap: Math.min(MOST_AGENT_TOKENS, Math.max(FEWEST_TOKENS, cap)),
      summarizer,
      ...(isHere && conversationId !== null && { conversationId }),
      ...(isWithin && summary !== null && { summaryIds: [summary] }),
    }
    // Asking the same question again fetches the answer again.
    if (JSON.stringify(request) === JSON.stringify(asked)) void answer.refetch()
    else setAsked(request)
    queries.setQueryData(KEPT, request)
  }
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    ask()
  }

  return (
    <>
      <form className={styles.form} onSubmit={ask}>
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
            <Button onClick={() => setAsked(null)}>Stop</Button>
          ) : (
            <Button look="primary" disabled={prompt.trim() === ''} onClick={() => ask()}>
              Ask
            </Button>
          )}
        </div>
        <div className={styles.bounds}>
          <label className={styles.cap} title="Of the memory, in all; the reader gets no more">
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
          {conversationId !== null && (
            <ToggleChip isOn={isHere} onToggle={() => setHere(!isHere)}>
              this conversation only
            </ToggleChip>
          )}
          {summary !== null && (
            <ToggleChip isOn={isWithin} title={`Only below ${summary}`} onToggle={() => setWithin(!isWithin)}>
              below <code>{shortenId(summary, 13)}</code>
            </ToggleChip>
          )}
          <SummarizerChoice value={summarizer} onChange={setSummarizer} />
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
            most on it are quoted with their ids. With a model of yours they are put into an answer that may cite only
            what was read.
          </p>
        )}
      </div>
    </>
  )
}
