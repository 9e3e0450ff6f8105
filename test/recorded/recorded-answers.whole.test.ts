import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { contract } from '#core/contract/contract.ts'
import { JobSpec } from '#core/contract/job.ts'
import { ALL, askSample, askStory, FIXTURE_FILES, fixtureAsker, IS_BRIEF, STORIES, storyName } from './memories.ts'
import { JOBS_NOT_RECORDED, NOT_RECORDED } from './not-recorded.ts'
import { holdToRecord, RECORDED, readRecording } from './recording.ts'

const askFixture = fixtureAsker(IS_BRIEF)

describe('the answers of every reading procedure', () => {
  it.each(FIXTURE_FILES)('are as recorded for %s', async (name) => {
    holdToRecord(`files/${name}`, await askFixture(name), IS_BRIEF)
  })

  it('are as recorded for the sample memory', async () => {
    holdToRecord('sample', await askSample(), IS_BRIEF)
  })

  it.each(STORIES)('are as recorded for story %i', async (number) => {
    holdToRecord(`stories/${storyName(number)}`, await askStory(number), IS_BRIEF)
  })
})

const recordings = (): string[] =>
  readdirSync(RECORDED, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.replaceAll('\\', '/').replace(/\.json$/, ''))
    .filter((name) => !name.startsWith('field/'))
/** Names of all procedures of a part of the contract. */
function namesIn(part: object, path: readonly string[] = []): string[] {
  if ('~orpc' in part) return [path.join('.')]
  return Object.entries(part).flatMap(([key, child]) => namesIn(child as object, [...path, key]))
}
const jobKinds = JobSpec.options.map((option) => `job ${option.shape.kind.value}`)
const leftOut = [...Object.keys(NOT_RECORDED), ...Object.keys(JOBS_NOT_RECORDED).map((kind) => `job ${kind}`)]

it('every procedure of the contract is recorded, or a line says why it is not', () => {
  const recorded = recordings().flatMap((name) => Object.keys(readRecording(join(RECORDED, `${name}.json`))))
  expect([...new Set(recorded), ...leftOut].sort()).toEqual([...namesIn(contract), ...jobKinds].sort())
})

it('every record belongs to a memory that is asked about', () => {
  const stories = ALL.map((number) => `stories/${storyName(number)}`)
  expect(recordings().sort()).toEqual([...FIXTURE_FILES.map((name) => `files/${name}`), 'sample', ...stories].sort())
})
