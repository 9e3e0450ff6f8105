import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { JobProgress } from '../contract/job.ts'
import type { SendReport } from '../contract/remote.ts'
import { copyMemory } from '../doctor/working-copy/copy-memory.ts'
import { makeTemporaryFolder } from '../sqlite/process-folder.ts'
import { isNative } from '../systems/native/native.ts'
import { openMemory } from '../systems/opening/open.ts'
import { type SendRequest, sendMemory } from './send.ts'

/**
 * Copies a memory of any system into a tenant. The memory of another system becomes a verified working copy first,
 * which is removed afterwards.
 */
export async function* copyToTenant(
  { path, ...target }: Pick<SendRequest, 'to' | 'tenant' | 'objects'> & { readonly path: string },
  signal: AbortSignal,
): AsyncGenerator<JobProgress, SendReport> {
  const opened = await openMemory(path, { readOnly: true })
  const folder = makeTemporaryFolder('copy')
  try {
    if (isNative(opened.info)) return yield* sendMemory({ from: opened.read, filesOf: path, ...target }, signal)
    const copy = join(folder, 'copy.db')
    yield* copyMemory({ from: opened, to: copy }, signal)
    const native = await openMemory(copy, { readOnly: true })
    try {
      return yield* sendMemory({ from: native.read, filesOf: path, ...target }, signal)
    } finally {
      native.close()
    }
  } finally {
    opened.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
