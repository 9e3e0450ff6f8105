import { isWriter } from '#core/contract/lists.ts'
import type { SettingsReport } from '#core/contract/settings.ts'

/** Names of summarisers that are not models. */
export const CHAIN = 'chain'
export const DETERMINISTIC = 'deterministic'

/** What a person calls a summariser: a model by its name, and what needs none in words. */
export const summarizerName = (name: string): string => (name === DETERMINISTIC ? 'built-in extractor' : name)

/** Returns the models that are asked under this name, in order. The built-in extractor has none. */
export function providersOf(name: string, { providers, chain }: Pick<SettingsReport, 'providers' | 'chain'>) {
  const names = name === CHAIN ? chain : [name]
  return names.flatMap((each) => providers.filter((provider) => provider.name === each))
}

/** The models that write texts. The others make vectors. */
export const writersOf = ({ providers }: Pick<SettingsReport, 'providers'>) => providers.filter(isWriter)
