import { expect, it } from 'vitest'
import { CompactionSettings } from '#core/contract/compaction.ts'
import { Preset, PresetName } from '#core/contract/settings.ts'
import { readSettings, withOverrides } from '#core/settings/settings.ts'
import { PRESETS, presetSettings } from '#core/systems/presets.ts'

const { compaction } = readSettings({})

it('the presets contain the defaults of every known system, each within its range', () => {
  expect(PRESETS.map((preset) => preset.name)).toEqual(PresetName.options)
  for (const preset of PRESETS) {
    expect(Preset.parse(preset)).toEqual(preset)
    expect(CompactionSettings.parse(withOverrides(compaction, preset.settings))).toMatchObject(preset.settings)
  }
})

it('the preset "spec" equals the specification where nothing is configured', () => {
  expect(presetSettings('spec')).toEqual(compaction)
})

it('every preset of another system notes what its values do not express', () => {
  for (const { name, note } of PRESETS) expect(note === null).toBe(name === 'spec')
})
