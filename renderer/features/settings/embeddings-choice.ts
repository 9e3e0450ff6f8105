import type { SettingsPatch, SettingsReport } from '#core/contract/settings.ts'

/** Names the model that turns texts into vectors. */
export const EMBEDDINGS = 'LCM_EMBEDDINGS'

/** Returns the change of the settings after a provider was renamed, or removed (null): none when it was not chosen. */
export function embeddingsAfter(
  { effective }: Pick<SettingsReport, 'effective'>,
  name: string,
  next: string | null,
): Pick<SettingsPatch, 'values'> {
  const isChosen = effective.some(
    ({ variable, value, source }) => variable === EMBEDDINGS && value === name && source === 'file',
  )
  return isChosen && name !== next ? { values: { [EMBEDDINGS]: next } } : {}
}
