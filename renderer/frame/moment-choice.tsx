import { addressedPoint, beforeEvent, lastRun, NOW, pointAddress } from '../features/context/moments.ts'
import { MomentField } from '../features/context/time-slider.tsx'
import { type Time, useMoment } from '../features/context/use-time.ts'
import type { MomentChoice } from '../ui/data/window-choice.ts'

/** A moment of the address, with the slider that changes it. */
export function useMomentChoice(
  conversationId: number,
  time: Time | null,
  text: string | null,
  onChange: (text: string | null) => void,
): MomentChoice {
  const point = time === null ? NOW : addressedPoint(text, time.timeline, time.course)
  const moment = useMoment(conversationId, point, time)
  return {
    moment: time === null && text !== null ? null : moment,
    slider: (label) =>
      time !== null && (
        <MomentField
          label={label}
          time={time}
          point={point}
          onChange={(next) => onChange(pointAddress(next, time.timeline))}
        />
      ),
  }
}

/** The moment before the last compaction, as the address says it, or null without one. */
export function momentBeforeLastRun({ timeline, course }: Time): string | null {
  const { from } = lastRun(timeline.events, course)
  return pointAddress(from, timeline) ?? pointAddress(beforeEvent(0, course), timeline)
}
