import type { WriteDb } from '../../sqlite/read-db.ts'
import { type BrokenChainNote, brokenChainKey } from '../../systems/records/broken-chains.ts'
import type { BrokenChainRecord } from './format.ts'

const queries = {
  store: /* sql */ `
    INSERT INTO lcm_meta (key, value) VALUES (:key, :value)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE value <> excluded.value`,
  forget: /* sql */ `DELETE FROM lcm_meta WHERE key = :key`,
}

/** Notes where the chain of a session breaks. Its transcript may have been mended since an earlier import. */
export function storeBrokenChain(
  db: WriteDb,
  importer: string,
  path: string,
  { sessionId, breaks }: BrokenChainRecord,
): void {
  const key = brokenChainKey(importer, sessionId)
  if (breaks.length === 0) {
    db.run(queries.forget, { key })
    return
  }
  const note: BrokenChainNote = { path, breaks: [...breaks] }
  db.run(queries.store, { key, value: JSON.stringify(note) })
}
