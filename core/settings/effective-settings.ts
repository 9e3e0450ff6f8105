import type { EffectiveSetting } from '../contract/settings.ts'
import { isDatabaseAddress } from '../database-address.ts'
import type { Settings } from './settings.ts'
import { type SettingsFile, textsOf } from './settings-file.ts'
import { type SettingTexts, textOf, VARIABLES, type Variable } from './variables.ts'

type Name = keyof typeof VARIABLES
type Value = EffectiveSetting['value']

/** Lists the variables with their values and where each comes from. */
export function effectiveSettings(settings: Settings, env: SettingTexts, file: SettingsFile): EffectiveSetting[] {
  const names = Object.keys(VARIABLES) as Name[]
  return names.map((name) => {
    const variable: Variable<unknown, unknown> = VARIABLES[name]
    return {
      variable: variable.name,
      value: effectiveValue(name, settings, textsOver(env, textsOf(file))),
      ...sourceOf(name, env, file),
      effect: variable.effect,
      accepts: variable.accepts,
      byDefault: defaultText(variable),
    }
  })
}

/** What holds where a variable is not set, for people. */
export const defaultText = ({ fallback, byDefault }: Variable<unknown, unknown>): string =>
  byDefault ?? (fallback === null ? 'not set' : String(fallback))

/**
 * Puts the environment over the file. A blank variable is unset. The ways to name the database are one setting, for
 * which the environment decides.
 */
export function textsOver(env: SettingTexts, file: SettingTexts): SettingTexts {
  const given = Object.keys(env).filter((name) => name.startsWith('LCM_') && textOf(env, name) !== null)
  const hidden = DATABASE.some((name) => given.includes(name)) ? DATABASE : []
  const below = Object.entries(file).filter(([name]) => !hidden.includes(name))
  return { ...Object.fromEntries(below), ...Object.fromEntries(given.map((name) => [name, env[name]])) }
}

const DATABASE: readonly string[] = [
  VARIABLES.databasePath.name,
  VARIABLES.databaseUrl.name,
  VARIABLES.databaseFolder.name,
]
const LOG_LEVEL: readonly string[] = [VARIABLES.logLevel.name, VARIABLES.debugMode.name]

function effectiveValue(name: Name, settings: Settings, texts: SettingTexts): Value {
  const { compaction, models } = settings
  switch (name) {
    // What they lead to is the value of the path.
    case 'databaseUrl': {
      const url = textOf(texts, VARIABLES[name].name)
      // The address of a database may hold a password.
      return url !== null && isDatabaseAddress(url) ? settings.databasePath : url
    }
    case 'databaseFolder':
      return textOf(texts, VARIABLES[name].name)
    case 'summarizers':
      return models.chain.join(',') || null
    case 'explorers':
      return settings.explorers.join(',') || null
    case 'embeddings':
      return settings.embeddings.provider?.name ?? null
    case 'embeddingsMaxTexts':
      return settings.embeddings.maxTexts
    case 'spendCapTokens':
      return models.spendCapTokens
    case 'promptsDir':
      return models.promptsDir
    case 'enabled':
    case 'databasePath':
    case 'maxExpandTokens':
    case 'autocompactDisabled':
    case 'checkOnOpening':
    case 'largeFileTokenThreshold':
    case 'filesDir':
    case 'ledgerPath':
    case 'tokenEstimator':
    case 'updates':
    case 'logLevel':
      return settings[name]
    case 'debugMode':
      return settings.logLevel === 'debug'
    default:
      return compaction[name]
  }
}

type Origin = Pick<EffectiveSetting, 'source' | 'givenBy'>

/** The first of the variables that can give a value is the one that does; the environment counts before the file. */
function sourceOf(name: Name, env: SettingTexts, file: SettingsFile): Origin {
  const own = VARIABLES[name].name
  const names = name === 'databasePath' ? DATABASE : name === 'logLevel' ? LOG_LEVEL : [own]
  for (const [source, texts] of [['environment', env] as const, ['file', textsOf(file)] as const]) {
    const giving = names.find((variable) => textOf(texts, variable) !== null)
    if (giving !== undefined) return { source, givenBy: giving === own ? null : giving }
  }
  const hasKeyOfItsOwn =
    (name === 'summarizers' && file.chain.length > 0) || (name === 'spendCapTokens' && file.spendCapTokens !== null)
  return { source: hasKeyOfItsOwn ? 'file' : 'default', givenBy: null }
}
