import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { copyMemory } from '#core/doctor/working-copy/copy-memory.ts'
import { openLcm } from '#core/lcm.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { clawMemory } from './claw-memory.ts'
import { type IntegrityMeasure, measureIntegrity } from './measure-integrity.ts'

export type TextChecksMeasure = {
  readonly foreignMs: number
  readonly nativeMs: number
  readonly timesNative: number
}

const ROUNDS = 3

/**
 * How long the checks take that read texts, for a file of lossless-claw and for its working copy: the shortest of
 * several scans of each, which take turns.
 * @param size of the file, in megabytes
 */
export async function measureTextChecks(size: number): Promise<TextChecksMeasure> {
  const from = clawMemory(size)
  const folder = temporaryFolder()
  const to = join(folder, 'copy.db')
  const lcm = await openLcm(from, { readOnly: true, cacheDir: join(folder, 'cache') })
  for await (const _ of copyMemory({ from: lcm, to }, new AbortController().signal));
  lcm.close()
  let [foreignMs, nativeMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = 0; round < ROUNDS; round += 1) {
    foreignMs = Math.min(foreignMs, textPhaseMs(await measureIntegrity(from)))
    nativeMs = Math.min(nativeMs, textPhaseMs(await measureIntegrity(to)))
  }
  rmSync(folder, { recursive: true, force: true })
  return { foreignMs, nativeMs, timesNative: foreignMs / nativeMs }
}

const textPhaseMs = ({ phases }: IntegrityMeasure): number =>
  phases.find(({ phase }) => phase === 'text')?.durationMs ?? Number.NaN

if (import.meta.main) console.log(JSON.stringify(await measureTextChecks(Number(process.argv[2] ?? 100)), null, 2))
