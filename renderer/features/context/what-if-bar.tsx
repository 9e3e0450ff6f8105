import type { AssembledContext } from '../../../core/contract/context.ts'
import { Button } from '../../ui/button.tsx'
import { formatCount, formatTokens } from '../../ui/format.ts'
import { Segmented } from '../../ui/segmented.tsx'
import { CountField } from './count-field.tsx'
import {
  AS_CONFIGURED,
  budgetToSlider,
  isAsConfigured,
  parseCount,
  parseTokens,
  sliderToBudget,
  type WhatIf,
} from './what-if.ts'
import styles from './what-if-bar.module.css'

type Props = {
  readonly whatIf: WhatIf
  readonly onChange: (whatIf: WhatIf) => void
  /** The window as it is now, for what is not tried out. */
  readonly window: AssembledContext | undefined
  readonly form: 'list' | 'payload'
  readonly onForm: (form: 'list' | 'payload') => void
}

const FORMS = [
  { value: 'list', label: 'list', hint: 'The items in the order in which the model sees them' },
  { value: 'payload', label: 'payload', hint: 'The request as it is sent' },
] as const

/** Another budget, fresh tail or question, answered at once. Nothing of it is written anywhere. */
export function WhatIfBar({ whatIf, onChange, window, form, onForm }: Props) {
  const budget = whatIf.budgetTokens ?? window?.budget ?? null
  const freshTail = whatIf.freshTailCount ?? window?.freshTailCount ?? null
  return (
    <div className={styles.bar} role="toolbar" aria-label="What if">
      <CountField
        label="budget"
        hint="Tokens that fit, such as 200,000 or 128k"
        value={budget}
        width={74}
        parse={parseTokens}
        onChange={(budgetTokens) => onChange({ ...whatIf, budgetTokens })}
      />
      <input
        type="range"
        className={styles.slider}
        min={0}
        max={1000}
        value={budget === null ? 0 : budgetToSlider(budget)}
        aria-label="Token budget"
        aria-valuetext={budget === null ? undefined : formatTokens(budget)}
        title={budget === null ? undefined : `${formatCount(budget)} tokens`}
        onChange={(event) => onChange({ ...whatIf, budgetTokens: sliderToBudget(event.target.valueAsNumber) })}
      />
      <CountField
        label="fresh tail"
        hint="Newest messages that always stay in"
        value={freshTail}
        width={44}
        parse={parseCount}
        onChange={(freshTailCount) => onChange({ ...whatIf, freshTailCount })}
      />
      <input
        type="search"
        className={styles.query}
        value={whatIf.query}
        aria-label="Rank older items by relevance to"
        placeholder="Rank by relevance to…"
        spellCheck={false}
        onChange={(event) => onChange({ ...whatIf, query: event.target.value })}
      />
      {!isAsConfigured(whatIf) && (
        <Button look="quiet" onClick={() => onChange(AS_CONFIGURED)}>
          Reset
        </Button>
      )}
      <span className={styles.space} />
      <Segmented label="Shown as" options={FORMS} value={form} onChange={onForm} />
    </div>
  )
}
