import { useEffect, useRef, useState } from 'react'
import type { Matches } from '../../../core/contract/retrieval.ts'
import type { Found } from '../../ui/found-texts.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { useHighlight } from '../../ui/use-found-marks.ts'
import styles from './detail-text.module.css'
import { foundElsewhere, foundText } from './detail-wording.ts'

type Props = {
  /** The matches in the text that is shown. */
  readonly marks: readonly Range[]
  /** The matches in the whole text, or null when all of it is shown. */
  readonly ahead: Matches | null
  readonly field: Found['field']
  readonly isFile: boolean
}

const NONE: readonly Range[] = []

/** Says how many matches a text has, and goes from one to the next. The first one is brought into sight. */
export function FoundBar({ marks, ahead, field, isFile }: Props) {
  const [place, setPlace] = useState(0)
  const current = Math.min(place, Math.max(0, marks.length - 1))
  const mark = marks[current]
  useHighlight('found-current', marks.length > 1 && mark ? [mark] : NONE)

  // Ranges are made anew whenever the text is rendered again, which does not scroll.
  const latest = useRef(mark)
  useEffect(() => {
    latest.current = mark
  })
  const hasMarks = marks.length > 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows the place
  useEffect(() => {
    if (hasMarks && latest.current) bringIntoSight(latest.current)
  }, [hasMarks, current])

  const go = (steps: 1 | -1) => setPlace((current + steps + marks.length) % marks.length)
  return (
    <div className={styles.found}>
      <span role="status">
        {hasMarks ? foundText({ current, shown: marks.length, ahead }) : foundElsewhere(field, isFile)}
      </span>
      {marks.length > 1 && (
        <>
          <IconButton icon="arrowUp" label="Previous match" onClick={() => go(-1)} />
          <IconButton icon="arrowDown" label="Next match" onClick={() => go(1)} />
        </>
      )}
    </div>
  )
}

/** Scrolls what surrounds a range, and only as far as it is out of sight. */
function bringIntoSight(range: Range): void {
  const start = range.startContainer
  let box = start instanceof Element ? start : start.parentElement
  while (box && (box.scrollHeight <= box.clientHeight || getComputedStyle(box).overflowY === 'visible'))
    box = box.parentElement
  if (!box) return
  const place = range.getBoundingClientRect()
  const sight = box.getBoundingClientRect()
  if (place.top >= sight.top + BAR_PX && place.bottom <= sight.bottom) return
  box.scrollTop += place.top - sight.top - sight.height / 3
}

/** The height of the bar, which stays above the text. */
const BAR_PX = 34
