import type { EffectiveSetting, SettingsPatch, UnknownVariable } from '../../../core/contract/settings.ts'
import { EMBEDDINGS } from './embeddings-choice.ts'

const GROUPS: readonly (readonly [title: string, variables: readonly string[]])[] = [
  [
    'When to compact',
    ['TOKEN_BUDGET', 'CONTEXT_THRESHOLD', 'HARD_THRESHOLD', 'MAX_ACTIVE_MESSAGES', 'AUTOCOMPACT_DISABLED'],
  ],
  [
    'How to compact',
    [
      'FRESH_TAIL_COUNT',
      'MIN_MESSAGES_TO_COMPACT',
      'LEAF_CHUNK_TOKENS',
      'LEAF_TARGET_TOKENS',
      'LEAF_CONCURRENCY',
      'CONDENSED_TARGET_TOKENS',
      'CONDENSED_MIN_FANOUT',
      'MAX_DEPTH',
      'SUMMARIZERS',
      'SPEND_CAP_TOKENS',
      'PROMPTS_DIR',
    ],
  ],
  ['Reading', ['TOKEN_ESTIMATOR', 'MAX_EXPAND_TOKENS', 'EMBEDDINGS', 'EMBEDDINGS_MAX_TEXTS']],
  ['Files', ['DATABASE_PATH', 'DATABASE_URL', 'DB_DIR', 'LARGE_FILE_TOKEN_THRESHOLD', 'FILES_DIR', 'LEDGER_PATH']],
  ['Log', ['LOG_LEVEL', 'DEBUG_MODE']],
]

export type SettingGroup = { readonly title: string; readonly settings: readonly EffectiveSetting[] }

/** Sorts every value under a heading. Values without one are listed under the last. */
export function groupSettings(effective: readonly EffectiveSetting[]): readonly SettingGroup[] {
  const byName = new Map(effective.map((setting) => [setting.variable, setting]))
  const known = GROUPS.map(([title, names]) => ({
    title,
    settings: names.flatMap((name) => byName.get(`LCM_${name}`) ?? []),
  }))
  const shown = new Set(known.flatMap(({ settings }) => settings.map(({ variable }) => variable)))
  const rest = effective.filter(({ variable }) => !shown.has(variable))
  return [...known, { title: 'Other', settings: rest }].filter(({ settings }) => settings.length > 0)
}

/** What a field accepts, and what it goes back to. */
export const acceptsText = ({ accepts, byDefault, source }: EffectiveSetting): string =>
  source === 'default' ? accepts : `${accepts}; default: ${byDefault}`

/** What the environment sets in vain. */
export function unknownText(unknown: readonly UnknownVariable[]): string {
  const named = unknown.map(({ variable, nearest }) =>
    nearest === null ? variable : `${variable} (did you mean ${nearest}?)`,
  )
  return `The environment sets ${named.join(', ')}. That changes nothing.`
}

/** True for settings with a control of their own on this page. */
export const isSetElsewhere = (variable: string): boolean =>
  variable === 'LCM_SUMMARIZERS' || variable === 'LCM_SPEND_CAP_TOKENS' || variable === EMBEDDINGS

export const valueText = (value: EffectiveSetting['value']): string => (value === null ? '' : String(value))

/** Returns the value to store for a typed text, or null for the default. The core decides whether it is valid. */
export function typedValue(text: string, now: EffectiveSetting['value']): NonNullable<SettingsPatch['values']>[string] {
  const trimmed = text.trim()
  if (trimmed === '') return null
  if (typeof now === 'boolean' && (trimmed === 'true' || trimmed === 'false')) return trimmed === 'true'
  return typeof now === 'number' && Number.isFinite(Number(trimmed)) ? Number(trimmed) : trimmed
}

/** Returns the choices of `one of a, b, c`, or null for a free text. */
export function choicesOf({ accepts, value }: Pick<EffectiveSetting, 'accepts' | 'value'>): readonly string[] | null {
  if (typeof value === 'boolean') return ['true', 'false']
  const list = /^one of (.+)$/.exec(accepts)?.[1]
  return list === undefined ? null : list.split(', ')
}

export const SOURCE_TEXTS = {
  environment: 'Set in the environment, which stands above the settings file: change it there',
  file: 'Set in the settings file',
  default: 'Not set: the default',
} as const satisfies Record<EffectiveSetting['source'], string>
