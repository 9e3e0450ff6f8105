import type { SystemId } from '#core/contract/memory.ts'
import { inspectFile, type MemoryFile, measureFile } from '#core/sqlite/memory-file.ts'
import { APPLICATION_ID } from '#core/sqlite/schema.ts'
import { guardSchema } from '#core/sqlite/schema-guard.ts'
import { probeSchema } from '#core/sqlite/schema-probe.ts'
import { canOpenUris, openByUri } from '#core/sqlite/uri-db.ts'
import { detectSystem } from '../systems.ts'
import { type OpenMemoryOptions, openMemory } from './open.ts'

export type IdentifiedMemory = {
  readonly system: SystemId
  /** The folder of the project that it remembers, where the file itself says so. */
  readonly project: string | null
  /** Database and log. */
  readonly bytes: number
  readonly modifiedAtMs: number
}

/**
 * Says which system wrote a file from its structure alone: quick at any size, no lock, no copy, no trace. What is in a
 * log only is looked at the long way.
 * @throws LcmError what `openMemory` throws for what is no memory
 */
export async function identifyMemory(
  path: string,
  options: Pick<OpenMemoryOptions, 'cacheDir'> = {},
): Promise<IdentifiedMemory> {
  const file = await inspectFile(path)
  const { bytes, modifiedAtMs } = measureFile(file.path)
  const size = { bytes, modifiedAtMs }
  if (file.header.applicationId === APPLICATION_ID) {
    return { system: 'native', project: null, ...size }
  }
  const found = canOpenUris() ? glance(file) : null
  if (found) return { ...found, ...size }
  const memory = await openMemory(path, { ...options, readOnly: true })
  memory.close()
  return { system: memory.info.system, project: memory.info.project ?? null, ...size }
}

/** null when the file alone, without its log, tells nothing. */
function glance(file: MemoryFile): Pick<IdentifiedMemory, 'system' | 'project'> | null {
  const db = openByUri(file.realPath, 'immutable=1')
  try {
    const probe = probeSchema(db)
    const system = detectSystem(probe)
    return system && { system: system.id, project: system.project?.(guardSchema(db, probe.computed)) ?? null }
  } catch {
    // Read without locks, a file that is being written may look damaged: the long way tells for sure.
    return null
  } finally {
    db.close()
  }
}
