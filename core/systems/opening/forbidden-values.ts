import { userFolders } from '#core/folders.ts'
import { distrust, isDistrusted } from '#core/sqlite/distrusted-files.ts'
import { isNativeFile } from '#core/sqlite/memory-file.ts'
import { migrations } from '#core/sqlite/native.ts'
import { tablesOfForbidden } from '#core/sqlite/native-values.ts'
import { openPatiently } from '#core/sqlite/route.ts'
import { readOurs } from './open-ours.ts'

/**
 * Reads every row of a native file. If one holds a value that its table does not allow, the file is distrusted from then on.
 * @throws LcmError what opening and reading throw
 */
export async function holdsForbidden(path: string): Promise<boolean> {
  if (isDistrusted(path)) return true
  if (!(await isNativeFile(path))) return false
  const { read, version, close } = await openPatiently(path, userFolders(process.env).cache, readOurs)
  try {
    if (tablesOfForbidden(read, migrations.slice(0, version)).size === 0) return false
  } finally {
    close()
  }
  distrust(path)
  return true
}
