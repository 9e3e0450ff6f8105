import type { UnknownVariable } from '../contract/settings.ts'
import type { Environment } from '../folders.ts'
import { VARIABLES } from './variables.ts'

/** A variable that only the environment has: it decides before the settings are read, or belongs to a service. */
type EnvironmentVariable = { readonly name: string; readonly effect: string; readonly byDefault: string }

/** `docs/configuration.md` lists them. */
export const ENVIRONMENT_ONLY: readonly EnvironmentVariable[] = [
  {
    name: 'LCM_SETTINGS_FILE',
    effect: 'The settings file',
    byDefault: 'settings.json in the configuration folder of the user',
  },
  {
    name: 'LCM_DATA_DIR',
    effect: 'The folder of memories, the sample and what was agreed to; config and log in it are those folders then',
    byDefault: 'the data folder of the user',
  },
  {
    name: 'LCM_CACHE_DIR',
    effect: 'The folder of what can be made again: search indexes of other systems’ files, vectors, compiled code',
    byDefault: 'the cache folder of the user',
  },
  {
    name: 'LCM_MAP_COMMAND',
    effect:
      'Set by `lcm map` for the commands that it runs, by which all that they start is found when they are stopped',
    byDefault: 'not set',
  },
  { name: 'LCM_LOG_DIR', effect: 'The folder of the log and the counts', byDefault: 'the log folder of the user' },
  {
    name: 'LCM_DATABASE_REPLICA_URL',
    effect: 'A read replica of the database in LCM_DATABASE_URL: lists, searches and pulls ask it',
    byDefault: 'not set',
  },
  {
    name: 'LCM_OBJECTS',
    effect: 'Where large files of conversations in PostgreSQL lie: s3://bucket/prefix, or a folder',
    byDefault: 'nowhere: only their rows are stored',
  },
  {
    name: 'LCM_OBJECTS_ENDPOINT',
    effect: 'The address of the S3 server; its keys are AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN',
    byDefault: 'that of Amazon for the region',
  },
  {
    name: 'LCM_OBJECTS_REGION',
    effect: 'The region with which requests are signed',
    byDefault: 'AWS_REGION, or us-east-1',
  },
  { name: 'LCM_DEBUG', effect: '1: a command that fails prints where, too', byDefault: 'not set' },
  { name: 'LCM_NO_ELECTRON', effect: '1: the window opens in the browser', byDefault: 'not set' },
]

/** Variables of this program's own tests and measurements. They change nothing of the program. */
const OF_TESTS: readonly string[] = ['LCM_BENCH_LARGE', 'LCM_CHROMIUM', 'LCM_FIELD_DATA', 'LCM_SHOW_FIGURES']
const TESTS = 'LCM_TEST_'

const KNOWN: readonly string[] = [
  ...Object.values(VARIABLES).map(({ name }) => name),
  ...ENVIRONMENT_ONLY.map(({ name }) => name),
]

/** Lists the `LCM_…` variables of the environment that this program does not know, so that a mistyped one is noticed. */
export function unknownVariables(env: Environment): UnknownVariable[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('LCM_') && (env[name] ?? '').trim() !== '')
    .filter((name) => !KNOWN.includes(name) && !OF_TESTS.includes(name) && !name.startsWith(TESTS))
    .sort()
    .map((variable) => ({ variable, nearest: nearestOf(variable, KNOWN) }))
}

/** Says of unknown variables what they mean for a command, in one line. */
export function unknownVariablesText(unknown: readonly UnknownVariable[]): string {
  const named = unknown.map(({ variable, nearest }) =>
    nearest === null ? variable : `${variable} (did you mean ${nearest}?)`,
  )
  const one = unknown.length === 1
  return `${named.join(', ')}: ${one ? 'this variable is' : 'these variables are'} not known here and ${one ? 'changes' : 'change'} nothing. docs/configuration.md lists all.`
}

/** Returns the known name that was most likely meant, or null when none is like it. */
export function nearestOf(name: string, known: readonly string[]): string | null {
  const rated = known.map((one) => ({ one, likeness: likeness(bare(name), bare(one)) }))
  const [best] = rated.sort((a, b) => b.likeness - a.likeness)
  return best && best.likeness >= LEAST_LIKENESS ? best.one : null
}
const LEAST_LIKENESS = 0.7

const bare = (name: string): string => name.toUpperCase().replace(/^LCM_/, '').slice(0, 80)

/** From 0 to 1. A name within the other is a likely shortening: `LCM_INCREMENTAL_MAX_DEPTH`, `LCM_FRESH_TAIL`. */
function likeness(a: string, b: string): number {
  const edited = 1 - editDistance(a, b) / Math.max(a.length, b.length, 1)
  const isWithin = `_${a}_`.includes(`_${b}_`) || `_${b}_`.includes(`_${a}_`)
  return isWithin && Math.min(a.length, b.length) >= 8 ? Math.max(edited, LEAST_LIKENESS) : edited
}

/** The insertions, deletions and replacements that make one text of the other (Levenshtein). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, char] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (char === other ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
