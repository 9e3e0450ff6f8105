import type { SideAddress } from '../compare-address.ts'
import { CompareView } from '../features/compare/compare-view.tsx'
import { useTime } from '../features/context/use-time.ts'
import { navigate, useRoute } from '../routes.ts'
import type { Browse } from '../ui/data/browse.ts'
import { momentBeforeLastRun, useMomentChoice } from './moment-choice.tsx'

type Props = {
  readonly conversationId: number
  readonly browse: Browse
}

/** The comparison, with the moments that each side can choose. */
export function CompareWithMoments({ conversationId, browse }: Props) {
  const { compare } = useRoute()
  const { time } = useTime(conversationId)
  const a = useSideMoment(conversationId, 'a', compare.a)
  const b = useSideMoment(conversationId, 'b', compare.b)
  const firstMoment = time === null ? null : momentBeforeLastRun(time)
  const hasRuns = time === null ? null : time.timeline.events.length > 0
  return <CompareView {...{ conversationId, browse, a, b, firstMoment, hasRuns }} />
}

function useSideMoment(conversationId: number, name: 'a' | 'b', side: SideAddress) {
  const { compare } = useRoute()
  const own = side.file === null ? (side.conversation ?? conversationId) : conversationId
  const { time } = useTime(own)
  return useMomentChoice(own, time, side.window, (text) =>
    navigate({ compare: { ...compare, [name]: { ...side, window: text }, difference: null } }, 'replace'),
  )
}
