import styles from './filter-bar.module.css'

type Props = {
  readonly label: string
  /** `YYYY-MM-DD`, or empty. */
  readonly value: string
  readonly onChange: (day: string) => void
}

/** One end of a range of days. */
export function DayField({ label, value, onChange }: Props) {
  return (
    <label className={styles.day}>
      {label}
      <input type="date" value={value} data-empty={value === ''} onChange={(event) => onChange(event.target.value)} />
    </label>
  )
}
