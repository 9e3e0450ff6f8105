import type { Lineage, Neighbourhood, Tree, TreeLevel } from '../contract/lineage.ts'
import type { ReadDb } from '../db/read-db.ts'
import { LcmError } from '../errors.ts'
import type { HistoryIndex } from './history-index.ts'

export class SummaryDag {
  constructor(_db: ReadDb, _histories: HistoryIndex) {}

  tree(_conversationId: number): Tree {
    throw new LcmError('unsupported', 'not built yet')
  }

  treeLevel(_input: {
    readonly conversationId: number
    readonly of: string | null
    readonly offset: number
    readonly limit: number
  }): TreeLevel {
    throw new LcmError('unsupported', 'not built yet')
  }

  neighbourhood(_input: {
    readonly id: string
    readonly up: number
    readonly down: number
    readonly maxPerNode: number
    readonly expanded: readonly string[]
  }): Neighbourhood {
    throw new LcmError('unsupported', 'not built yet')
  }

  lineage(_id: string): Lineage {
    throw new LcmError('unsupported', 'not built yet')
  }
}
