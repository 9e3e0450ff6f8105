import type { Description, FileInfo } from '../contract/lineage.ts'
import type { Capabilities } from '../contract/memory.ts'
import type { ExpandInput, Expansion, GrepInput, GrepResult } from '../contract/retrieval.ts'
import type { HistoryIndex } from '../conversations/history-index.ts'
import type { ReadDb } from '../db/read-db.ts'
import { LcmError } from '../errors.ts'

export class RetrievalEngine {
  constructor(_db: ReadDb, _capabilities: Capabilities, _histories: HistoryIndex) {}

  describe(_id: string, _contentChars: number): Description {
    throw new LcmError('unsupported', 'not built yet')
  }

  grep(_input: GrepInput, _signal?: AbortSignal): Promise<GrepResult> {
    throw new LcmError('unsupported', 'not built yet')
  }

  expand(_input: ExpandInput): Expansion {
    throw new LcmError('unsupported', 'not built yet')
  }

  files(_conversationId: number): FileInfo[] {
    throw new LcmError('unsupported', 'not built yet')
  }
}
