import type { TranscriptFormat } from '../../contract/import.ts'
import { NOTHING_STORED } from './format.ts'
import { isFileError } from './import-file.ts'
import { recognise } from './import-transcripts.ts'
import { findTranscriptFiles, type GivenTranscript, type TranscriptFile } from './transcript-files.ts'

/** Of each file. */
const READ_BYTES = 512 * 1024

/**
 * Whether an import would surely bring something: some file begins as a transcript with a message. Stops at the first.
 * @throws LcmError file_missing, file_not_readable, transcript_unreadable when nothing that is given can be taken
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
    const recognised = recognise(asked, file)
    if (!recognised) return false
    const { format, head } = recognised
    const source = { ...file, head, nowMs: 0, limitBytes: READ_BYTES, ...NOTHING_STORED }
    for await (const { records } of format.read(source)) {
      if (records.some(({ kind }) => kind === 'message' || kind === 'answer')) return true
    }
  } catch (error) {
    if (!isFileError(error)) throw error
  }
  return false
}
