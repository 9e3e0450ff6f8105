import { join } from 'node:path'
import type { IntegrityReport } from '#core/contract/integrity.ts'
import type { CopyReport } from '#core/contract/working-copy.ts'
import { copyMemory } from '#core/doctor/working-copy/copy-memory.ts'
import { openLcm } from '#core/lcm.ts'
import { runToEnd } from '#core/yielding.ts'
import { checkMemory } from '#test/builders/check-memory.ts'
import type { Story } from '#test/builders/systems/story.ts'
import { type SystemWriter, writeStory } from '#test/builders/systems/system.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { withLcm } from '#test/systems/every-service.ts'

const cacheDir = join(temporaryFolder(), 'cache')

/** A copy of a file in a folder of its own. */
export async function copied(from: string): Promise<{ readonly path: string; readonly report: CopyReport }> {
  const path = join(temporaryFolder(), 'copy.db')
  using lcm = await openLcm(from, { readOnly: true, cacheDir })
  return { path, report: await runToEnd(copyMemory({ from: lcm, to: path }, new AbortController().signal)) }
}

/** As one system writes it, at rest. */
export function written(writer: SystemWriter, story: Story): string {
  const path = join(temporaryFolder(), 'lcm.db')
  writeStory(writer, path, writer.tell(story))
  return path
}

export const checked = (path: string): Promise<IntegrityReport> => withLcm(path, cacheDir, (lcm) => checkMemory(lcm))
