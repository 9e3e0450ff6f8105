import { useQuery } from '@tanstack/react-query'
import type { FoundSettings } from '#core/contract/settings.ts'
import { api } from '#renderer/api.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { Segmented } from '#renderer/ui/controls/segmented.tsx'
import { SelectField } from '#renderer/ui/controls/select-field.tsx'
import { useConversationSettings } from '#renderer/ui/data/use-conversation-settings.ts'
import summarizerChoice from '#renderer/ui/parts/summarizer-choice.module.css'
import { SummarizerChoice } from '#renderer/ui/parts/summarizer-choice.tsx'
import {
  type CompactionForm,
  changedValues,
  EMPTY_FORM,
  presetOf,
  SETTING_FIELDS,
  type SettingField,
  withValues,
} from './compaction-form.ts'
import styles from './compaction-view.module.css'
import { MODES } from './compaction-wording.ts'
import { EstimateText, type ModelEstimate } from './model-estimate.tsx'

type Props = {
  readonly conversationId: number
  readonly form: CompactionForm
  readonly onChange: (form: CompactionForm) => void
  /** What is wrong with the form. */
  readonly problem: string | null
  /** What a model would be asked, or null when no model is asked. */
  readonly estimate: ModelEstimate | null
}

/** The settings of a compaction. An empty field stands for the configured value. */
export function CompactionInputs({ conversationId, form, onChange, problem, estimate }: Props) {
  const settings = useConversationSettings(conversationId)
  const isChanged = JSON.stringify(form) !== JSON.stringify(EMPTY_FORM)
  const changed = changedValues(form)
  const set = (field: SettingField, text: string) =>
    onChange({ ...form, settings: { ...form.settings, [field.name]: text } })
  return (
    <section className={styles.inputs}>
      <SectionHeading
        aside={
          isChanged && (
            <Button look="quiet" className={styles.reset} onClick={() => onChange(EMPTY_FORM)}>
              Reset
            </Button>
          )
        }
      >
        How
      </SectionHeading>
      <div className={styles.mode}>
        <Segmented label="Mode" options={MODES} value={form.mode} onChange={(mode) => onChange({ ...form, mode })} />
        {form.mode === 'untilUnder' && (
          <label className={styles.target}>
            <input
              type="number"
              min={1}
              placeholder="compact at"
              aria-label="Target in tokens"
              value={form.targetTokens}
              onChange={(event) => onChange({ ...form, targetTokens: event.target.value })}
            />
            tokens
          </label>
        )}
      </div>
      <p className="dim">{MODES.find(({ value }) => value === form.mode)?.hint}.</p>
      <SummarizerChoice value={form.summarizer} onChange={(summarizer) => onChange({ ...form, summarizer })} />
      {estimate && <EstimateText estimate={estimate} />}
      <PresetChoice form={form} onChange={onChange} />
      <details>
        <summary>Settings for this compaction{changed > 0 && ` · ${changed} set`}</summary>
        <div className={styles.fields}>
          {SETTING_FIELDS.map((field) => (
            <label key={field.name} className={styles.field} title={field.hint}>
              <span>{field.label}</span>
              <input
                type="number"
                min={field.min}
                max={field.max}
                step={field.step ?? 1}
                placeholder={String(settings?.[field.name] ?? '')}
                value={form.settings[field.name] ?? ''}
                onChange={(event) => set(field, event.target.value)}
              />
              <span className="dim">{field.unit}</span>
            </label>
          ))}
        </div>
      </details>
      {problem !== null && (
        <p className={styles.problem} role="alert">
          {problem}
        </p>
      )}
    </section>
  )
}

type PresetChoiceProps = { readonly form: CompactionForm; readonly onChange: (form: CompactionForm) => void }

const CONFIGURED = 'configured'
const OWN = 'own'

/** The values of a known system, or those that it is set to on this machine, for this run. */
function PresetChoice({ form, onChange }: PresetChoiceProps) {
  const presets = useQuery(api.compaction.presets.queryOptions())
  const found = useQuery(api.machine.discoverSettings.queryOptions())
  const list = [...(presets.data ?? []), ...foundPresets(found.data ?? [])]
  const chosen = presetOf(form, list)
  const value = chosen?.name ?? (changedValues(form) > 0 ? OWN : CONFIGURED)
  const options = [
    { value: CONFIGURED, label: 'as configured' },
    ...list.map(({ name, label }) => ({ value: name, label })),
    ...(value === OWN ? [{ value: OWN, label: 'own values', disabled: true }] : []),
  ]
  const choose = (name: string) =>
    onChange(withValues(form, list.find((preset) => preset.name === name)?.settings ?? {}))
  return (
    <div className={summarizerChoice.choice}>
      <SelectField label="Values" options={options} value={value} onChange={choose} />
      {chosen?.note && <p className="dim">{chosen.note}</p>}
    </div>
  )
}

/** A value that the file does not set is as configured. */
const foundPresets = (found: readonly FoundSettings[]) =>
  found
    .filter(({ settings }) => Object.keys(settings).length > 0)
    .map(({ label, path, settings, note }) => ({ name: path, label: `${label}, as in ${path}`, settings, note }))
