import type { ReactNode } from 'react'
import type { ProbeWindow } from '#core/contract/probe.ts'
import type { PresetName, SettingsReport } from '#core/contract/settings.ts'
import type { Moment } from '#core/contract/time-travel.ts'
import { writersOf } from './summarizers.ts'

/** A moment of the address in the terms of the core, null while it is being looked up, and the slider that chooses it. */
export type MomentChoice = {
  readonly moment: Moment | null
  readonly slider: (label: string) => ReactNode
}

export const AFTER = 'after'
export const NOW = 'now'
/** In the list of choices: a moment that is still to be chosen. */
export const MOMENT = 'moment'

export type WindowOption = { readonly value: string; readonly label: string }

/** The windows of a conversation that can be chosen: now, another moment, and compactions that are tried on a copy. */
export function windowOptions(
  presets: readonly { readonly name: PresetName; readonly label: string }[],
  settings: Pick<SettingsReport, 'providers'>,
): readonly WindowOption[] {
  return [
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

/** The choice of the list that belongs to a window of the address; empty for none. */
export function choiceOf(chosen: string | null): string {
  if (chosen === null) return ''
  return isMoment(chosen) ? MOMENT : chosen
}

export const isMoment = (chosen: string): boolean => /^(event|message)-\d+$/.test(chosen)

/**
 * Returns the window that an address names, or null for none.
 * @param moment of the address, when it names one
 */
export function windowOf(
  chosen: string | null,
  moment: Moment | null,
  presets: readonly { readonly name: PresetName }[],
): ProbeWindow | null {
  if (chosen === null) return null
  if (chosen === NOW) return { at: { now: true } }
  if (chosen === AFTER) return { after: {} }
  const [, kind, name = ''] = /^(preset|summarizer):(.+)$/s.exec(chosen) ?? []
  if (kind === 'summarizer') return { after: { summarizer: name } }
  const preset = presets.find((one) => one.name === name)
  if (kind === 'preset') return preset === undefined ? null : { after: { preset: preset.name } }
  return moment === null ? null : { at: moment }
}
