// `npm run test:long`: thousands of kills, damaged files, full disks and losses of power, and an hour of load. Options:
// --kills=N --mutations=N --minutes=N --seed=N, and --every=N to cut off only one of N writes.

import { runSource } from './run-source.mjs'
import { quicken } from './test-surroundings.mjs'

quicken()
await runSource('test/long/long.ts')
