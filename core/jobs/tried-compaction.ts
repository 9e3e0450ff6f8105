import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { CompactInput, type CompactionResult } from '../contract/compaction.ts'
import type { JobProgress } from '../contract/job.ts'
import type { TriedCompaction } from '../contract/probe.ts'
import { LcmError } from '../errors.ts'
import { type Lcm, type OpenLcmOptions, openLcm } from '../lcm.ts'
import { makeTemporaryFolder } from '../sqlite/process-folder.ts'

/** A memory on which a compaction was tried, in a folder of its own. */
export type Trial = { readonly lcm: Lcm; readonly result: CompactionResult; readonly close: () => void }

type How = {
  /** What is said while the compaction runs. */
  readonly name: string
  readonly whenCancelled: string
  /** How the copy is opened. */
  readonly open: OpenLcmOptions
}

/**
 * Tries a compaction with the values of a preset or by another summariser.
 * @throws LcmError as `compactCopy`
 */
export async function* tryCompaction(
  lcm: Lcm,
  { conversationId, tried, ...how }: How & { readonly conversationId: number; readonly tried: TriedCompaction },
  signal: AbortSignal,
): AsyncGenerator<JobProgress, Trial> {
  const { presetSettings } = await import('../systems/presets.ts')
  const settings = tried.preset === undefined ? {} : presetSettings(tried.preset)
  return yield* compactCopy(lcm, { ...compactionOf(conversationId, tried), settings }, how, signal)
}

/**
 * Copies a memory into a temporary folder and compacts a conversation of the copy; the memory itself is only read. Close
 * it to remove the folder.
 * @throws LcmError not_found, invalid_argument, cancelled, and what a compaction throws
 */
export async function* compactCopy(
  lcm: Lcm,
  input: CompactInput,
  { name, whenCancelled, open }: How,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, Trial> {
  const { copyMemory } = await import('../doctor/working-copy/copy-memory.ts')
  const folder = makeTemporaryFolder('trial')
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  let copy: Lcm | null = null
  try {
    const to = join(folder, 'lcm.db')
    yield* renamed(copyMemory({ from: lcm, to }, signal), 'copying the memory')
    copy = await openLcm(to, { ...open, settings: lcm.settings })
    const run = copy.compactionEngine().compact(input, signal)
    const result = yield* renamed(run, `compacting a copy: ${name}`)
    // A compaction that is cancelled ends like any other, with what it did until then.
    if (signal.aborted) throw new LcmError('cancelled', whenCancelled)
    const tested = copy
    return {
      lcm: tested,
      result,
      close: () => {
        tested.close()
        remove()
      },
    }
  } catch (error) {
    copy?.close()
    remove()
    throw error
  }
}

export const compactionOf = (conversationId: number, { summarizer }: TriedCompaction): CompactInput =>
  CompactInput.parse({ conversationId, summarizer })

/** The name of what is tried, for people. */
export function trialName({ preset, summarizer }: TriedCompaction): string {
  const parts = [
    ...(preset === undefined ? [] : [`with ${preset}`]),
    ...(summarizer === undefined ? [] : [`by ${summarizer}`]),
  ]
  return parts.length === 0 ? 'after a compaction' : `after one ${parts.join(' ')}`
}

/** Runs other work to its end and reports each of its steps as a step of this one. */
async function* renamed<Step, Result>(
  work: AsyncGenerator<Step, Result>,
  note: string,
): AsyncGenerator<JobProgress, Result> {
  for (;;) {
    const step = await work.next()
    if (step.done) return step.value
    yield { done: 0, total: 0, unit: 'steps', note }
  }
}
