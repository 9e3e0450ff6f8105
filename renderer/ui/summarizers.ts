import type { SettingsReport } from '../../core/contract/settings.ts'

/** Names under which summaries can be made besides those of models. */
export const CHAIN = 'chain'
export const DETERMINISTIC = 'deterministic'

/** The models that are asked under this name, in order; none for the built-in extractor. */
export function providersOf(name: string, { providers, chain }: Pick<SettingsReport, 'providers' | 'chain'>) {
  const names = name === CHAIN ? chain : [name]
  return names.flatMap((each) => providers.filter((provider) => provider.name === each))
}
