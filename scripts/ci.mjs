// Started by `.ci/run`: tests the last commit in an empty folder without other files beside it, then with real files.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fieldData, isFieldData } from './field-data.mjs'
import { main, Refusal, root } from './project.mjs'
import { stopGroup } from './run-step.mjs'
import { readCounts, sum } from './test-counts.mjs'

await main(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lcm-ci-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const clone = cloneInto(join(folder, 'lcm-inspector'))
  const runs = [await npm(clone, ['test'])]
  const data = fieldData()
  if (isFieldData(data)) runs.push(await npm(clone, ['run', 'test:field'], { LCM_FIELD_DATA: data }))
  else console.log(`test:field is left out: there are no files of other systems at ${data}.`)
  if (runs.some(({ code }) => code !== 0)) process.exitCode = 1
  const { passed, failed, skipped } = sum(runs.map(({ counts }) => counts))
  console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`)
})

/** Clones only what is committed, without other files in this folder or beside it. */
function cloneInto(clone) {
  const commit = git(['-C', root, 'rev-parse', 'HEAD'])
  git(['clone', '--quiet', '--no-checkout', root, clone])
  git(['-C', clone, 'checkout', '--quiet', '--detach', commit])
  console.log(`Commit ${commit} in ${clone}`)
  return clone
}

function git(args) {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))
  const { status, stdout, stderr, error } = spawnSync('git', args, { encoding: 'utf8', env: Object.fromEntries(own) })
  if (status !== 0) throw new Refusal(`git ${args.join(' ')} failed: ${(error?.message ?? stderr).trim()}`)
  return stdout.trim()
}

/** Runs a command of the clone, says what it says, and reads its last line. */
function npm(clone, args, more = {}) {
  console.log(`\n════ npm ${args.join(' ')}`)
  const windows = process.platform === 'win32'
  const child = spawn(windows ? 'npm.cmd' : 'npm', args, {
    cwd: clone,
    env: { ...process.env, CI: 'true', ...more },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: !windows,
    shell: windows,
  })
  const interrupt = (signal) => stopGroup(child, signal)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, interrupt)
  let last = ''
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.trim() !== '') last = line
    console.log(line)
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(signal, interrupt)
      resolve({ code: code ?? 1, counts: readCounts(last, code ?? 1) })
    })
  })
}
