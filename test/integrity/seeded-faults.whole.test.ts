import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../builders/property-runs.ts'
import { faultsIn, fired, scanFile } from './scan-file.ts'
import { families } from './seeded-faults.ts'
import { losslessWorld, nativeWorld } from './worlds.ts'

const forms = [
  { name: 'a native file', make: nativeWorld },
  { name: 'a file of lossless-claw', make: losslessWorld },
]
const numRuns = runs(12)

describe.each(forms)('the checks of a file of $name', ({ make }) => {
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
      fc.asyncProperty(fc.nat(1_000_000), fc.integer({ min: 0, max: families.length - 1 }), async (seed, which) => {
        const family = families[which]
        const world = make(seed)
        const isInjected = family?.inject(world) ?? false
        if (isInjected) expect(faultsIn(await scanFile(world.path)), family?.check).toEqual([family?.check])
        world.close()
      }),
      { numRuns: 2 * numRuns },
    ))

  it('find the fault of every family', async () => {
    for (const [index, family] of families.entries()) {
      const world = make(index)
      if (family.inject(world)) expect(faultsIn(await scanFile(world.path)), `family ${index}`).toEqual([family.check])
      world.close()
    }
  }, 60_000)
})
