import { spawnSync } from 'node:child_process'
import { cliPath } from '#test/builders/built-program.ts'
import { peakMegabytes } from '../own-process.ts'

/** Runs before the command, in each of its threads. */
const AT_THE_END = `
  import { existsSync, readFileSync, writeSync } from 'node:fs'
  import { isMainThread } from 'node:worker_threads'
  if (isMainThread) process.on('exit', () => writeSync(3, String((${peakMegabytes})())))`

/** Runs an installed command, and returns the most memory that its process had, in megabytes. */
export function commandMegabytes(...args: readonly string[]): number {
  const first = `data:text/javascript,${encodeURIComponent(AT_THE_END)}`
  const { output } = spawnSync(process.execPath, ['--import', first, cliPath, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  const [, , errors, peak] = output
  if (!peak) throw new Error(`lcm ${args.join(' ')} failed: ${errors}`)
  return Number(peak)
}
