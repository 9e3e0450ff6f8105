import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { readSettings } from '#core/settings/settings.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { ContextAssembler } from '#core/window/context-assembler.ts'
import { TimeTravel } from '#core/window/time-travel/time-travel.ts'

/** Time travel in a native memory. */
export const travelIn = (db: ReadDb, reader = new MemoryReader(db)): TimeTravel =>
  new TimeTravel({
    db,
    reader,
    context: new ContextAssembler(db, createTokenEstimator(), readSettings({}).compaction),
    keepsLog: true,
    summaries: 'replace',
  })
