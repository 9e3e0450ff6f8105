import type { MemoryInfo } from '#core/contract/memory.ts'
import { StartView } from '../features/start/start-view.tsx'
import { StrataSketch } from '../features/strata/strata-sketch.tsx'
import { TourOffer } from '../features/tour/tour-offer.tsx'

type Props = { readonly conversationId: number; readonly info: MemoryInfo }

/** The questions of a conversation, with its strata in small, and on the sample the offer of its tour. */
export function StartWithLayers({ conversationId, info }: Props) {
  return (
    <StartView
      conversationId={conversationId}
      info={info}
      offer={<TourOffer conversationId={conversationId} path={info.path} />}
      renderLayers={() => <StrataSketch conversationId={conversationId} />}
    />
  )
}
