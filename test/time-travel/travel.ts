import { ContextAssembler } from '../../core/context/context-assembler.ts'
import { createTokenEstimator } from '../../core/context/token-estimator.ts'
import { HistoryIndex } from '../../core/conversations/history-index.ts'
import type { ReadDb } from '../../core/db/read-db.ts'
import { readSettings } from '../../core/settings/settings.ts'
import { TimeTravel } from '../../core/time-travel/time-travel.ts'

/** Time travel in a native memory. */
export const travelIn = (db: ReadDb, histories = new HistoryIndex(db)): TimeTravel =>
  new TimeTravel({
    db,
    histories,
    context: new ContextAssembler(db, createTokenEstimator(), readSettings({}).compaction),
    keepsLog: true,
    rule: 'replacing',
  })
