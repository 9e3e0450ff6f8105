import type { CompactionMode, CompactionSettings, CompactRequest } from '#core/contract/compaction.ts'
import type { Preset } from '#core/contract/settings.ts'

/** What the user set; an empty text means the configured value. */
export type CompactionForm = {
  readonly mode: CompactionMode
  readonly targetTokens: string
  /** `deterministic`, the name of a provider, or `chain`. */
  readonly summarizer: string
  readonly settings: Readonly<Partial<Record<SettingName, string>>>
}

type SettingName = keyof CompactionSettings

export type SettingField = {
  readonly name: SettingName
  readonly label: string
  readonly hint: string
  readonly unit: string
  readonly min: number
  readonly max?: number
  readonly step?: number
}

/** The settings in the order in which they matter. */
export const SETTING_FIELDS: readonly SettingField[] = [
  { name: 'budgetTokens', label: 'Budget', hint: 'The model’s window', unit: 'tokens', min: 1 },
  {
    name: 'softThreshold',
    label: 'Compact at',
    hint: 'Share of the budget from which to compact',
    unit: '',
    min: 0.01,
    max: 1,
    step: 0.01,
  },
  {
    name: 'hardThreshold',
    label: 'Must compact at',
    hint: 'Share of the budget at which to compact before the next turn',
    unit: '',
    min: 0.01,
    max: 10,
    step: 0.01,
  },
  {
    name: 'freshTailCount',
    label: 'Newest messages',
    hint: 'The newest messages, never compacted',
    unit: 'messages',
    min: 0,
  },
  {
    name: 'leafChunkTokens',
    label: 'Sources',
    hint: 'At most this much becomes one first summary',
    unit: 'tokens',
    min: 1,
  },
  { name: 'leafTargetTokens', label: 'Length', hint: 'How long a first summary should be', unit: 'tokens', min: 1 },
  {
    name: 'leafConcurrency',
    label: 'At once',
    hint: 'How many first summaries are made at the same time where a model is asked',
    unit: 'calls',
    min: 1,
    max: 64,
  },
  {
    name: 'condensedTargetTokens',
    label: 'Length above',
    hint: 'How long a summary of summaries should be',
    unit: 'tokens',
    min: 1,
  },
  {
    name: 'condensedMinFanout',
    label: 'Fan-in from',
    hint: 'Fewest summaries that become one',
    unit: 'summaries',
    min: 2,
  },
  { name: 'maxDepth', label: 'Greatest depth', hint: '−1 is unlimited', unit: '', min: -1 },
  {
    name: 'minMessagesToCompact',
    label: 'Not below',
    hint: 'Fewest messages for which it is worth it',
    unit: 'messages',
    min: 0,
  },
  {
    name: 'maxActiveMessages',
    label: 'Active messages',
    hint: 'More than this many trigger a compaction; 0 is off',
    unit: 'messages',
    min: 0,
  },
]

export const EMPTY_FORM: CompactionForm = {
  mode: 'full',
  targetTokens: '',
  summarizer: 'deterministic',
  settings: {},
}

/**
 * Returns the form with these values and no others, such as those of a preset or those that were tried out. Missing
 * values are the configured ones.
 */
export function withValues(form: CompactionForm, settings: Partial<CompactionSettings>): CompactionForm {
  const values = Object.entries(settings).filter(([, value]) => value !== undefined)
  return { ...form, settings: Object.fromEntries(values.map(([name, value]) => [name, String(value)])) }
}

/** Returns the preset whose values the form holds exactly, or null when they are the configured ones or a mixture. */
export function presetOf<P extends Pick<Preset, 'settings'>>(form: CompactionForm, presets: readonly P[]): P | null {
  const given = SETTING_FIELDS.filter(({ name }) => (form.settings[name]?.trim() ?? '') !== '')
  const matches = ({ settings }: P) =>
    given.length === Object.values(settings).filter((value) => value !== undefined).length &&
    given.every(({ name }) => settings[name] === Number(form.settings[name]))
  return given.length === 0 ? null : (presets.find(matches) ?? null)
}

/** Counts the values of the form that differ from the configured ones. */
export const changedValues = ({ settings }: CompactionForm): number =>
  Object.values(settings).filter((text) => text.trim() !== '').length

/** Returns the request of a form, or what is wrong with it. */
export function requestOf(
  form: CompactionForm,
  conversationId: number,
): { readonly request: CompactRequest } | { readonly problem: string } {
  const settings: Partial<Record<SettingName, number>> = {}
  for (const field of SETTING_FIELDS) {
    const text = form.settings[field.name]?.trim() ?? ''
    if (text === '') continue
    const problem = problemOf(field, text)
    if (problem !== null) return { problem }
    settings[field.name] = Number(text)
  }
  const target = form.targetTokens.trim()
  if (form.mode === 'untilUnder' && target !== '' && !(Number.isInteger(Number(target)) && Number(target) > 0))
    return { problem: 'Target: a whole number of tokens from 1' }
  return {
    request: {
      conversationId,
      mode: form.mode,
      summarizer: form.summarizer,
      reason: 'manual',
      ...(form.mode === 'untilUnder' && target !== '' && { targetTokens: Number(target) }),
      ...(Object.keys(settings).length > 0 && { settings }),
    },
  }
}

function problemOf(
  { label, min, max = Number.POSITIVE_INFINITY, step = 1 }: SettingField,
  text: string,
): string | null {
  const value = Number(text)
  const isWhole = step < 1 || Number.isInteger(value)
  if (Number.isFinite(value) && isWhole && value >= min && value <= max) return null
  const range = max === Number.POSITIVE_INFINITY ? `from ${min}` : `from ${min} to ${max}`
  return `${label}: a ${step < 1 ? '' : 'whole '}number ${range}`
}
