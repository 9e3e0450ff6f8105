import { useState } from 'react'
import type { EffectiveSetting } from '#core/contract/settings.ts'
import { Chip } from '#renderer/ui/controls/chip.tsx'
import { choiceLabel, SOURCE_TEXTS } from './setting-groups.ts'
import styles from './settings-view.module.css'

type Props = {
  readonly label: string
  readonly value: string
  readonly placeholder?: string
  /** The allowed values, if the value is one of a list. */
  readonly choices?: readonly string[] | null
  readonly isInvalid: boolean
  /** The id of the text with the error or the accepted values. */
  readonly describedBy: string
  readonly onCommit: (text: string) => void
  /** Called when the user discards the typed text. */
  readonly onRevert: () => void
}

/**
 * A value that is taken over by Enter or by leaving the field; Esc puts it back. What was refused stays in the field to
 * be corrected. Give it its value as key, so that a new one takes the place of what was typed.
 */
export function ValueField(props: Props) {
  const { label, value, placeholder, choices, isInvalid, describedBy, onCommit, onRevert } = props
  const [draft, setDraft] = useState<string | null>(null)
  const common = { className: styles.field, 'aria-label': label, 'aria-describedby': describedBy }
  if (choices)
    return (
      <select {...common} value={value} onChange={(event) => onCommit(event.target.value)}>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choiceLabel(choice)}
          </option>
        ))}
      </select>
    )
  const commit = () => {
    if (draft !== null && draft.trim() !== value) onCommit(draft)
  }
  return (
    <input
      {...common}
      type="text"
      spellCheck={false}
      autoComplete="off"
      placeholder={placeholder}
      aria-invalid={isInvalid}
      value={draft ?? value}
      onChange={(event) => setDraft(event.target.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit()
        if (event.key !== 'Escape') return
        event.stopPropagation()
        setDraft(null)
        onRevert()
      }}
    />
  )
}

const TONES = { environment: 'lit', file: 'd1', default: 'neutral' } as const

/** Shows the source of a value. */
export function SourceChip({ source }: { readonly source: EffectiveSetting['source'] }) {
  return (
    <Chip tone={TONES[source]} title={SOURCE_TEXTS[source]}>
      {source}
    </Chip>
  )
}
