import type { KeyboardEvent, PointerEvent } from 'react'
import { classNames } from './class-names.ts'
import styles from './splitter.module.css'

type Props = {
  /** The resized element, for a screen reader: `detail panel`. */
  readonly label: string
  /** `vertical` is a vertical line between left and right. */
  readonly orientation: 'vertical' | 'horizontal'
  /** The size in pixels of the pane that keeps its size when the window grows. */
  readonly size: number
  readonly min: number
  readonly max: number
  /** The side of the line with that pane. */
  readonly pane: 'before' | 'after'
  readonly onResize: (size: number) => void
}

const KEY_STEP = 16

/**
 * The line between two panes. It can be dragged or moved with the arrow keys, and a double click moves it to the middle
 * of its range.
 */
export function Splitter({ label, orientation, size, min, max, pane, onResize }: Props) {
  const sign = pane === 'before' ? 1 : -1
  const resize = (next: number) => onResize(Math.round(Math.min(max, Math.max(min, next))))

  const drag = (event: PointerEvent<HTMLElement>) => {
    const line = event.currentTarget
    const position = (at: { clientX: number; clientY: number }) =>
      orientation === 'vertical' ? at.clientX : at.clientY
    const start = position(event)
    line.setPointerCapture(event.pointerId)
    const move = (at: globalThis.PointerEvent) => resize(size + sign * (position(at) - start))
    line.addEventListener('pointermove', move)
    line.addEventListener('lostpointercapture', () => line.removeEventListener('pointermove', move), { once: true })
    event.preventDefault()
  }

  const step = (event: KeyboardEvent) => {
    const forwards = orientation === 'vertical' ? 'ArrowRight' : 'ArrowDown'
    const backwards = orientation === 'vertical' ? 'ArrowLeft' : 'ArrowUp'
    if (event.key !== forwards && event.key !== backwards) return
    event.preventDefault()
    resize(size + sign * (event.key === forwards ? KEY_STEP : -KEY_STEP))
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved
    <div
      className={classNames(styles.splitter, styles[orientation])}
      role="separator"
      tabIndex={0}
      aria-label={`Resize ${label}`}
      aria-orientation={orientation}
      aria-valuenow={size}
      aria-valuemin={min}
      aria-valuemax={max}
      onPointerDown={drag}
      onKeyDown={step}
      onDoubleClick={() => resize((min + max) / 2)}
    />
  )
}
