import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { copyMemory } from '#core/doctor/working-copy/copy-memory.ts'
import { openLcm } from '#core/lcm.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { clawMemory } from './claw-memory.ts'
import { type Duration, megabytes, timed } from './statistics.ts'

export type CopyMeasure = {
  readonly originalMegabytes: number
  readonly copy: Duration
  /** The file by the text of its messages, each counted once. */
  readonly timesText: number
}

const queries = { textBytes: /* sql */ `SELECT sum(octet_length(content)) FROM messages` }

/** A working copy of a file of lossless-claw, whose writer stores the text of every message three times. */
export async function measureCopy(size: number): Promise<CopyMeasure> {
  const from = clawMemory(size)
  const folder = temporaryFolder()
  const to = join(folder, 'copy.db')
  const lcm = await openLcm(from, { readOnly: true, cacheDir: join(folder, 'cache') })
  const copy = await timed(async () => {
    for await (const _ of copyMemory({ from: lcm, to }, new AbortController().signal));
  })
  const text = lcm.read.value<number>(queries.textBytes) ?? 0
  lcm.close()
  const timesText = statSync(to).size / text
  rmSync(folder, { recursive: true, force: true })
  return { originalMegabytes: megabytes(statSync(from).size), copy, timesText }
}

if (import.meta.main) console.log(JSON.stringify(await measureCopy(Number(process.argv[2] ?? 100)), null, 2))
