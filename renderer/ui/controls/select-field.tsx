import { useId } from 'react'
import styles from './select-field.module.css'

type SelectOption = { readonly value: string; readonly label: string; readonly disabled?: boolean }

type Props = {
  readonly label: string
  readonly options: readonly SelectOption[]
  readonly value: string
  readonly onChange: (value: string) => void
  readonly title?: string
  readonly disabled?: boolean
}

/** Chooses one of many options, in the list of the desktop. */
export function SelectField({ label, options, value, onChange, title, disabled }: Props) {
  const id = useId()
  return (
    <span className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        value={value}
        title={title}
        disabled={disabled}
        onChange={(event) => onChange(event.target.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value} disabled={option.disabled}>
            {option.label}
          </option>
        ))}
      </select>
    </span>
  )
}
