import type { ProbeWindow } from '../../../core/contract/probe.ts'
import type { PresetName, SettingsReport } from '../../../core/contract/settings.ts'
import type { Moment } from '../../../core/contract/time-travel.ts'
import { writersOf } from '../../ui/summarizers.ts'

export const AFTER = 'after'
const NOW = 'now'
/** In the list of choices: a moment that is still to be chosen. */
export const MOMENT = 'moment'

export type CompareOption = { readonly value: string; readonly label: string }

/** What a probe can be compared with. */
export function compareOptions(
  presets: readonly { readonly name: PresetName; readonly label: string }[],
  settings: Pick<SettingsReport, 'providers'>,
): readonly CompareOption[] {
  return [
    { value: '', label: 'nothing' },
    { value: NOW, label: 'now' },
    { value: MOMENT, label: 'another moment' },
    { value: AFTER, label: 'after a compaction' },
    ...presets.map(({ name, label }) => ({ value: `preset:${name}`, label: `after one with the values of ${label}` })),
    ...writersOf(settings).map(({ name, model }) => ({
      value: `summarizer:${name}`,
      label: `after one by ${name} · ${model}`,
    })),
  ]
}

/** The choice of the list that belongs to what the address compares with. */
export function choiceOf(compare: string | null): string {
  if (compare === null) return ''
  return isMoment(compare) ? MOMENT : compare
}

export const isMoment = (compare: string): boolean => /^(event|message)-\d+$/.test(compare)

/**
 * Returns the window to compare with, or null for none.
 * @param moment of the address, when it names one
 */
export function windowOf(
  compare: string | null,
  moment: Moment | null,
  presets: readonly { readonly name: PresetName }[],
): ProbeWindow | null {
  if (compare === null) return null
  if (compare === NOW) return { at: { now: true } }
  if (compare === AFTER) return { after: {} }
  const [, kind, name = ''] = /^(preset|summarizer):(.+)$/s.exec(compare) ?? []
  if (kind === 'summarizer') return { after: { summarizer: name } }
  const preset = presets.find((one) => one.name === name)
  if (kind === 'preset') return preset === undefined ? null : { after: { preset: preset.name } }
  return moment === null ? null : { at: moment }
}
