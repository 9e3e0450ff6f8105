import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isHunt } from '../builders/property-runs.ts'
import { WRITERS } from '../builders/systems/every-writer.ts'
import { nativeWriter } from '../builders/systems/native.ts'
import { type StorySpec, tellStory } from '../builders/systems/story.ts'
import { writeStory } from '../builders/systems/system.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { FIXTURES } from '../sqlite/fixtures.ts'
import { askMemory, type MemoryAnswers } from './ask-memory.ts'
import { RECORD } from './recording.ts'

const SAMPLE = join(import.meta.dirname, '../../resources/sample.db')
/** Every day a part of the questions is asked, in a hunt (`LCM_TEST_RUNS`) all of them. */
export const IS_BRIEF = !isHunt && RECORD === ''

const ALL_STORIES = 50
const EVERY_DAY_STORIES = 6

/** Every memory in the folder of all systems' files, sound and damaged. */
export const FIXTURE_FILES = readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => /\.(db|sqlite)$/.test(name))
  .sort()

/**
 * The copy has everything that lies beside the files, too, but for the index of a log: whoever reads a file with another
 * program leaves one, and the answers say so.
 */
export function fixtureAsker(isBrief: boolean): (name: string) => Promise<MemoryAnswers> {
  const folder = temporaryFolder()
  cpSync(FIXTURES, folder, { recursive: true, filter: (path) => !path.endsWith('-shm') })
  return (name) => askMemory(folder, name, isBrief)
}

/** A native file whose runs are recorded. */
export function askSample(): Promise<MemoryAnswers> {
  const folder = temporaryFolder()
  cpSync(SAMPLE, join(folder, 'sample.db'))
  return askMemory(folder, 'sample.db', IS_BRIEF)
}

const storyNumbers = (howMany: number): number[] => Array.from({ length: howMany }, (_, index) => index + 1)
export const ALL = storyNumbers(ALL_STORIES)
export const STORIES = IS_BRIEF ? storyNumbers(EVERY_DAY_STORIES) : ALL

export const storyName = (number: number): string => `story-${String(number).padStart(2, '0')}`

/** Every other story is written as a native file, the rest in turn as each system does. */
export function askStory(number: number): Promise<MemoryAnswers> {
  const writer = number % 2 === 0 ? nativeWriter : WRITERS[((number - 1) / 2) % WRITERS.length]
  if (!writer) throw new Error('There are no writers.')
  const spec: StorySpec = {
    seed: number,
    sessions: 1 + (number % 3),
    turns: 4 + (number % 7),
    leafMessages: 2 + (number % 5),
    fanIn: 2 + (number % 3),
    tail: number % 7,
    keepsPairs: number % 4 === 0,
  }
  const folder = temporaryFolder()
  writeStory(writer, join(folder, 'story.db'), writer.tell(tellStory(spec)))
  return askMemory(folder, 'story.db', IS_BRIEF)
}
