import type { EffectiveSetting, SettingsPatch } from '../../../core/contract/settings.ts'

/** The purpose of a setting in a few words. */
const ABOUT: Readonly<Record<string, string>> = {
  LCM_TOKEN_BUDGET: 'The model’s window, in tokens',
  LCM_CONTEXT_THRESHOLD: 'Share of the budget from which to compact soon',
  LCM_HARD_THRESHOLD: 'Share of the budget at which to compact before the next turn',
  LCM_MAX_ACTIVE_MESSAGES: 'More messages than this in the window call for a compaction; 0 is off',
  LCM_FRESH_TAIL_COUNT: 'The newest messages, never compacted',
  LCM_LEAF_CHUNK_TOKENS: 'At most this much becomes one leaf',
  LCM_LEAF_TARGET_TOKENS: 'How long a leaf should be',
  LCM_LEAF_CONCURRENCY: 'How many leaves a model is asked for at once',
  LCM_CONDENSED_TARGET_TOKENS: 'How long a condensed summary should be',
  LCM_CONDENSED_MIN_FANOUT: 'Fewest summaries that become one',
  LCM_MAX_DEPTH: 'Greatest depth; −1 is unlimited',
  LCM_MIN_MESSAGES_TO_COMPACT: 'With fewer messages that may go, nothing is done',
  LCM_AUTOCOMPACT_DISABLED: 'No compaction by itself',
  LCM_SUMMARIZERS: 'The order of the models, set above',
  LCM_SPEND_CAP_TOKENS: 'The spend cap, set above',
  LCM_PROMPTS_DIR: 'Folder of your own prompts',
  LCM_ENABLED: 'Whether anything is imported or compacted',
  LCM_DATABASE_PATH: 'The memory that commands use when none is named',
  LCM_DATABASE_URL: 'The same as a file: address',
  LCM_TOKEN_ESTIMATOR: 'How tokens are counted',
  LCM_MAX_EXPAND_TOKENS: 'Most tokens that one expansion returns',
  LCM_LARGE_FILE_TOKEN_THRESHOLD: 'From this size on a file is kept beside the memory',
  LCM_FILES_DIR: 'Where such files are kept; default: beside the memory',
  LCM_LEDGER_PATH: 'Where the ledger is written; default: none is kept',
  LCM_LOG_LEVEL: 'The least level that is logged, from the next start on',
  LCM_DEBUG_MODE: 'The same as the level debug, where no level is set',
}

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
  ['Reading', ['TOKEN_ESTIMATOR', 'MAX_EXPAND_TOKENS']],
  ['Files', ['DATABASE_PATH', 'DATABASE_URL', 'LARGE_FILE_TOKEN_THRESHOLD', 'FILES_DIR', 'LEDGER_PATH']],
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

export const aboutSetting = (variable: string): string => ABOUT[variable] ?? ''

/** True for two settings with a control of their own on this page. */
export const isSetElsewhere = (variable: string): boolean =>
  variable === 'LCM_SUMMARIZERS' || variable === 'LCM_SPEND_CAP_TOKENS'

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
