import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Runs a program of this folder where nothing is warm and the memory is its own, and returns the JSON that it prints. */
export const inOwnProcess = <T>(program: string, ...more: readonly (string | number)[]): T =>
  JSON.parse(
    execFileSync(process.execPath, [join(import.meta.dirname, program), ...more.map(String)], {
      encoding: 'utf8',
      maxBuffer: 1e8,
    }),
  ) as T

/**
 * Returns the most memory that this process had, in megabytes. Linux knows it for the program alone; elsewhere that of
 * the program which started it may be in it.
 */
export function peakMegabytes(): number {
  const status = '/proc/self/status'
  const peak = existsSync(status) ? /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(status, 'utf8'))?.[1] : undefined
  return ((peak === undefined ? process.resourceUsage().maxRSS : Number(peak)) * 1024) / 1_000_000
}
