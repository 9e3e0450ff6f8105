import { describe, expect, it } from 'vitest'
import { damagedCopy, faultsIn, fired, resultOf, scanFile } from '../integrity/scan-file.ts'
import { familiesWith } from './faults/families.ts'
import { SMALL } from './faults/lossless.ts'

describe.each(familiesWith(({ lossless }) => lossless))(
  'a fault of the family $family in a file of lossless-claw',
  ({ faults }) => {
    it.each(faults)(
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
