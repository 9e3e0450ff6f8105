import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { keptPath } from '../kept-files.ts'
import { importInProcess } from '../measure-first-import.ts'
import { transcriptLines } from '../measure-import.ts'

/** Milliseconds of processor time for the same transcripts, null for a program that is not installed. */
export type TranscriptMeasure = {
  readonly importMs: number
  readonly jqMs: number | null
  readonly ccusageMs: number | null
}

const CCUSAGE = 'ccusage@17.2.1'

/** @param install true where ccusage may be installed, into the folder for temporary files */
export async function measureTranscripts(messages: number, install: boolean): Promise<TranscriptMeasure> {
  const home = temporaryFolder()
  const project = join(home, '.claude', 'projects', 'bench')
  mkdirSync(project, { recursive: true })
  writeFileSync(join(project, 'session.jsonl'), `${[...transcriptLines(messages)].join('\n')}\n`)
  const ccusage = ccusageProgram(install)
  const measure = {
    importMs: importInProcess(join(home, 'lcm.db'), project),
    jqMs: commandMs('jq', ['-c', '.', join(project, 'session.jsonl')]),
    ccusageMs:
      ccusage === null
        ? null
        : commandMs(process.execPath, [ccusage, 'session', '--json', '--offline'], {
            HOME: home,
            CLAUDE_CONFIG_DIR: join(home, '.claude'),
          }),
  }
  rmSync(home, { recursive: true, force: true })
  return measure
}

/** The program that was installed once with the temporary files, or null. */
function ccusageProgram(install: boolean): string | null {
  const folder = keptPath(CCUSAGE)
  const program = join(folder, 'node_modules', 'ccusage', 'dist', 'index.js')
  if (!existsSync(program) && install)
    execFileSync('npm', ['install', '--prefix', folder, '--no-save', '--ignore-scripts', CCUSAGE], { stdio: 'ignore' })
  return existsSync(program) ? program : null
}

/**
 * Returns the milliseconds of processor time that a program took, with all that it started, as the shell counts them;
 * null when it is not installed.
 */
export function commandMs(program: string, options: readonly string[], env: NodeJS.ProcessEnv = {}): number | null {
  if (process.platform === 'win32') return null
  const script = 'command -v "$0" >/dev/null || exit 127; "$0" "$@" >/dev/null || exit 1; times'
  let answer: string
  try {
    const surroundings = { ...process.env, ...env }
    answer = execFileSync('sh', ['-c', script, program, ...options], { encoding: 'utf8', env: surroundings })
  } catch (error) {
    if ((error as { status?: number }).status === 127) return null
    throw error
  }
  // The second line is that of the programs that the shell started: user and system, as 0m1.230000s.
  const [, children = ''] = answer.trim().split('\n')
  return [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60_000 + Number(seconds) * 1000,
    0,
  )
}
