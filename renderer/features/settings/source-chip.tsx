import type { EffectiveSetting } from '../../../core/contract/settings.ts'
import { Chip } from '../../ui/chip.tsx'
import { SOURCE_TEXTS } from './setting-groups.ts'

const TONES = { environment: 'lit', file: 'd1', default: 'neutral' } as const

/** Shows the source of a value. */
export function SourceChip({ source }: { readonly source: EffectiveSetting['source'] }) {
  return (
    <Chip tone={TONES[source]} title={SOURCE_TEXTS[source]}>
      {source}
    </Chip>
  )
}
