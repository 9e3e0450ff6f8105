import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '#test/builders/property-runs.ts'
import { faultsIn, fired, scanFile } from '../integrity/scan-file.ts'
import { losslessWorld, nativeWorld } from '../integrity/worlds.ts'
import { generatedFaults as faults } from './faults/families.ts'

const forms = [
  { name: 'a native file', make: nativeWorld },
  { name: 'a file of lossless-claw', make: losslessWorld },
]
const numRuns = runs(12)

describe.each(forms)('the rules, asked about $name', ({ make }) => {
  it('find nothing while the file is sound', () =>
    fc.assert(
      fc.asyncProperty(fc.nat(1_000_000), async (seed) => {
        const world = make(seed)
        expect(fired(await scanFile(world.path))).toEqual([])
        world.close()
      }),
      { numRuns: Math.ceil(numRuns / 2) },
    ))

  // "inject any of the fault families at random into a generated sound file: the right check fires, and no other
  // beyond its stated consequences"
  it('find any fault by its rule and by no other, except for what follows from it', () =>
    fc.assert(
      fc.asyncProperty(fc.nat(1_000_000), fc.integer({ min: 0, max: faults.length - 1 }), async (seed, which) => {
        const fault = faults[which]
        const world = make(seed)
        const isInjected = fault?.inject(world) ?? false
        if (isInjected) expect(faultsIn(await scanFile(world.path)), fault?.rule).toEqual([fault?.rule])
        world.close()
      }),
      { numRuns: 2 * numRuns },
    ))

  it('find every fault', async () => {
    for (const [index, fault] of faults.entries()) {
      const world = make(index)
      if (fault.inject(world)) expect(faultsIn(await scanFile(world.path)), fault.rule).toEqual([fault.rule])
      world.close()
    }
  })
})
