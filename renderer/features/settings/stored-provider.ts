import type { ProviderInfo, ProviderSettings } from '#core/contract/provider.ts'

/** Returns what is stored of a provider, without what the core found out about it. */
export const settingsOf = ({ keySource: _found, ...settings }: ProviderInfo): ProviderSettings => settings
