import { readdirSync } from 'node:fs'

const namesIn = (folder: string): string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()

/** Around a whole run: whatever way a test opens a file of another system, nothing may be left beside it. */
export function expectUntouched(folder: string): () => void {
  const before = new Set(namesIn(folder))
  return () => {
    const left = namesIn(folder).filter((name) => !before.has(name))
    if (left.length === 0) return
    console.error(
      `Something was left beside the files of other systems, which are only ever read without a trace: ${left.join(', ')}`,
    )
    process.exitCode = 1
  }
}
