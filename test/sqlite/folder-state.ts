import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Every file below a folder: name → bytes, hash, time and mode. Two equal states mean that nothing was touched. */
export function folderState(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  return Object.fromEntries(
    names.map((name) => {
      const path = join(folder, name)
      const found = statSync(path)
      const hash = found.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : 'folder'
      return [name, `${found.size} ${hash} ${found.mtimeMs} ${found.mode.toString(8)}`]
    }),
  )
}
