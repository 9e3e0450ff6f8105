import { describe, expect, it } from 'vitest'
import { CompactionSettings } from '#core/contract/compaction.ts'
import { LcmError } from '#core/errors.ts'
import { readSettings, tryOverrides, withOverrides } from '#core/settings/settings.ts'
import type { SettingTexts } from '#core/settings/variables.ts'

function refusal(texts: SettingTexts): LcmError {
  try {
    readSettings(texts)
  } catch (error) {
    if (error instanceof LcmError) return error
  }
  throw new Error(`${JSON.stringify(texts)} was accepted`)
}

describe('the settings from variables', () => {
  it('are complete without any variable, and satisfy the contract', () => {
    const settings = readSettings({})
    expect(CompactionSettings.parse(settings.compaction)).toEqual(settings.compaction)
    expect(settings.compaction).toMatchObject({
      budgetTokens: 200_000,
      softThreshold: 0.75,
      hardThreshold: 1,
      freshTailCount: 8,
      leafChunkTokens: 4_000,
      leafTargetTokens: 600,
      condensedTargetTokens: 900,
      condensedMinFanout: 4,
      maxDepth: -1,
      minMessagesToCompact: 10,
    })
    expect(settings.databasePath).toMatch(/lcm\.db$/)
    expect(settings).toMatchObject({ enabled: true, tokenEstimator: 'heuristic', filesDir: null, ledgerPath: null })
  })

  it('treat a blank variable as unset', () => {
    expect(readSettings({ LCM_TOKEN_BUDGET: '  ' }).compaction.budgetTokens).toBe(200_000)
  })

  it('accept every type of value', () => {
    const settings = readSettings({
      LCM_ENABLED: 'off',
      LCM_CONTEXT_THRESHOLD: '.5',
      LCM_FRESH_TAIL_COUNT: '0',
      LCM_MAX_DEPTH: '-1',
      LCM_TOKEN_ESTIMATOR: 'o200k_base',
      LCM_DATABASE_PATH: '/tmp/a b.db',
    })
    expect(settings).toMatchObject({ enabled: false, tokenEstimator: 'o200k_base', databasePath: '/tmp/a b.db' })
    expect(settings.compaction).toMatchObject({ softThreshold: 0.5, freshTailCount: 0, maxDepth: -1 })
  })

  it('refuse a wrong value with the name of the variable and what it accepts', () => {
    for (const [name, text, accepted] of [
      ['LCM_TOKEN_BUDGET', '0', 'from 1 to'],
      ['LCM_TOKEN_BUDGET', '1e5', 'whole number'],
      ['LCM_CONTEXT_THRESHOLD', '75%', 'more than 0 and at most 1'],
      ['LCM_CONTEXT_THRESHOLD', '1.5', 'at most 1'],
      ['LCM_HARD_THRESHOLD', 'NaN', 'at most 10'],
      ['LCM_CONDENSED_MIN_FANOUT', '1', 'from 2'],
      ['LCM_ENABLED', 'maybe', 'true or false'],
      ['LCM_TOKEN_ESTIMATOR', 'gpt', 'heuristic'],
      ['LCM_DATABASE_URL', 'http://host/db', 'file:'],
    ] as const) {
      const error = refusal({ [name]: text })
      expect(error.code).toBe('invalid_argument')
      expect(error.message).toContain(name)
      expect(error.message).toContain(accepted)
    }
  })

  it('refuse a soft threshold above the hard one', () => {
    expect(refusal({ LCM_CONTEXT_THRESHOLD: '0.9', LCM_HARD_THRESHOLD: '0.8' }).message).toContain('LCM_HARD_THRESHOLD')
  })

  it('take the database from a path first, then from a file: URL', () => {
    expect(readSettings({ LCM_DATABASE_URL: 'file:///data/my%20lcm.db?mode=rwc' }).databasePath).toBe('/data/my lcm.db')
    expect(readSettings({ LCM_DATABASE_URL: 'file:lcm.db' }).databasePath).toBe('lcm.db')
    expect(readSettings({ LCM_DATABASE_URL: 'file:/a', LCM_DATABASE_PATH: '/b' }).databasePath).toBe('/b')
    expect(readSettings({ LCM_DATABASE_URL: 'postgres://ada:secret@db/lcm' }).databasePath).toBe(
      'postgres://ada@db:5432/lcm',
    )
    expect(refusal({ LCM_DATABASE_URL: 'file:' }).message).toContain('LCM_DATABASE_URL')
    expect(refusal({ LCM_DATABASE_URL: 'file:///%zz' }).message).toContain('LCM_DATABASE_URL')
  })

  it('let one call override some compaction values, within the same ranges', () => {
    const { compaction } = readSettings({})
    expect(withOverrides(compaction, { freshTailCount: 2, budgetTokens: undefined })).toEqual({
      ...compaction,
      freshTailCount: 2,
    })
    expect(() => withOverrides(compaction, { condensedMinFanout: 1 })).toThrow('condensedMinFanout')
  })

  it('refuse an override of the soft threshold past the hard one, except in a what-if', () => {
    const { compaction } = readSettings({ LCM_HARD_THRESHOLD: '0.8' })
    for (const overrides of [{ softThreshold: 0.9 }, { hardThreshold: 0.5 }]) {
      const refused = () => withOverrides(compaction, overrides)
      expect(refused).toThrow(LcmError)
      expect(refused).toThrow(/softThreshold.*hardThreshold.*Lower the one or raise the other/)
      expect(tryOverrides(compaction, overrides)).toEqual({ ...compaction, ...overrides })
    }
    expect(withOverrides(compaction, { softThreshold: 0.8 }).softThreshold).toBe(0.8)
  })
})
