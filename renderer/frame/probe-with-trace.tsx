import type { ReactNode } from 'react'
import { addressedPoint, pointAddress } from '../features/context/addressed-moment.ts'
import { MomentField } from '../features/context/moment-field.tsx'
import { beforeEvent, lastRun, NOW } from '../features/context/moments.ts'
import { type Time, useMoment, useTime } from '../features/context/use-time.ts'
import type { MomentChoice } from '../features/probe/probe-form.tsx'
import { ProbeView } from '../features/probe/probe-view.tsx'
import { StrataLane } from '../features/strata/strata-lane.tsx'
import { FollowedTrace } from '../features/trace/followed-trace.tsx'
import { navigate, useRoute } from '../routes.ts'

type Props = { readonly conversationId: number; readonly kinds: ReactNode }

/** The probe with what it takes from other views: the moments, the strata and the trace of a question. */
export function ProbeWithTrace({ conversationId, kinds }: Props) {
  const { probe } = useRoute()
  const { time } = useTime(conversationId)
  const at = useMomentChoice(conversationId, time, probe.at, (text) =>
    navigate({ probe: { ...probe, at: text } }, 'replace'),
  )
  const compared = useMomentChoice(conversationId, time, probe.compare, (text) =>
    navigate({ probe: { ...probe, compare: text ?? 'now' } }, 'replace'),
  )
  return (
    <ProbeView
      {...{ conversationId, kinds, at, compared }}
      firstMoment={time === null ? null : momentBeforeLastRun(time)}
      renderTrace={(traced) => <FollowedTrace asked={traced} />}
      renderStrata={(marks, selected, onSelect) => (
        <StrataLane
          conversationId={conversationId}
          label={`${marks.length} answers by their messages`}
          marks={marks.map(({ number, position, state }) => ({ key: number, position, tone: state }))}
          selected={selected}
          onSelect={onSelect}
        />
      )}
    />
  )
}

function useMomentChoice(
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

function momentBeforeLastRun({ timeline, course }: Time): string | null {
  const { from } = lastRun(timeline.events, course)
  return pointAddress(from, timeline) ?? pointAddress(beforeEvent(0, course), timeline)
}
