import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '#scripts/project.mjs'

export type Commit = { readonly id: string; readonly subject: string }

/**
 * The commit to compare with, and the one that is checked out.
 * @throws Refusal when the project is no git checkout, has uncommitted changes, or the commit is not known
 */
export function commitsToCompare(project: string, against: string): { old: Commit; new: Commit } {
  const prefix = git(project, ['rev-parse', '--show-prefix'])
  if (prefix === undefined || prefix !== '')
    throw new Refusal('--against needs a git checkout of LCM Inspector, and this folder is none. Clone the repository.')
  if (git(project, ['status', '--porcelain', '--untracked-files=no']) !== '')
    throw new Refusal('there are uncommitted changes, and only commits are compared. Commit or stash them first.')
  return { old: commit(project, against), new: commit(project, 'HEAD') }
}

function commit(project: string, name: string): Commit {
  const id = git(project, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`])
  if (id === undefined)
    throw new Refusal(`git knows no commit “${name}” here. In a shallow clone, run: git fetch --unshallow`)
  return { id, subject: git(project, ['log', '-1', '--format=%h %s', id]) ?? id }
}

/**
 * Writes the files of a commit into a new folder; the repository itself is left as it is.
 * The installed dependencies are shared when the commit asks for the same ones.
 */
export function checkOut(project: string, { id, subject }: Commit, folder: string): void {
  const env = { GIT_INDEX_FILE: `${folder}.index` }
  const isWritten =
    git(project, ['read-tree', id], env) !== undefined &&
    git(project, ['checkout-index', '--all', `--prefix=${folder}/`], env) !== undefined
  if (!isWritten) throw new Refusal(`git could not write the files of ${subject} to ${folder}.`)
  const needed = ['scripts/build.mjs', 'scripts/bench.mjs', 'test/perf/bench.ts', 'test/perf/large-memory.ts']
  const missing = needed.find((file) => !existsSync(join(folder, file)))
  if (missing) throw new Refusal(`${subject} has no ${missing}: it is too old to be compared.`)
  const lockOf = (root: string): string => readFileSync(join(root, 'package-lock.json'), 'utf8')
  if (lockOf(project) === lockOf(folder))
    symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'), 'junction')
}

/** What git printed, or undefined when it failed. */
function git(project: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): string | undefined {
  const { status, stdout, error } = spawnSync('git', args, {
    cwd: project,
    encoding: 'utf8',
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  if (error) throw new Refusal(`git cannot be started (${error.message}). --against needs it.`)
  return status === 0 ? stdout.trim() : undefined
}
