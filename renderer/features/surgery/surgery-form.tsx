import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { api } from '../../api.ts'
import { conversationName } from '../../ui/conversation-order.ts'
import { plural } from '../../ui/format.ts'
import { SelectField } from '../../ui/select-field.tsx'
import { SummarizerChoice } from '../../ui/summarizer-choice.tsx'
import { DETERMINISTIC } from '../../ui/summarizers.ts'
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
  return <RewriteForm draft={draft} onChange={onChange} />
}

function RewriteForm({ draft, onChange }: Omit<Props, 'ask'>) {
  const target = useId()
  return (
    <div className={styles.form}>
      <SummarizerChoice value={draft.summarizer} onChange={(summarizer) => onChange({ ...draft, summarizer })} />
      <span className={styles.row}>
        <label htmlFor={target} className={styles.dim}>
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
          <p className={styles.dim}>The built-in extractor reads no prompt: choose a model to use one.</p>
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

function Target({ of, value, onChange }: TargetProps) {
  const conversations = useQuery(api.conversations.list.queryOptions())
  const others = (conversations.data ?? []).filter((row) => row.conversationId !== of)
  if (conversations.data !== undefined && others.length === 0)
    return <p className={styles.dim}>This memory holds no other conversation to copy it into.</p>
  return (
    <SelectField
      label="Into conversation"
      value={value === null ? '' : String(value)}
      options={[
        { value: '', label: 'choose one', disabled: true },
        ...others.map((row) => ({
          value: String(row.conversationId),
          label: `${conversationName(row).slice(0, 60)} · ${plural(row.messages, 'message')}`,
        })),
      ]}
      onChange={(chosen) => onChange(Number(chosen))}
    />
  )
}
