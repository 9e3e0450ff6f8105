import { useId, useState } from 'react'
import type { CompactionSettings } from '#core/contract/compaction.ts'
import slider from '#renderer/ui/styles/slider.module.css'
import { formatCount, formatTokens, plural } from '#renderer/ui/texts/format.ts'
import {
  budgetToSlider,
  formatThreshold,
  movedOnSlider,
  parseCount,
  parseThreshold,
  parseTokens,
  sliderToBudget,
  sliderToTail,
  tailToSlider,
  type WhatIf,
} from './what-if.ts'
import styles from './what-if-panel.module.css'

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
        label="Compact at"
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
        label="Newest"
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

type SliderFieldProps = {
  readonly label: string
  readonly hint: string
  /** Null while it is not known. */
  readonly value: number | null
  readonly unit?: string
  /** The width of the field in CSS pixels. */
  readonly width: number
  /** Writes the value. By default thousands are separated. */
  readonly format?: (value: number) => string
  /** Parses what was typed. Null refuses it. */
  readonly parse: (text: string) => number | null
  /** Maps a value to the slider, from 0 to 1000, and back. */
  readonly toSlider: (value: number) => number
  readonly fromSlider: (position: number) => number
  /** Describes the value for a screen reader. */
  readonly say: (value: number) => string
  readonly onChange: (value: number) => void
}

/** A number that can be typed or slid to. */
function SliderField(props: SliderFieldProps) {
  const { label, hint, value, unit, width, format, parse, toSlider, fromSlider, say, onChange } = props
  const position = value === null ? 0 : toSlider(value)
  return (
    <div className={styles.field}>
      <div className={styles.line}>
        <CountField
          label={label}
          hint={hint}
          value={value}
          width={width}
          parse={parse}
          onChange={onChange}
          {...(format && { format })}
        />
        {unit !== undefined && <span className={styles.unit}>{unit}</span>}
      </div>
      <input
        type="range"
        className={slider.slider}
        style={{ '--share': `${position / 10}%` } as React.CSSProperties}
        min={0}
        max={1000}
        value={position}
        aria-label={`${label}, slider`}
        aria-valuetext={value === null ? undefined : say(value)}
        onChange={(event) => {
          const next = event.target.valueAsNumber
          onChange(value === null ? fromSlider(next) : movedOnSlider({ position, value }, next, fromSlider))
        }}
      />
    </div>
  )
}

type CountFieldProps = Pick<SliderFieldProps, 'label' | 'hint' | 'value' | 'width' | 'format' | 'parse' | 'onChange'>

/**
 * A number that can be typed. A text that does not parse is marked and changes nothing; leaving the field restores the
 * value.
 */
function CountField({ label, hint, value, width, format = formatCount, parse, onChange }: CountFieldProps) {
  const id = useId()
  const [draft, setDraft] = useState<string | null>(null)
  const type = (text: string) => {
    setDraft(text)
    const count = parse(text)
    if (count !== null) onChange(count)
  }
  return (
    <span className={styles.count}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        style={{ width }}
        title={hint}
        inputMode="numeric"
        autoComplete="off"
        value={draft ?? (value === null ? '' : format(value))}
        aria-invalid={draft !== null && parse(draft) === null}
        onChange={(event) => type(event.target.value)}
        onBlur={() => setDraft(null)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' || event.key === 'Escape') event.currentTarget.blur()
        }}
      />
    </span>
  )
}
