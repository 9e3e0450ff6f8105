import { CONDENSED, type Fault, one } from './fault.ts'

export const cycleFaults: readonly Fault[] = [
  one('a summary is its own source', 'lineage_cycle', CONDENSED, 'INSERT INTO summary_sources VALUES (:id, :id, 999)'),
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
]
