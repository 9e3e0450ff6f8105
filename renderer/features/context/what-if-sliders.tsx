import type { CompactionSettings } from '../../../core/contract/compaction.ts'
import { formatTokens, plural } from '../../ui/format.ts'
import { SliderField } from './slider-field.tsx'
import {
  budgetToSlider,
  formatThreshold,
  parseCount,
  parseThreshold,
  parseTokens,
  sliderToBudget,
  sliderToTail,
  tailToSlider,
  type WhatIf,
} from './what-if.ts'
import styles from './what-if-sliders.module.css'

type Props = {
  readonly whatIf: WhatIf
  /** Null while the configured values are being fetched. */
  readonly effective: CompactionSettings | null
  readonly onChange: (whatIf: WhatIf) => void
}

/** The three settings that decide what stays in the window. */
export function WhatIfSliders({ whatIf, effective, onChange }: Props) {
  return (
    <div className={styles.sliders}>
      <SliderField
        label="Budget"
        hint="Tokens that fit, such as 200,000 or 128k"
        value={effective?.budgetTokens ?? null}
        unit="tokens"
        width={76}
        parse={parseTokens}
        toSlider={budgetToSlider}
        fromSlider={sliderToBudget}
        say={formatTokens}
        onChange={(budgetTokens) => onChange({ ...whatIf, budgetTokens })}
      />
      <SliderField
        label="Soft threshold"
        hint="Share of the budget from which to compact, such as 0.75 or 75 %"
        value={effective?.softThreshold ?? null}
        unit="of it"
        width={52}
        format={formatThreshold}
        parse={parseThreshold}
        toSlider={(share) => Math.round(share * 1000)}
        fromSlider={(position) => Math.max(1, Math.round(position / 10)) / 100}
        say={(share) => `${formatThreshold(share)} of the budget`}
        onChange={(softThreshold) => onChange({ ...whatIf, softThreshold })}
      />
      <SliderField
        label="Fresh tail"
        hint="Newest messages that always stay in"
        value={effective?.freshTailCount ?? null}
        unit="messages"
        width={52}
        parse={parseCount}
        toSlider={tailToSlider}
        fromSlider={sliderToTail}
        say={(count) => plural(count, 'message')}
        onChange={(freshTailCount) => onChange({ ...whatIf, freshTailCount })}
      />
    </div>
  )
}
