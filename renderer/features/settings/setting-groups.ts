import type { EffectiveSetting, SettingsPatch, UnknownVariable } from '#core/contract/settings.ts'
import { EMBEDDINGS } from './embeddings-choice.ts'

type LabelledSettings = readonly (readonly [variable: string, label: string])[]

const GROUPS: readonly (readonly [title: string, settings: LabelledSettings])[] = [
  [
    'When to compact',
    [
      ['TOKEN_BUDGET', 'Token budget'],
      ['CONTEXT_THRESHOLD', 'Compact at'],
      ['HARD_THRESHOLD', 'Must compact at'],
      ['MAX_ACTIVE_MESSAGES', 'Most messages in the window'],
      ['AUTOCOMPACT_DISABLED', 'Never compact by itself'],
      ['ENABLED', 'Import and compact at all'],
    ],
  ],
  [
    'How to compact',
    [
      ['FRESH_TAIL_COUNT', 'Newest messages that stay'],
      ['MIN_MESSAGES_TO_COMPACT', 'Fewest messages to compact'],
      ['LEAF_CHUNK_TOKENS', 'Sources of a first summary'],
      ['LEAF_TARGET_TOKENS', 'Length of a first summary'],
      ['LEAF_CONCURRENCY', 'First summaries at once'],
      ['CONDENSED_TARGET_TOKENS', 'Length of a summary of summaries'],
      ['CONDENSED_MIN_FANOUT', 'Fewest summaries to condense'],
      ['MAX_DEPTH', 'Greatest depth'],
      ['PROMPTS_DIR', 'Folder of your own prompts'],
    ],
  ],
  [
    'Reading',
    [
      ['CHECK_ON_OPENING', 'Check memories when they are opened'],
      ['TOKEN_ESTIMATOR', 'Token estimator'],
      ['MAX_EXPAND_TOKENS', 'Most tokens of an expansion'],
      ['EMBEDDINGS_MAX_TEXTS', 'Most vectors of one run'],
    ],
  ],
  [
    'Files',
    [
      ['DATABASE_PATH', 'Memory of the commands'],
      ['DATABASE_URL', 'Memory of the commands, as an address'],
      ['DB_DIR', 'Folder of memories'],
      ['LARGE_FILE_TOKEN_THRESHOLD', 'Size of a large text'],
      ['FILES_DIR', 'Folder of large texts'],
      ['EXPLORERS', 'Models that describe large texts'],
      ['LEDGER_PATH', 'Ledger'],
    ],
  ],
  ['Program', [['UPDATES', 'New releases of the installed app']]],
  [
    'Log',
    [
      ['LOG_LEVEL', 'Level'],
      ['DEBUG_MODE', 'Debug mode'],
    ],
  ],
]

/** A value with its name for people. */
export type NamedSetting = { readonly label: string; readonly setting: EffectiveSetting }
export type SettingGroup = { readonly title: string; readonly settings: readonly NamedSetting[] }

/** Sorts the values without a control of their own under headings. Unknown ones are listed under the last. */
export function groupSettings(effective: readonly EffectiveSetting[]): readonly SettingGroup[] {
  const rows = new Map(effective.filter(({ variable }) => !isSetElsewhere(variable)).map((one) => [one.variable, one]))
  const known = GROUPS.map(([title, names]) => ({
    title,
    settings: names.flatMap(([name, label]) => {
      const setting = rows.get(`LCM_${name}`)
      return setting ? [{ label, setting }] : []
    }),
  }))
  const shown = new Set(known.flatMap(({ settings }) => settings.map(({ setting }) => setting.variable)))
  const rest = [...rows.values()].filter(({ variable }) => !shown.has(variable))
  const others = rest.map((setting) => ({ label: plainLabel(setting.variable), setting }))
  return [...known, { title: 'Other', settings: others }].filter(({ settings }) => settings.length > 0)
}

/** `LCM_NEW_THING` is “New thing”. */
function plainLabel(variable: string): string {
  const words = variable.replace(/^LCM_/, '').toLowerCase().replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** True when a text holds every typed word. */
export function hasWords(text: string, typed: string): boolean {
  const lower = text.toLocaleLowerCase()
  const words = typed.toLocaleLowerCase().split(/\s+/)
  return words.every((word) => lower.includes(word))
}

/** Returns what is found by the typed words: by label, variable, effect, or all of a group by its title. */
export function findSettings(groups: readonly SettingGroup[], typed: string): readonly SettingGroup[] {
  return groups.flatMap((group) => {
    const settings = group.settings.filter(({ label, setting }) =>
      hasWords(`${group.title} ${label} ${setting.variable} ${setting.effect}`, typed),
    )
    return settings.length > 0 ? [{ ...group, settings }] : []
  })
}

/** What a field accepts, and what it goes back to. A switch shows itself what it accepts. */
export function acceptsText({ accepts, byDefault, source, value }: EffectiveSetting): string {
  const isSwitch = typeof value === 'boolean'
  const back = `default: ${isSwitch ? choiceLabel(byDefault) : byDefault}`
  return [...(isSwitch ? [] : [accepts]), ...(source === 'default' ? [] : [back])].join('; ')
}

/** The name of a choice for people. */
export const choiceLabel = (choice: string): string => (choice === 'true' ? 'on' : choice === 'false' ? 'off' : choice)

/** What the environment sets in vain. */
export function unknownText(unknown: readonly UnknownVariable[]): string {
  const named = unknown.map(({ variable, nearest }) =>
    nearest === null ? variable : `${variable} (did you mean ${nearest}?)`,
  )
  return `The environment sets ${named.join(', ')}. That changes nothing.`
}

/** True for settings with a control of their own on this page. */
const isSetElsewhere = (variable: string): boolean =>
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
  environment: 'Set in the environment, which counts before the settings file: change it there',
  file: 'Set in the settings file',
  default: 'Not set: the default',
} as const satisfies Record<EffectiveSetting['source'], string>
