import { cpSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Core } from '#core/core.ts'
import { executeHere } from '#core/doors/run-job.ts'
import { Machine } from '#core/machine/machine.ts'
import { readSettings } from '#core/settings/settings.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { askEveryProcedure } from './ask-every-procedure.ts'
import { type Asked, Asker } from './asker.ts'
import type { Replacements } from './canonical.ts'

const TRANSCRIPT = join(import.meta.dirname, '../ingest/transcripts/samples/claude-code.jsonl')
/** Later than everything that any file tells of, and the same in every run. */
const NOW_MS = Date.UTC(2030, 0, 1)

/** Every answer about a memory, and what in them is of this run only. */
export type MemoryAnswers = { readonly asked: readonly Asked[]; readonly replacements: Replacements }

/** `folder` is a copy that belongs to the test: a native file is opened for writing. */
export async function askMemory(folder: string, name: string, isBrief: boolean): Promise<MemoryAnswers> {
  const home = temporaryFolder()
  const memory = join(folder, name)
  const transcript = join(home, 'session.jsonl')
  cpSync(TRANSCRIPT, transcript)
  const env = { LCM_DATA_DIR: join(home, 'data'), LCM_CACHE_DIR: join(home, 'cache') }
  const options = {
    settings: readSettings({}),
    cacheDir: env.LCM_CACHE_DIR,
    dataDir: env.LCM_DATA_DIR,
    clock: () => NOW_MS,
    owner: 'recorded answers',
  }
  const core = new Core({
    path: memory,
    open: options,
    machine: new Machine({ env, resourcesDir: home, home, cwd: home }),
    execute: executeHere(options),
  })
  try {
    const asker = new Asker(core, isBrief)
    await askEveryProcedure(asker, { memory, transcript })
    return { asked: asker.asked, replacements: replacementsIn(asker.asked, { folder, home }) }
  } finally {
    await core.close()
  }
}

type Grants = { readonly grant?: { readonly id: string } } | null

function replacementsIn(asked: readonly Asked[], folders: { folder: string; home: string }): Replacements {
  const grants = asked
    .filter(({ procedure }) => procedure === 'retrieval.expandQuery')
    .flatMap(({ answer }) => (answer as Grants)?.grant?.id ?? [])
  // A folder comes before the one in which it lies.
  return new Map([
    [folders.folder, '<folder>'],
    [folders.home, '<home>'],
    [process.env.LCM_DATA_DIR ?? '<data>', '<data>'],
    [process.env.LCM_CACHE_DIR ?? '<cache>', '<cache>'],
    [dirname(folders.home), '<temporary>'],
    ...grants.map((id, index): [string, string] => [id, `<grant ${index}>`]),
  ])
}
