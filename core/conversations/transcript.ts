import type { Message, TranscriptPage } from '../contract/message.ts'
import type { ReadDb } from '../db/read-db.ts'
import { LcmError } from '../errors.ts'
import type { HistoryIndex } from './history-index.ts'

export class Transcript {
  constructor(_db: ReadDb, _histories: HistoryIndex) {}

  page(_input: {
    readonly conversationId: number
    readonly offset: number
    readonly limit: number
    readonly contentChars: number
  }): TranscriptPage {
    throw new LcmError('unsupported', 'not built yet')
  }

  message(_id: string): Message {
    throw new LcmError('unsupported', 'not built yet')
  }

  locate(_id: string): { conversationId: number; rank: number; lastRank: number } {
    throw new LcmError('unsupported', 'not built yet')
  }

  rankAt(_input: { readonly conversationId: number; readonly atMs: number }): { rank: number } {
    throw new LcmError('unsupported', 'not built yet')
  }
}
