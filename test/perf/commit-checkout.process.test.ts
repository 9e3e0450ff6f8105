import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { checkOut, commitsToCompare } from './commit-checkout.ts'

const BENCHMARK = ['scripts/build.mjs', 'scripts/bench.mjs', 'test/perf/bench.ts', 'test/perf/large-memory.ts']

let project: string

beforeEach(() => {
  project = join(temporaryFolder(), 'project')
  for (const folder of ['scripts', 'test/perf', 'node_modules']) mkdirSync(join(project, folder), { recursive: true })
  write('.gitignore', 'node_modules')
  write('package-lock.json', 'one')
  git('init', '-q')
  commit('Begin')
  for (const file of BENCHMARK) write(file, 'old')
  commit('Measure')
  for (const file of BENCHMARK) write(file, 'new')
  commit('Measure more')
})

const write = (file: string, text: string): void => writeFileSync(join(project, file), text)
const git = (...args: string[]): string => {
  const who = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']
  const { status, stdout } = spawnSync('git', [...who, ...args], { cwd: project, encoding: 'utf8' })
  expect(status).toBe(0)
  return stdout
}
const commit = (subject: string): void => {
  git('add', '-A')
  git('commit', '-q', '-m', subject)
}

it('writes the files of both commits and does not change the repository', () => {
  const before = git('worktree', 'list') + git('status', '--porcelain')
  const commits = commitsToCompare(project, 'HEAD~1')
  expect([commits.old.subject, commits.new.subject]).toEqual([
    expect.stringMatching(/ Measure$/),
    expect.stringMatching(/ Measure more$/),
  ])
  for (const side of ['old', 'new'] as const) {
    const folder = join(temporaryFolder(), side)
    checkOut(project, commits[side], folder)
    expect(readFileSync(join(folder, 'test/perf/bench.ts'), 'utf8')).toBe(side)
  }
  expect(git('worktree', 'list') + git('status', '--porcelain')).toBe(before)
})

it('shares the installed dependencies with a commit that has the same lock file, and with no other', () => {
  write('package-lock.json', 'two')
  commit('Ask for other dependencies')
  const commits = commitsToCompare(project, 'HEAD~1')
  const [old, now] = [join(temporaryFolder(), 'old'), join(temporaryFolder(), 'new')]
  checkOut(project, commits.old, old)
  checkOut(project, commits.new, now)
  expect(existsSync(join(old, 'node_modules'))).toBe(false)
  expect(realpathSync(join(now, 'node_modules'))).toBe(realpathSync(join(project, 'node_modules')))
})

it('refuses a commit that git does not know', () => {
  expect(() => commitsToCompare(project, 'nowhere')).toThrow('git knows no commit “nowhere” here')
  expect(() => commitsToCompare(project, '--all')).toThrow('git knows no commit “--all” here')
})

it('refuses uncommitted changes, but not files that git does not follow', () => {
  write('notes.txt', 'mine')
  expect(() => commitsToCompare(project, 'HEAD')).not.toThrow()
  write('test/perf/bench.ts', 'changed')
  expect(() => commitsToCompare(project, 'HEAD')).toThrow('there are uncommitted changes')
})

it('refuses a folder that is no git checkout of its own', () => {
  expect(() => commitsToCompare(temporaryFolder(), 'HEAD')).toThrow('needs a git checkout')
  expect(() => commitsToCompare(join(project, 'scripts'), 'HEAD')).toThrow('needs a git checkout')
})

it('says so when git is not installed', () => {
  const { PATH } = process.env
  process.env.PATH = temporaryFolder()
  try {
    expect(() => commitsToCompare(project, 'HEAD')).toThrow('git cannot be started')
  } finally {
    process.env.PATH = PATH
  }
})

it('refuses a commit that is older than the benchmark', () => {
  const { old } = commitsToCompare(project, 'HEAD~2')
  expect(() => checkOut(project, old, join(temporaryFolder(), 'old'))).toThrow(
    /Begin has no scripts\/build.mjs: it is too old to be compared/,
  )
})
