import { useId } from 'react'
import styles from './provider-dialog.module.css'

type Props = {
  readonly label: string
  readonly hint: string
  readonly unit: string | undefined
  readonly problem: string | undefined
  readonly value: string
  readonly isNumber: boolean
  readonly onChange: (text: string) => void
}

/** A line of the form, with what it is for or what is wrong with it. */
export function ProviderField({ label, hint, unit, problem, value, isNumber, onChange }: Props) {
  const id = useId()
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <span className={styles.entry}>
        <input
          id={id}
          type="text"
          data-number={isNumber ? '' : undefined}
          spellCheck={false}
          autoComplete="off"
          aria-invalid={problem !== undefined}
          aria-describedby={`${id}-hint`}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
        {unit}
      </span>
      <p id={`${id}-hint`} className={problem === undefined ? styles.hint : styles.problem}>
        {problem ?? hint}
      </p>
    </div>
  )
}
