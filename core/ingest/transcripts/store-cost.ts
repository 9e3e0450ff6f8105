import type { WriteDb } from '../../sqlite/read-db.ts'
import { statedCostKey } from '../../systems/records/stated-costs.ts'

const queries = {
  store: /* sql */ `
    INSERT INTO lcm_meta (key, value) VALUES (:key, :value)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE value <> excluded.value`,
}

/** Notes what a session cost by its agent's own account. */
export function storeCost(db: WriteDb, importer: string, sessionId: string, cost: number): void {
  db.run(queries.store, { key: statedCostKey(importer, sessionId), value: String(cost) })
}
