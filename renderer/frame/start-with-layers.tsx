import type { MemoryInfo } from '#core/contract/memory.ts'
import { StartView } from '../features/start/start-view.tsx'
import { StrataSketch } from '../features/strata/strata-sketch.tsx'

type Props = { readonly conversationId: number; readonly info: MemoryInfo }

/** The questions of a conversation, with its strata in small. */
export function StartWithLayers({ conversationId, info }: Props) {
  return (
    <StartView
      conversationId={conversationId}
      info={info}
      renderLayers={() => <StrataSketch conversationId={conversationId} />}
    />
  )
}
