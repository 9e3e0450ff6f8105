import type { TranscriptFormat as AskedFormat } from '#core/contract/import.ts'
import { userFolders } from '#core/folders.ts'
import { isDatabase } from '#core/sqlite/file-header.ts'
import { isNativeFile } from '#core/sqlite/memory-file.ts'
import { connectReadOnly, openPatiently } from '#core/sqlite/route.ts'
import { probeSchema } from '#core/sqlite/schema-probe.ts'
import type { TranscriptFormat } from './format.ts'
import { formatOf, type Recognised, recogniseTranscript, transcriptFormats, whyNoTranscript } from './formats.ts'
import { readHead } from './head.ts'

/** A transcript that can be read. `close` has to be called when it is no longer needed. */
export type OpenedTranscript = Recognised & { close(): void }

/** The bytes of a transcript, and the path whose folder its format may look at. */
export type TranscriptBytes = { readonly file: string; readonly bytes: number }

/**
 * Opens a transcript, or the database in which an agent keeps its sessions, without a trace beside it. A format that
 * the caller names is used without recognition. Returns null when no format is sure.
 * @param sessions of a database, if not all of them are to be read
 * @throws LcmError what opening a database throws; NodeJS.ErrnoException for another file
 */
export async function openTranscript(
  { file, bytes }: TranscriptBytes,
  asked: AskedFormat,
  sessions?: readonly string[],
): Promise<OpenedTranscript | null> {
  if (isReadableDatabase(file)) return await openStore(file, bytes, asked, sessions)
  const found = asked === 'auto' ? recogniseTranscript(file) : { format: formatOf(asked), head: readHead(file) }
  return found && { ...found, close: () => undefined }
}

async function openStore(
  path: string,
  bytes: number,
  asked: AskedFormat,
  sessions: readonly string[] | undefined,
): Promise<OpenedTranscript | null> {
  // A native file may be open in this process by another library, whose locks would be dropped.
  if (await isNativeFile(path)) return null
  const { cache } = userFolders(process.env)
  const { db, close } = await openPatiently(path, cache, (file, takeCopy) => connectReadOnly(file, takeCopy))
  try {
    const probe = probeSchema(db)
    const format = transcriptFormats.find(({ id, store }) => store?.isOurs(probe) && (asked === 'auto' || asked === id))
    if (!format?.store) {
      close()
      return null
    }
    const { store } = format
    const head = {
      path,
      bytes,
      text: '',
      isWhole: false,
      allLines: null,
      values: [],
      areJsonLines: false,
      isDocument: false,
      isLastCut: false,
    }
    const { chain, ...unchained } = format
    const reading: TranscriptFormat = { ...unchained, read: (source) => store.read(db, source, sessions) }
    return { format: reading, head, close }
  } catch (error) {
    close()
    throw error
  }
}

/** False for a file that cannot be read: the error is reported when it is opened. */
function isReadableDatabase(path: string): boolean {
  try {
    return isDatabase(path)
  } catch {
    return false
  }
}

/** Says why nothing could be opened, in words that follow "is". */
export const whyNotOpened = (path: string): string =>
  isReadableDatabase(path)
    ? `an SQLite database without sessions of an agent that is known (${storeLabels()}): where it is a memory, open it`
    : whyNoTranscript(path)

const storeLabels = (): string => transcriptFormats.flatMap(({ label, store }) => (store ? [label] : [])).join(', ')
