import { summaryHash } from '../memory/summary-hash.ts'
import type { WriteDb } from '../sqlite/read-db.ts'

const queries = {
  summaries: /* sql */ "SELECT summary_id AS id, content FROM summaries WHERE summary_hash = '' ORDER BY depth",
  sources: /* sql */ `
    SELECT m.content_hash AS hash, e.ordinal AS ordinal
    FROM summary_messages AS e JOIN messages AS m ON m.message_id = e.message_id WHERE e.summary_id = :id
    UNION ALL
    SELECT s.summary_hash, e.ordinal
    FROM summary_sources AS e JOIN summaries AS s ON s.summary_id = e.source_summary_id WHERE e.summary_id = :id
    ORDER BY 2`,
  store: /* sql */ 'UPDATE summaries SET summary_hash = :hash WHERE summary_id = :id',
}

/**
 * Gives summaries without a hash the one that native summaries have. Ids stay as they are. Sources are hashed before
 * their dependents.
 */
export function fillSummaryHashes(db: WriteDb): void {
  for (const { id, content } of db.all<{ id: string; content: string }>(queries.summaries)) {
    const sources = db.all<{ hash: string }>(queries.sources, { id }).map((source) => source.hash)
    const hash = summaryHash(sources, content)
    db.run(queries.store, { id, hash })
  }
}
