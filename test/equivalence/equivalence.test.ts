import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../builders/property-runs.ts'
import { WRITERS } from '../builders/systems/every-writer.ts'
import { nativeWriter } from '../builders/systems/native.ts'
import { type Story, tellStory } from '../builders/systems/story.ts'
import { type SystemWriter, writeStory } from '../builders/systems/system.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { withLcm } from '../systems/every-service.ts'
import { type Answers, askAll, comparable, FIRED, type Fired } from './answers.ts'

// "One equivalence suite over all dialects: the same generated conversation written in each system's schema by a small
// writer gives the same answers to every query of every service."

const RUNS = runs(1)

async function answersOf(writer: SystemWriter, story: Story): Promise<Answers> {
  const folder = temporaryFolder()
  const path = join(folder, 'lcm.db')
  mkdirSync(folder, { recursive: true })
  writeStory(writer, path, story)
  return withLcm(path, join(folder, 'cache'), (lcm) => {
    expect(lcm.info.readOnly).toBe(writer !== nativeWriter)
    return askAll(lcm)
  })
}

/** What is wrong with our own file is found in theirs, as a fault or not; what is wrong with theirs alone is nothing. */
function expectSameFaults(writer: SystemWriter, theirs: readonly Fired[], ours: readonly Fired[]): void {
  const faults = ours.filter(({ id, isFault }) => isFault && writer.unfired?.[id] === undefined)
  const found = new Map(theirs.map(({ id, count }) => [id, count]))
  expect(faults.map(({ id }) => [id, found.get(id)])).toEqual(faults.map(({ id, count }) => [id, count]))
  const known = new Set(ours.map(({ id }) => id))
  expect(theirs.filter(({ id, isFault }) => isFault && !known.has(id))).toEqual([])
}

/** What the system says of a story, and what a native file says of as much of it as the system can tell. */
async function expectEqual(writer: SystemWriter, story: Story): Promise<number> {
  const told = writer.tell(story)
  const [theirs, ours] = [await answersOf(writer, told), await answersOf(nativeWriter, told)]
  const same = (answer: unknown): unknown => comparable(answer, writer.unsaid ?? {})
  expect([...theirs.keys()]).toEqual([...ours.keys()])
  for (const [question, answer] of ours) {
    if (question === FIRED) expectSameFaults(writer, theirs.get(FIRED) as Fired[], answer as Fired[])
    else expect(same(theirs.get(question)), question).toEqual(same(answer))
  }
  return ours.size
}

describe.each(WRITERS.map((writer) => ({ name: writer.name, writer })))('a story that $name wrote', ({ writer }) => {
  it('is read like a native one', async () => {
    const asked = await expectEqual(writer, tellStory({ seed: 5, turns: 7 }))
    expect(asked).toBeGreaterThan(300)
  })

  it('is read like a native one for any content', async () => {
    const stories = fc.record({
      seed: fc.integer({ min: 1, max: 1_000_000 }),
      sessions: fc.integer({ min: 1, max: 3 }),
      turns: fc.integer({ min: 1, max: 6 }),
      leafMessages: fc.integer({ min: 2, max: 6 }),
      fanIn: fc.integer({ min: 2, max: 3 }),
      tail: fc.integer({ min: 0, max: 6 }),
    })
    await fc.assert(
      fc.asyncProperty(stories, async (spec) => {
        await expectEqual(writer, tellStory(spec))
      }),
      { numRuns: RUNS },
    )
  })

  it('has a line for everything that it cannot express', () => {
    for (const line of writer.lacks) expect(line).toMatch(/^[A-Z].*\.$/)
    for (const reason of [...Object.values(writer.unsaid ?? {}), ...Object.values(writer.unfired ?? {})])
      expect(reason).toMatch(/\.$/)
  })
})
