import { type ReactNode, useId } from 'react'
import styles from '../styles/form.module.css'

/** What is wrong with the fields of a form, by their names. */
export type Problems<Field extends string> = Readonly<Partial<Record<Field, string>>>

type Props = {
  readonly label: string
  /** What the field is for. */
  readonly hint: ReactNode
  /** Says what is wrong with the value, in place of the hint. */
  readonly problem?: string | undefined
  readonly value: string
  readonly onChange: (text: string) => void
  /** Makes it a narrow field for a number of this unit. */
  readonly unit?: string | undefined
  /** Makes it a field for a text of several lines, of which so many are shown. */
  readonly lines?: number
  readonly placeholder?: string
  /** What is typed is not shown. */
  readonly isSecret?: boolean
  /** A button behind the field. */
  readonly action?: ReactNode
}

/** A field of a form with its label, and with its purpose or its problem below. */
export function FormField({
  label,
  hint,
  problem,
  value,
  onChange,
  unit,
  lines,
  placeholder,
  isSecret,
  action,
}: Props) {
  const id = useId()
  const common = {
    id,
    value,
    placeholder,
    spellCheck: false,
    'aria-invalid': problem !== undefined,
    'aria-describedby': `${id}-hint`,
  }
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <span className={styles.entry}>
        {lines === undefined ? (
          <input
            {...common}
            type={isSecret ? 'password' : 'text'}
            autoComplete="off"
            data-number={unit === undefined ? undefined : ''}
            onChange={(event) => onChange(event.target.value)}
          />
        ) : (
          <textarea {...common} rows={lines} onChange={(event) => onChange(event.target.value)} />
        )}
        {unit}
        {action}
      </span>
      <p id={`${id}-hint`} className={problem === undefined ? styles.hint : styles.problem}>
        {problem ?? hint}
      </p>
    </div>
  )
}
