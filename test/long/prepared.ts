import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { ConversationStore } from '#core/ingest/conversation-store.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { openNative } from '#core/sqlite/native.ts'
import { TranscriptBuilder, text } from '../builders/claude-code.ts'
import { generateHistory } from '../builders/history.ts'
import { losslessClawWriter } from '../builders/systems/lossless.ts'
import { tellStory } from '../builders/systems/story.ts'
import { writeStory } from '../builders/systems/system.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { fired, scanFile } from '../doctor/integrity/scan-file.ts'
import { compactedMemory } from '../doctor/repair/compacted.ts'
import { copyOf } from './copied-folder.ts'
import { memoryIn, ORIGINAL, runWork, type Told, TRANSCRIPT, toldIn, type Work } from './works.ts'
import { type Write, watchingWrites } from './write-points.ts'

/** What a work starts from, and where it ends when nothing disturbs it. */
export type Prepared = {
  readonly work: Work
  /** A folder to copy, in which nothing was done yet. */
  readonly start: string
  readonly told: Told
  /** How many writes it makes. */
  readonly writes: number
  /** Checks that fire before the work, or after it when nothing disturbs it. */
  readonly findings: readonly string[]
}

/** Makes what a work starts from. Everything follows from the seed. */
export async function prepare(work: Work, seed: number): Promise<Prepared> {
  const start = temporaryFolder()
  await makers[work](start, seed)
  const undisturbed = copyOf(start)
  let writes = 0
  const count = (_: Write): void => {
    writes += 1
  }
  await watchingWrites(count, () => runWork(work, undisturbed))
  const findings = [...(await findingsIn(start)), ...(await findingsIn(undisturbed))]
  return { work, start, told: toldIn(memoryIn(undisturbed)), writes, findings }
}

const findingsIn = async (folder: string): Promise<readonly string[]> =>
  existsSync(memoryIn(folder)) ? fired(await scanFile(memoryIn(folder))) : []

const makers: Readonly<Record<Work, (folder: string, seed: number) => Promise<void>>> = {
  import: async (folder) => writeTranscript(folder, 30, 5),
  files: async (folder) => writeTranscript(folder, 12, 150),
  compaction: async (folder, seed) => {
    using db = openNative(memoryIn(folder))
    const store = new ConversationStore(db, createTokenEstimator(), Date.now)
    const conversation = store.ensureConversation({ importer: 'test', sessionId: 'session' })
    store.append(conversation, generateHistory({ seed, messages: 50 }))
  },
  repair: async (folder, seed) => {
    const memory = await compactedMemory({ seed })
    memory.db.close()
    copyFileSync(memory.path, memoryIn(folder))
    const db = new Database(memoryIn(folder))
    db.pragma('foreign_keys = OFF')
    db.pragma('ignore_check_constraints = ON')
    db.exec(`UPDATE summaries SET depth = 6, earliest_at = 5;
      DELETE FROM context_items WHERE message_id = (SELECT min(message_id) FROM context_items)`)
    db.pragma('wal_checkpoint(TRUNCATE)')
    db.close()
  },
  copy: async (folder, seed) => {
    const writer = losslessClawWriter('0.15.3')
    writeStory(writer, join(folder, ORIGINAL), writer.tell(tellStory({ seed, sessions: 3, turns: 10 })))
  },
}

/** A session of an agent with a table in each question. */
function writeTranscript(folder: string, turns: number, rows: number): void {
  const story = new TranscriptBuilder()
  for (let turn = 0; turn < turns; turn += 1) {
    const table = Array.from({ length: rows }, (_, row) => `${turn},${row},value ${turn * row}`).join('\n')
    story.user(`Number ${turn}: <file name="table-${turn}.csv">a,b,c\n${table}</file>`)
    story.answer(`msg_${turn}`, [text(`answer ${turn}`)])
  }
  const path = story.write()
  copyFileSync(path, join(folder, TRANSCRIPT))
}
