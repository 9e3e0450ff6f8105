import type { Strata, StrataAxis, StrataMessages } from '../contract/strata.ts'
import type { ReadDb } from '../db/read-db.ts'
import { LcmError } from '../errors.ts'
import type { HistoryIndex } from './history-index.ts'

export class StrataService {
  constructor(_db: ReadDb, _histories: HistoryIndex, _freshTailCount: number) {}

  get(_input: { readonly conversationId: number; readonly axis: StrataAxis }): Strata {
    throw new LcmError('unsupported', 'not built yet')
  }

  messages(_input: {
    readonly conversationId: number
    readonly axis: StrataAxis
    readonly x0: number
    readonly x1: number
    readonly buckets: number
  }): StrataMessages {
    throw new LcmError('unsupported', 'not built yet')
  }
}
