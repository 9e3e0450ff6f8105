import { describe, it } from 'vitest'
import { FIXTURE_FILES, fixtureAsker } from '../recorded/memories.ts'
import { holdToRecord } from '../recorded/recording.ts'

const askFixture = fixtureAsker(false)

describe('the answers of every reading procedure', () => {
  it.each(FIXTURE_FILES)('are as recorded for %s, which its system wrote', async (name) => {
    holdToRecord(`field/${name}`, await askFixture(name), false)
  })
})
