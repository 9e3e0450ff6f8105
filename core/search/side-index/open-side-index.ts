import { realpathSync } from 'node:fs'
import { probeSchema } from '#core/sqlite/schema-probe.ts'
import { isNative } from '#core/systems/native/native.ts'
import type { OpenedMemory } from '#core/systems/opening/open.ts'
import { detectSystem } from '#core/systems/systems.ts'
import { SideIndex } from './side-index.ts'
import { SourceState } from './source-state.ts'

/**
 * Returns the search index that the app keeps for an open memory, or null for a file whose own indexes can be relied
 * on. No index is made here.
 * @param openedStamp `stampAtRest` before the memory was opened
 */
export function openSideIndex(
  { info, read }: Pick<OpenedMemory, 'info' | 'read'>,
  openedStamp: string | null,
  cacheDir: string,
): SideIndex | null {
  const { fullTextIndex, substringIndex } = info.capabilities
  if (isNative(info) || (fullTextIndex && substringIndex)) return null
  const companions = detectSystem(probeSchema(read))?.companions?.(realpathSync(info.path)) ?? []
  return new SideIndex({ read, info, state: new SourceState({ read, info, openedStamp, companions }), cacheDir })
}
