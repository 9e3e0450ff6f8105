import { describe, expect, it } from 'vitest'
import { damagedCopy, faultsIn, fired, resultOf, scanFile } from '../integrity/scan-file.ts'
import { FAMILIES } from './faults/families.ts'
import { SMALL } from './faults/lossless.ts'

describe.each(Object.entries(FAMILIES))(
  'a fault of the family %s in a file of lossless-claw',
  (_, { lossless = [] }) => {
    it.each(lossless)(
      'is found by its rule alone, except for what follows from it: $name, $rule',
      async ({ rule, at, damage }) => {
        const report = await scanFile(damagedCopy(SMALL, damage))
        expect(fired(report)).toContain(rule)
        expect(faultsIn(report)).toEqual([rule])
        if (at) expect(JSON.stringify(resultOf(report, rule).samples)).toContain(at)
      },
    )
  },
)
