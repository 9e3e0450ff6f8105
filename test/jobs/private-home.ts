// Settings, recent files and copies of a test are its own. Imported first: threads inherit the environment.
import { join } from 'node:path'
import { temporaryFolder } from '../builders/temporary-folder.ts'

const home = temporaryFolder()
for (const name of Object.keys(process.env))
  if (name.startsWith('LCM_') && name !== 'LCM_CHROMIUM') delete process.env[name]
process.env.LCM_DATA_DIR = join(home, 'data')
process.env.LCM_CACHE_DIR = join(home, 'cache')
