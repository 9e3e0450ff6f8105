import { CountField } from './count-field.tsx'
import styles from './slider-field.module.css'
import { movedOnSlider } from './what-if.ts'

type Props = {
  readonly label: string
  readonly hint: string
  /** Null while it is not known. */
  readonly value: number | null
  readonly unit?: string
  /** The width of the field in CSS pixels. */
  readonly width: number
  readonly format?: (value: number) => string
  readonly parse: (text: string) => number | null
  /** Maps a value to the slider, from 0 to 1000, and back. */
  readonly toSlider: (value: number) => number
  readonly fromSlider: (position: number) => number
  /** Describes the value for a screen reader. */
  readonly say: (value: number) => string
  readonly onChange: (value: number) => void
}

/** A number that can be typed or slid to. */
export function SliderField(props: Props) {
  const { label, hint, value, unit, width, format, parse, toSlider, fromSlider, say, onChange } = props
  const position = value === null ? 0 : toSlider(value)
  return (
    <div className={styles.field}>
      <div className={styles.line}>
        <CountField
          label={label}
          hint={hint}
          value={value}
          width={width}
          parse={parse}
          onChange={onChange}
          {...(format && { format })}
        />
        {unit !== undefined && <span className={styles.unit}>{unit}</span>}
      </div>
      <input
        type="range"
        className={styles.slider}
        style={{ '--share': `${position / 10}%` } as React.CSSProperties}
        min={0}
        max={1000}
        value={position}
        aria-label={`${label}, slider`}
        aria-valuetext={value === null ? undefined : say(value)}
        onChange={(event) => {
          const next = event.target.valueAsNumber
          onChange(value === null ? fromSlider(next) : movedOnSlider({ position, value }, next, fromSlider))
        }}
      />
    </div>
  )
}
