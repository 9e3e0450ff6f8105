// Tries cases of a kind, and says of each what was wrong, a line a case: started by `tryCases`.
import type { AskedCases, CaseLine, Kind } from './cases.ts'
import { fullDisks } from './full-disk.ts'
import { kills } from './kills.ts'
import { mutations } from './mutations.ts'
import { lossesOfPower } from './power-loss.ts'

const KINDS: Readonly<Record<Kind, (asked: AskedCases) => AsyncGenerator<CaseLine>>> = {
  kills,
  'losses of power': lossesOfPower,
  'full disks': fullDisks,
  mutations,
}

const [, , kind = '', asked = '{}'] = process.argv
for await (const line of KINDS[kind as Kind](JSON.parse(asked) as AskedCases)) console.log(JSON.stringify(line))
