import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { CompactInput } from '#core/contract/compaction.ts'
import { openLcm as openLibrary } from '#core/doors/library/library.ts'
import { openLcm } from '#core/lcm.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { rawMemory } from '../raw-memory.ts'
import { inTurn, type Timing } from '../statistics.ts'

/** In the first ones what an agent calls is still being compiled: of five in all, that was a tenth of the time. */
const ROUNDS = 21

/** A compaction as an agent asks for it, and by the engine alone, each of the same conversation, in turn. */
export async function measureAskedCompaction(messages: number): Promise<readonly [asked: Timing, alone: Timing]> {
  const { path, db } = rawMemory(messages)
  db.close()
  const folder = temporaryFolder()
  let number = 0
  const copy = (): string => {
    number += 1
    const to = join(folder, `${number}.db`)
    copyFileSync(path, to)
    return to
  }
  const asked = async (): Promise<void> => {
    const lcm = await openLibrary(copy())
    await lcm.compact({ conversationId: 1 })
    await lcm.close()
  }
  const alone = async (): Promise<void> => {
    using lcm = await openLcm(copy())
    for await (const _ of lcm.compactionEngine().compact(CompactInput.parse({ conversationId: 1 }), NEVER));
  }
  await asked()
  await alone()
  return inTurn(Array.from({ length: ROUNDS }), asked, alone)
}

const NEVER = new AbortController().signal

if (import.meta.main) console.log(JSON.stringify(await measureAskedCompaction(Number(process.argv[2] ?? 5000))))
