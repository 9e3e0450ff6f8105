import { useId } from 'react'
import type { Preset, PresetName } from '../../../core/contract/settings.ts'
import { classNames } from '../../ui/class-names.ts'
import radio from '../../ui/radio-option.module.css'
import styles from './preset-choice.module.css'
import { PRESET_ORDER } from './what-if.ts'

type Props = {
  readonly presets: readonly Preset[]
  readonly value: PresetName | null
  readonly onChange: (preset: Preset | null) => void
}

const SHORT: Readonly<Record<PresetName, string>> = {
  spec: 'spec',
  'lossless-claw': 'lossless-claw',
  argentos: 'ArgentOS',
  'pi-lcm': 'pi-lcm',
  'hermes-lcm': 'hermes-lcm',
}

/** Chooses the system whose defaults are tried out. */
export function PresetChoice({ presets, value, onChange }: Props) {
  const name = useId()
  const chosen = presets.find((preset) => preset.name === value)
  const options = [null, ...PRESET_ORDER.flatMap((known) => presets.filter((preset) => preset.name === known))]
  return (
    <div>
      <div className={styles.group} role="radiogroup" aria-label="Preset">
        {options.map((preset) => {
          const isChosen = (preset?.name ?? null) === value
          return (
            <label
              key={preset?.name ?? ''}
              className={classNames(radio.option, styles.option, isChosen && classNames(radio.chosen, styles.chosen))}
              title={preset === null ? 'The settings of this memory' : `What ${preset.label} does by default`}
            >
              <input type="radio" name={name} checked={isChosen} onChange={() => onChange(preset)} />
              {preset === null ? 'as configured' : SHORT[preset.name]}
            </label>
          )
        })}
      </div>
      {chosen?.note && (
        <details className={styles.note}>
          <summary>What {SHORT[chosen.name]} does differently</summary>
          <p>{chosen.note}</p>
        </details>
      )}
    </div>
  )
}
