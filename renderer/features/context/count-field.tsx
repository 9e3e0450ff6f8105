import { useId, useState } from 'react'
import { formatCount } from '../../ui/format.ts'
import styles from './count-field.module.css'

type Props = {
  readonly label: string
  readonly hint: string
  /** Null while it is not known. */
  readonly value: number | null
  /** The width of the field in CSS pixels. */
  readonly width: number
  /** Writes the value. By default thousands are separated. */
  readonly format?: (value: number) => string
  /** Parses what was typed. Null refuses it. */
  readonly parse: (text: string) => number | null
  readonly onChange: (value: number) => void
}

/**
 * A number that can be typed. A text that does not parse is marked and changes nothing; leaving the field restores the
 * value.
 */
export function CountField({ label, hint, value, width, format = formatCount, parse, onChange }: Props) {
  const id = useId()
  const [draft, setDraft] = useState<string | null>(null)
  const type = (text: string) => {
    setDraft(text)
    const count = parse(text)
    if (count !== null) onChange(count)
  }
  return (
    <span className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        style={{ width }}
        title={hint}
        inputMode="numeric"
        autoComplete="off"
        value={draft ?? (value === null ? '' : format(value))}
        aria-invalid={draft !== null && parse(draft) === null}
        onChange={(event) => type(event.target.value)}
        onBlur={() => setDraft(null)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' || event.key === 'Escape') event.currentTarget.blur()
        }}
      />
    </span>
  )
}
