import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ENVIRONMENT_ONLY, nearestOf, unknownVariables } from '#core/settings/unknown-variables.ts'
import { VARIABLES } from '#core/settings/variables.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { lcmHere } from '../doors/cli/lcm.ts'

const NAMES = [...Object.values(VARIABLES), ...ENVIRONMENT_ONLY].map(({ name }) => name)

describe('a variable of the environment that begins with LCM_', () => {
  it.each([
    ['LCM_TOKN_BUDGET', 'LCM_TOKEN_BUDGET'],
    ['LCM_FRESH_TAIL', 'LCM_FRESH_TAIL_COUNT'],
    ['LCM_FRESHTAIL_COUNT', 'LCM_FRESH_TAIL_COUNT'],
    ['LCM_INCREMENTAL_MAX_DEPTH', 'LCM_MAX_DEPTH'],
    ['LCM_MIN_MESSAGES', 'LCM_MIN_MESSAGES_TO_COMPACT'],
    ['LCM_DATABASE', 'LCM_DATABASE_PATH'],
    ['LCM_DEFAULT_URL', null],
    ['LCM_', null],
  ])('%s is reported with the nearest known name, %s', (variable, nearest) => {
    expect(unknownVariables({ [variable]: '1', PATH: '/bin' })).toEqual([{ variable, nearest }])
  })

  it('is not reported when it is known, blank, or of the tests of this program', () => {
    expect(unknownVariables(Object.fromEntries(NAMES.map((name) => [name, '1'])))).toEqual([])
    expect(unknownVariables({ LCM_NOTHING: ' ', LCM_TEST_SEED: '1', LCM_FIELD_DATA: '/data', lcm_small: '1' })).toEqual(
      [],
    )
  })

  it('is nearest to itself when it is known, and to a known name when one character of it is wrong', () => {
    const known = fc.constantFrom(...NAMES.filter((name) => name.length > 12))
    fc.assert(
      fc.property(known, fc.nat(), fc.constantFrom('', 'X'), (name, at, put) => {
        expect(nearestOf(name, NAMES)).toBe(name)
        const place = 4 + (at % (name.length - 4))
        expect(nearestOf(name.slice(0, place) + put + name.slice(place + 1), NAMES)).not.toBeNull()
      }),
    )
  })

  it('is named once on standard error by a command, which answers as without it', async () => {
    const env = { LCM_TOKN_BUDGET: '5', LCM_OF_ANOTHER_PROGRAM: '1', LCM_DATA_DIR: temporaryFolder() }
    const ran = await lcmHere(['schema', '--json'], { env })
    expect(ran.code).toBe(0)
    expect(JSON.parse(ran.stdout)).toBeTypeOf('object')
    expect(ran.stderr).toBe(
      'lcm: LCM_OF_ANOTHER_PROGRAM, LCM_TOKN_BUDGET (did you mean LCM_TOKEN_BUDGET?): these variables are not known here and change nothing. docs/configuration.md lists all.\n',
    )
  })
})
