import { statSync } from 'node:fs'
import { expect, it } from 'vitest'
import { compareSearches } from '#core/doctor/working-copy/compare-searches.ts'
import { openLcm } from '#core/lcm.ts'
import { runToEnd } from '#core/yielding.ts'
import { losslessClawWriters } from '#test/builders/systems/lossless.ts'
import { tellStory } from '#test/builders/systems/story.ts'
import { copied, written } from './copying.ts'

it('asks as many questions as the file may be read for them, and one of a file of any size', async () => {
  const [writer] = losslessClawWriters
  if (!writer) throw new Error('no writer')
  const from = written(writer, tellStory({ seed: 11, sessions: 2, turns: 10, tail: 12 }))
  const { path, report } = await copied(from)
  const [original, copy] = [await openLcm(from, { readOnly: true }), await openLcm(path, { readOnly: true })]
  const asked = async (mostBytes: number): Promise<number> => {
    const given = { original: original.read, info: original.info, copy: copy.read, isWhole: true, mostBytes }
    return (await runToEnd(compareSearches(given, new AbortController().signal))).length
  }
  const { size } = statSync(from)
  expect(await asked(size * 2)).toBe(2)
  expect(await asked(size * 2 - 1)).toBe(1)
  expect(await asked(1)).toBe(1)
  expect(await asked(size * 100)).toBe(report.searches.length)
  original.close()
  copy.close()
})
