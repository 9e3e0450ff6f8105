import styles from './moment-field.module.css'
import { momentText } from './moment-text.ts'
import { normalised, type TimePoint } from './moments.ts'
import { TimeSlider } from './time-slider.tsx'
import type { Time } from './use-time.ts'

type Props = {
  readonly label: string
  readonly time: Time
  readonly point: TimePoint
  readonly onChange: (point: TimePoint) => void
}

/** Chooses a moment in a line of a form: the slider of the window's past, and the moment in words. */
export function MomentField({ label, time, point, onChange }: Props) {
  const here = normalised(point, time.course)
  const text = momentText(here, time.timeline, time.course, time.runSteps)
  return (
    <span className={styles.field}>
      <span className={styles.label}>{label}</span>
      <TimeSlider label={label} time={time} point={here} onChange={onChange} />
      <span className={styles.text} title={text}>
        {text}
      </span>
    </span>
  )
}
