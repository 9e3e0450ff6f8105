import { expect, it } from 'vitest'
import { CompactionSettings } from '../../core/contract/compaction.ts'
import { Preset, PresetName } from '../../core/contract/settings.ts'
import { readSettings, withOverrides } from '../../core/settings/settings.ts'
import { PRESETS, presetSettings } from '../../core/systems/presets.ts'

const { compaction } = readSettings({})

it('has the defaults of every known system, each within its range', () => {
  expect(PRESETS.map((preset) => preset.name)).toEqual(PresetName.options)
  for (const preset of PRESETS) {
    expect(Preset.parse(preset)).toEqual(preset)
    expect(CompactionSettings.parse(withOverrides(compaction, preset.settings))).toMatchObject(preset.settings)
  }
})

it('is the specification where nothing is configured', () => {
  expect(presetSettings('spec')).toEqual(compaction)
})

it('says of every other system what its values do not say', () => {
  for (const { name, note } of PRESETS) expect(note === null).toBe(name === 'spec')
})
