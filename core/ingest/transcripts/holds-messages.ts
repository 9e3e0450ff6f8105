import type { TranscriptFormat } from '#core/contract/import.ts'
import { isFileError } from './files-beside.ts'
import { NOTHING_STORED } from './format.ts'
import { openTranscript } from './open-transcript.ts'
import { findTranscriptFiles, type GivenTranscript, type TranscriptFile } from './transcript-files.ts'

/** How much is read of each file. */
const READ_BYTES = 512 * 1024

/**
 * Says whether an import would certainly add something, because a file begins with a message. It stops at the first
 * one.
 * @throws LcmError file_missing, file_not_readable, transcript_unreadable when nothing that is given can be read
 */
export async function holdMessages(paths: readonly GivenTranscript[], format: TranscriptFormat): Promise<boolean> {
  const { files } = await findTranscriptFiles(paths)
  for (const file of files) {
    if (await holdsMessage(file, format)) return true
  }
  return false
}

async function holdsMessage(file: TranscriptFile, asked: TranscriptFormat): Promise<boolean> {
  try {
    const opened = await openTranscript(file, asked)
    if (!opened) return false
    const { format, head } = opened
    const source = { ...file, head, nowMs: 0, limitBytes: READ_BYTES, ...NOTHING_STORED }
    try {
      for await (const { records } of format.read(source)) {
        if (records.some(({ kind }) => kind === 'message' || kind === 'answer')) return true
      }
    } finally {
      opened.close()
    }
  } catch (error) {
    if (!isFileError(error)) throw error
  }
  return false
}
