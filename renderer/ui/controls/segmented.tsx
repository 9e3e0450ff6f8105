import { useId } from 'react'
import radio from '../styles/radio-option.module.css'
import { classNames } from './class-names.ts'
import styles from './segmented.module.css'

type SegmentedOption<T extends string> = {
  readonly value: T
  readonly label: string
  /** A hint for hovering. */
  readonly hint?: string
  readonly disabled?: boolean
}

type Props<T extends string> = {
  /** The subject of the choice, for a screen reader. */
  readonly label: string
  readonly options: readonly SegmentedOption<T>[]
  readonly value: T
  readonly onChange: (value: T) => void
}

/** Chooses one of a few visible options. Arrow keys move, as in any group of radio buttons. */
export function Segmented<T extends string>({ label, options, value, onChange }: Props<T>) {
  const name = useId()
  return (
    <div className={styles.group} role="radiogroup" aria-label={label}>
      {options.map((option) => (
        <label
          key={option.value}
          className={classNames(
            radio.option,
            styles.option,
            option.value === value && classNames(radio.chosen, styles.chosen),
          )}
          title={option.hint}
        >
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            disabled={option.disabled}
            onChange={() => onChange(option.value)}
          />
          {option.label}
        </label>
      ))}
    </div>
  )
}
