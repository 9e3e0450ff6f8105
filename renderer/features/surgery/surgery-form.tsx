import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { api } from '#renderer/api.ts'
import { SelectField } from '#renderer/ui/controls/select-field.tsx'
import { DETERMINISTIC } from '#renderer/ui/data/summarizers.ts'
import { listQuestion, useConversation, useConversations } from '#renderer/ui/data/use-conversations.ts'
import { useDebounced } from '#renderer/ui/data/use-debounced.ts'
import { SummarizerChoice } from '#renderer/ui/parts/summarizer-choice.tsx'
import { ErrorLine } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { conversationName, formatCount, plural } from '#renderer/ui/texts/format.ts'
import type { NodeAsk } from './surgery-ask.ts'
import styles from './surgery-dialog.module.css'
import type { SurgeryDraft } from './surgery-draft.ts'

type Props = {
  readonly ask: NodeAsk
  readonly draft: SurgeryDraft
  readonly onChange: (draft: SurgeryDraft) => void
}

/** The settings of an operation. */
export function SurgeryForm({ ask, draft, onChange }: Props) {
  if (ask.kind === 'dissolve') return null
  if (ask.kind === 'transplant')
    return (
      <Target
        of={ask.conversationId}
        value={draft.toConversationId}
        onChange={(id) => onChange({ ...draft, toConversationId: id })}
      />
    )
  if (draft.subtree) return <RewriteForm draft={draft} onChange={onChange} />
  return (
    <div className={styles.form}>
      <SelectField
        label="Written by"
        value={draft.byHand ? 'hand' : 'summariser'}
        options={[
          { value: 'summariser', label: 'a summariser' },
          { value: 'hand', label: 'hand' },
        ]}
        onChange={(by) => onChange({ ...draft, byHand: by === 'hand' })}
      />
      {draft.byHand ? (
        <TextByHand id={ask.id} draft={draft} onChange={onChange} />
      ) : (
        <RewriteForm draft={draft} onChange={onChange} />
      )}
    </div>
  )
}

/** Longer texts are not edited here, because what a field does not hold would be lost. */
const EDITED_CHARS = 200_000

function TextByHand({ id, draft, onChange }: Omit<Props, 'ask'> & { readonly id: string }) {
  const { data, error, refetch } = useQuery(
    api.retrieval.describe.queryOptions({ input: { id, contentChars: EDITED_CHARS } }),
  )
  if (error) return <ErrorLine error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading what="the text" lines={3} />
  if (data.isCut)
    return <p className="dim">This text is too long to edit here: "lcm rewrite" with --text takes it from a file.</p>
  return (
    <div className={styles.prompt}>
      <textarea
        aria-label="The new text"
        rows={12}
        value={draft.text ?? data.content}
        onChange={(event) => onChange({ ...draft, text: event.target.value })}
      />
      <p className="dim">It has to be smaller than its sources. Summaries above it stay as they are.</p>
    </div>
  )
}

function RewriteForm({ draft, onChange }: Omit<Props, 'ask'>) {
  const target = useId()
  return (
    <div className={styles.form}>
      <SummarizerChoice value={draft.summarizer} onChange={(summarizer) => onChange({ ...draft, summarizer })} />
      <span className={styles.row}>
        <label htmlFor={target} className="dim">
          Tokens to aim at
        </label>
        <input
          id={target}
          className={styles.number}
          inputMode="numeric"
          placeholder="as configured"
          value={draft.targetTokens}
          onChange={(event) => onChange({ ...draft, targetTokens: event.target.value })}
        />
      </span>
      <details className={styles.prompt}>
        <summary>Another prompt than the configured one</summary>
        <textarea
          aria-label="Prompt template in place of the configured one"
          placeholder="Empty: the configured prompt"
          spellCheck={false}
          disabled={draft.summarizer === DETERMINISTIC}
          value={draft.prompt}
          onChange={(event) => onChange({ ...draft, prompt: event.target.value })}
        />
        {draft.summarizer === DETERMINISTIC && (
          <p className="dim">The built-in extractor reads no prompt: choose a model to use one.</p>
        )}
      </details>
    </div>
  )
}

type TargetProps = {
  /** The conversation of the summary, which is not offered. */
  readonly of: number
  readonly value: number | null
  readonly onChange: (id: number | null) => void
}

/** A filter is offered for more conversations than these. */
const OFFERED = 60
const TYPING_MS = 100

function Target({ of, value, onChange }: TargetProps) {
  const [filter, setFilter] = useState('')
  const words = useDebounced(filter, TYPING_MS)
  const { rows, counts, error, retry } = useConversations({ ...listQuestion(words, 'change', false), limit: OFFERED })
  const { data: chosen } = useConversation(value)
  if (error) return <ErrorLine error={error} onRetry={retry} />
  if (rows === null || counts === undefined) return <Loading what="the conversations" lines={1} />
  const listed = rows.filter((row) => row.conversationId !== of)
  const isChosenListed = listed.some((row) => row.conversationId === value)
  const others = chosen && !isChosenListed ? [chosen, ...listed] : listed
  if (counts.total < 2) return <p className="dim">This memory holds no other conversation to copy it into.</p>
  return (
    <div className={styles.form}>
      {counts.total > OFFERED && (
        <input
          className={styles.filter}
          type="text"
          placeholder={`Filter ${formatCount(counts.total)} conversations`}
          aria-label="Filter the conversations to choose from"
          spellCheck={false}
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
      )}
      <SelectField
        label="Into conversation"
        value={value === null ? '' : String(value)}
        options={[
          { value: '', label: others.length === 0 ? 'none has these words' : 'choose one', disabled: true },
          ...others.map((row) => ({
            value: String(row.conversationId),
            label: `${conversationName(row).slice(0, 60)} · ${plural(row.messages, 'message')}`,
          })),
        ]}
        onChange={(id) => onChange(Number(id))}
      />
    </div>
  )
}
