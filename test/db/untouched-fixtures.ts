import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const FIXTURES = join(import.meta.dirname, '../../../shared/fixtures')

const names = (): string[] =>
  existsSync(FIXTURES) ? readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' }).sort() : []

/** Around a whole run: whatever way a test opens a fixture, nothing may be left beside it. */
export function setup(): () => void {
  const before = new Set(names())
  return () => {
    const left = names().filter((name) => !before.has(name))
    if (left.length === 0) return
    console.error(
      `Something was left beside the fixtures, which are only ever read without a trace: ${left.join(', ')}`,
    )
    process.exitCode = 1
  }
}
