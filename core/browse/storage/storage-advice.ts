import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { MemoryInfo } from '#core/contract/memory.ts'
import type { RepeatedText, StorageAdvice, StorageReport } from '#core/contract/storage.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { isNative } from '#core/systems/native/native.ts'
import { largeTexts } from '#core/systems/records/tallies.ts'

const MIB = 1024 * 1024
/** A smaller gain is not worth anybody's time. */
const WORTH_BYTES = MIB
const WORTH_SHARE = 0.05
/** A larger log means that some reader prevents it from being written back. */
const LARGE_LOG_BYTES = 64 * MIB

type Facts = Omit<StorageReport, 'advice' | 'durationMs'>

/** Returns what would make the file smaller and by how much, the largest gain first. It only reads. */
export function adviseOn(db: ReadDb, info: MemoryInfo, facts: Facts, largeFileTokens: number): StorageAdvice[] {
  const isOurs = isNative(info)
  const owner = isOurs ? '' : ` The file belongs to ${info.systemLabel}: do it there, or in a working copy.`
  const advice: StorageAdvice[] = []
  const free = facts.freePages * facts.pageBytes
  if (free >= WORTH_BYTES && free >= facts.bytes * WORTH_SHARE) {
    advice.push({
      id: 'vacuum',
      title: 'Give free pages back to the disk',
      detail: `VACUUM writes the file anew without its ${facts.freePages} free pages. It needs as much free space as the file has, and nobody may write meanwhile.${owner}`,
      gainBytes: free,
    })
  }
  if (facts.walBytes >= LARGE_LOG_BYTES) {
    advice.push({
      id: 'checkpoint',
      title: 'Write the log back into the file',
      detail: `The write-ahead log is large: a reader has been holding it open, or its writer was killed. Closing every program that has the file open writes it back.${owner}`,
      gainBytes: facts.walBytes,
    })
  }
  const large = largeTexts(db, largeFileTokens)
  if (large.bytes >= WORTH_BYTES) {
    advice.push({
      id: 'externalise',
      title: 'Keep large texts outside the database',
      detail: `${large.messages} messages of more than ${largeFileTokens.toLocaleString('en')} tokens stand in the database in full. Set the agent to store such texts as files from now on; messages that are stored already are never changed.${owner}`,
      gainBytes: Math.trunc(large.bytes),
    })
  }
  advise(advice, facts.repeated, 'search_text', 'Search without a second copy of the text', () => {
    return `The full-text tables of this file hold every text once more. A working copy has indexes that need no copy.`
  })
  advise(advice, facts.repeated, 'raw_blocks', 'Leave out the original blocks', () => {
    return `Its system keeps every block as it arrived beside the columns made from it. Only that system can leave them out.`
  })
  const backups = backupsBeside(info.path)
  if (backups.bytes >= WORTH_BYTES) {
    advice.push({
      id: 'backups',
      title: 'Look through old backups',
      detail: `${backups.names.length === 1 ? 'One backup stands' : `${backups.names.length} backups stand`} beside the file: ${backups.names.slice(0, 5).join(', ')}${backups.names.length > 5 ? ', …' : ''}. Delete those that are not needed any more by hand.`,
      gainBytes: backups.bytes,
    })
  }
  return advice.toSorted((a, b) => b.gainBytes - a.gainBytes)
}

function advise(
  advice: StorageAdvice[],
  repeated: readonly RepeatedText[],
  id: 'search_text' | 'raw_blocks',
  title: string,
  detail: () => string,
): void {
  const found = repeated.find((one) => one.id === id)
  if (found && found.bytes >= WORTH_BYTES) advice.push({ id, title, detail: detail(), gainBytes: found.bytes })
}

function backupsBeside(path: string): { readonly names: readonly string[]; readonly bytes: number } {
  try {
    const folder = dirname(path)
    const names = readdirSync(folder).filter((name) => name.startsWith(`${basename(path)}.backup-`))
    return { names, bytes: names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) }
  } catch {
    // Backups cannot be counted in a folder that cannot be listed.
    return { names: [], bytes: 0 }
  }
}
