import type { RetrievalEngine } from '../browse/retrieval-engine.ts'
import { ProvenanceFinder } from '../provenance/provenance.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import type { MemoryReader } from '../systems/reading/memory-reader.ts'
import type { TimeTravel } from '../window/time-travel/time-travel.ts'
import { FactStateFinder } from './fact-states.ts'
import { FactTracer } from './fact-tracer.ts'
import { LossReporter } from './loss.ts'
import { Prober } from './probe/prober.ts'
import { SurvivalCounter } from './survival.ts'
import { type LeftOut, TextIndexes } from './text-indexes.ts'

type TracingOptions = {
  readonly read: ReadDb
  readonly reader: MemoryReader
  readonly timeTravel: TimeTravel
  readonly retrieval: RetrievalEngine
  readonly leftOut: LeftOut
}

/** Everything that compares what was said with what is left of it. It shares one set of indexes of texts. */
export function openTracing({ read: db, reader, timeTravel, retrieval, leftOut }: TracingOptions) {
  const indexes = new TextIndexes(db, leftOut)
  const search: RetrievalEngine['search'] = (input, signal) => retrieval.search(input, signal)
  return {
    provenance: new ProvenanceFinder({
      ...{ db, reader, grep: search },
      messagesWith: (word) => retrieval.messagesWith(word),
    }),
    prober: new Prober({ db, reader, timeTravel, indexes, search }),
    tracer: new FactTracer({
      ...{ db, reader, indexes, search },
      searchIds: (input, most, signal) => retrieval.searchIds(input, most, signal),
    }),
    factStates: new FactStateFinder({ db, reader, indexes }),
    survival: new SurvivalCounter({ db, reader, indexes }),
    losses: new LossReporter({ db, reader, indexes, timeTravel }),
  }
}
