import type { ReactNode } from 'react'
import { useTime } from '../features/context/use-time.ts'
import { ProbeView } from '../features/probe/probe-view.tsx'
import { SearchView } from '../features/search/search-view.tsx'
import { StrataLane } from '../features/strata/strata-lane.tsx'
import { FollowedTrace } from '../features/trace/followed-trace.tsx'
import { TraceView } from '../features/trace/trace-view.tsx'
import { navigate, useRoute } from '../routes.ts'
import { momentBeforeLastRun, useMomentChoice } from './moment-choice.tsx'

/** The search, with the trace of what was said, and the probe. */
export function FindWithTrace({ conversationId }: { readonly conversationId: number }) {
  return (
    <SearchView
      conversationId={conversationId}
      renderTrace={(kinds) => <TraceView kinds={kinds} />}
      renderProbe={(kinds) => <ProbeWithTrace conversationId={conversationId} kinds={kinds} />}
    />
  )
}

type Props = { readonly conversationId: number; readonly kinds: ReactNode }

/** The probe with what it takes from other views: the moments, the strata and the trace of a question. */
function ProbeWithTrace({ conversationId, kinds }: Props) {
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
