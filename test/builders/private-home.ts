// Gives each test file settings, recent files and copies of its own. Threads and programs inherit the environment.
import { join } from 'node:path'
import { afterAll, vi } from 'vitest'
import { temporaryFolder } from './temporary-folder.ts'

/** Variables of the test run, not of the program under test. */
const OF_THE_RUN = /^LCM_(CHROMIUM|ELECTRON|FIELD_DATA|TEST_\w+)$/

const home = temporaryFolder()
for (const name of Object.keys(process.env))
  if (name.startsWith('LCM_') && !OF_THE_RUN.test(name)) delete process.env[name]
process.env.LCM_DATA_DIR = join(home, 'data')
process.env.LCM_CACHE_DIR = join(home, 'cache')
// A job that nobody asked for would stand beside those that a test asks for.
process.env.LCM_CHECK_ON_OPENING = 'false'

// The file after this one runs in the same process.
afterAll(() => {
  vi.unstubAllEnvs()
})
