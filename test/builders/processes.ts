import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** Lists the command lines of running processes that hold a text. */
export function processesWith(text: string): string[] {
  const lines =
    process.platform === 'linux' ? fromProc() : execFileSync('ps', ['-Ao', 'args='], { encoding: 'utf8' }).split('\n')
  return lines.filter((line) => line.includes(text))
}

function fromProc(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      } catch {
        // It has ended meanwhile.
        return ''
      }
    })
}
