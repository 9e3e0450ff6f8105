import type { EffectiveSetting } from '../contract/settings.ts'
import type { Settings } from './settings.ts'
import type { SettingsFile } from './settings-file.ts'
import { type SettingTexts, textOf, VARIABLES } from './variables.ts'

type Name = keyof typeof VARIABLES
type Value = EffectiveSetting['value']

/** Lists the variables with their values and where each comes from. */
export function effectiveSettings(settings: Settings, env: SettingTexts, file: SettingsFile): EffectiveSetting[] {
  const names = Object.keys(VARIABLES) as Name[]
  return names.map((name) => {
    const { name: variable, accepts } = VARIABLES[name]
    return { variable, value: effectiveValue(name, settings), source: sourceOf(name, env, file), accepts }
  })
}

/**
 * Puts the environment over the file. A blank variable is unset. The two ways to name the database are one setting, for
 * which the environment decides.
 */
export function textsOver(env: SettingTexts, file: SettingTexts): SettingTexts {
  const given = Object.keys(env).filter((name) => name.startsWith('LCM_') && textOf(env, name) !== null)
  const hidden = DATABASE.some((name) => given.includes(name)) ? DATABASE : []
  const below = Object.entries(file).filter(([name]) => !hidden.includes(name))
  return { ...Object.fromEntries(below), ...Object.fromEntries(given.map((name) => [name, env[name]])) }
}
const DATABASE: readonly string[] = [VARIABLES.databasePath.name, VARIABLES.databaseUrl.name]

function effectiveValue(name: Name, settings: Settings): Value {
  const { compaction, models } = settings
  switch (name) {
    case 'databaseUrl':
      return null
    case 'summarizers':
      return models.chain.join(',') || null
    case 'spendCapTokens':
      return models.spendCapTokens
    case 'promptsDir':
      return models.promptsDir
    case 'enabled':
    case 'databasePath':
    case 'maxExpandTokens':
    case 'autocompactDisabled':
    case 'largeFileTokenThreshold':
    case 'filesDir':
    case 'ledgerPath':
    case 'tokenEstimator':
    case 'logLevel':
      return settings[name]
    case 'debugMode':
      return settings.logLevel === 'debug'
    default:
      return compaction[name]
  }
}

function sourceOf(name: Name, env: SettingTexts, file: SettingsFile): EffectiveSetting['source'] {
  const names = name === 'databasePath' ? DATABASE : [VARIABLES[name].name]
  if (names.some((variable) => textOf(env, variable) !== null)) return 'environment'
  const inFile =
    name === 'summarizers'
      ? file.chain.length > 0
      : name === 'spendCapTokens'
        ? file.spendCapTokens !== null
        : names.some((variable) => String(file.values[variable] ?? '').trim() !== '')
  return inFile ? 'file' : 'default'
}
