import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useId, useMemo } from 'react'
import type { CompactionSettings } from '#core/contract/compaction.ts'
import type { Preset, PresetName } from '#core/contract/settings.ts'
import { api } from '#renderer/api.ts'
import { navigate } from '#renderer/routes.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { leaveCompactionDraft } from '#renderer/ui/data/compaction-draft.ts'
import { useCompactionPreview } from '#renderer/ui/data/use-compaction-preview.ts'
import { useDebounced } from '#renderer/ui/data/use-debounced.ts'
import { MakeWorkingCopy } from '#renderer/ui/parts/working-copy-dialog.tsx'
import { ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { Notice } from '#renderer/ui/states/notice.tsx'
import radio from '#renderer/ui/styles/radio-option.module.css'
import type { Tried } from './use-addressed.ts'
import { AS_CONFIGURED, isAsConfigured, PRESET_ORDER, type WhatIf, withPreset } from './what-if.ts'
import { WhatIfAnswer } from './what-if-answer.tsx'
import styles from './what-if-panel.module.css'
import { WhatIfSliders } from './what-if-sliders.tsx'

type Props = {
  readonly conversationId: number
  readonly whatIf: WhatIf
  readonly tried: Tried
  readonly onChange: (whatIf: WhatIf) => void
  /** True for a window of the past, for which nothing can be tried out. */
  readonly isPast: boolean
}

/** Short enough to be an answer at once. */
const SETTLE_MS = 60

/** Tries out another budget, threshold, tail or system. Nothing is written. */
export function WhatIfPanel({ conversationId, whatIf, tried, onChange, isPast }: Props) {
  const info = useQuery(api.memory.info.queryOptions())
  const settled = useDebounced(tried.settings, SETTLE_MS)
  const input = useMemo(() => ({ conversationId, settings: settled }), [conversationId, settled])
  const answer = useQuery(api.compaction.whatIf.queryOptions({ input, placeholderData: keepPreviousData }))
  const effective: CompactionSettings | null = tried.effective
  const isStale = answer.isPlaceholderData || settled !== tried.settings
  // The plan of a stale answer is about to be replaced.
  const asked = Object.keys(settled).length > 0 ? { conversationId, settings: settled } : { conversationId }
  const preview = useCompactionPreview(asked, isStale ? null : (answer.data?.plan ?? null), false)
  const plan = () => {
    leaveCompactionDraft(conversationId, tried.settings)
    navigate({ view: 'compact' }, 'push')
  }
  return (
    <section className={styles.panel} aria-label="What if">
      <SectionHeading aside={isPast ? 'of the window now' : 'nothing is written'}>What if</SectionHeading>
      <PresetChoice
        presets={tried.presets}
        value={whatIf.preset}
        onChange={(preset) => onChange(withPreset(whatIf, preset))}
      />
      <WhatIfSliders whatIf={whatIf} effective={effective} onChange={onChange} />
      {answer.isError && answer.data === undefined ? (
        <ErrorState error={answer.error} onRetry={() => void answer.refetch()} />
      ) : answer.data === undefined || effective === null ? (
        <Loading what="the answer" lines={5} />
      ) : (
        <WhatIfAnswer
          answer={answer.data}
          preview={preview}
          softThreshold={effective.softThreshold}
          hardThreshold={effective.hardThreshold}
          isStale={isStale}
        />
      )}
      <div className={styles.actions}>
        <Button look="primary" onClick={plan}>
          Plan compaction…
        </Button>
        <Button disabled={isAsConfigured(whatIf)} onClick={() => onChange(AS_CONFIGURED)}>
          Reset
        </Button>
      </div>
      {info.data?.readOnly && (
        <Notice title="Read-only file." action={<MakeWorkingCopy info={info.data} />}>
          The plan shows what would happen. Compaction itself runs on a native copy.
        </Notice>
      )}
    </section>
  )
}

type PresetChoiceProps = {
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
function PresetChoice({ presets, value, onChange }: PresetChoiceProps) {
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
