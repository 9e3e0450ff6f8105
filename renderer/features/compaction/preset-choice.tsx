import { useQuery } from '@tanstack/react-query'
import type { FoundSettings } from '../../../core/contract/settings.ts'
import { api } from '../../api.ts'
import { SelectField } from '../../ui/select-field.tsx'
import styles from '../../ui/summarizer-choice.module.css'
import { type CompactionForm, changedValues, presetOf, withValues } from './compaction-form.ts'

type Props = { readonly form: CompactionForm; readonly onChange: (form: CompactionForm) => void }

const CONFIGURED = 'configured'
const OWN = 'own'

/** The values of a known system, or those that it is set to on this machine, for this run. */
export function PresetChoice({ form, onChange }: Props) {
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
    <div className={styles.choice}>
      <SelectField label="Values" options={options} value={value} onChange={choose} />
      {chosen?.note && <p className={styles.text}>{chosen.note}</p>}
    </div>
  )
}

/** A value that the file does not set is as configured. */
const foundPresets = (found: readonly FoundSettings[]) =>
  found
    .filter(({ settings }) => Object.keys(settings).length > 0)
    .map(({ label, path, settings, note }) => ({ name: path, label: `${label}, as in ${path}`, settings, note }))
