import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FIXTURES } from '../db/fixtures.ts'
import { allFaults } from './lossless-claw-faults.ts'
import { damagedCopy, faultsIn, fired, resultOf, scanFile } from './scan-file.ts'

const SMALL = join(FIXTURES, 'lossless-claw/small.db')

describe('a fault in a file of lossless-claw', () => {
  it.each(allFaults)(
    'is found by its rule alone, except for what follows from it: $name, $check',
    async ({ check, at, damage }) => {
      const report = await scanFile(damagedCopy(SMALL, damage))
      expect(fired(report)).toContain(check)
      expect(faultsIn(report)).toEqual([check])
      if (at) expect(JSON.stringify(resultOf(report, check).samples)).toContain(at)
    },
  )
})
