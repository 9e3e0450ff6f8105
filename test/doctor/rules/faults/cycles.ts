import { CONDENSED, one } from './compacted.ts'
import type { FamilyFaults } from './family.ts'
import { at, nodes } from './generated.ts'
import { LEAF, ROOT } from './lossless.ts'

/** For the rules of `core/doctor/rules/cycles.ts`. */
export const cycleFaults: FamilyFaults = {
  compacted: [
    one(
      'a summary is its own source',
      'lineage_cycle',
      CONDENSED,
      'INSERT INTO summary_sources VALUES (:id, :id, 999)',
    ),
    {
      name: 'a summary is made from what is made from it',
      rule: 'lineage_cycle',
      inject: (memory, pick) => {
        const edges = memory.db.all<{ made: string; source: string }>(
          `SELECT e.summary_id AS made, e.source_summary_id AS source FROM summary_sources AS e
         JOIN summaries AS s ON s.summary_id = e.source_summary_id AND s.kind = 'condensed' ORDER BY 1, 2`,
        )
        if (edges.length === 0) return false
        memory.damage('INSERT INTO summary_sources VALUES (:source, :made, 999)', pick(edges))
        return true
      },
    },
  ],
  lossless: [
    {
      name: 'cycle of three',
      rule: 'lineage_cycle',
      at: ROOT,
      damage: `INSERT INTO summary_parents VALUES ('${LEAF}', '${ROOT}', 9)`,
    },
  ],
  generated: [
    at('lineage_cycle', nodes, (world, { id }) =>
      world.damage(
        `INSERT INTO ${world.sources.table} (summary_id, ${world.sources.source}, ordinal) VALUES (:id, :id, 99)`,
        { id },
      ),
    ),
  ],
}
