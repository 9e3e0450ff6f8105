import { CONDENSED, type Fault, IN_WINDOW, LEAVES, one } from './fault.ts'

export const orphanFaults: readonly Fault[] = [
  one(
    'a summary lost its links',
    'summary_without_source',
    LEAVES,
    'DELETE FROM summary_messages WHERE summary_id = :id',
  ),
  one(
    'a condensed node lost its links',
    'summary_without_source',
    CONDENSED,
    'DELETE FROM summary_sources WHERE summary_id = :id',
  ),
  {
    name: 'a summary lost its links, and nothing tells which',
    rule: 'summary_without_source',
    inject: (memory, pick) => {
      const leaves = memory.db.column<string>(LEAVES)
      if (leaves.length === 0) return false
      const id = pick(leaves)
      memory.damage('DELETE FROM summary_messages WHERE summary_id = :id', { id })
      memory.damage("UPDATE summaries SET content = content || ' Altered.' WHERE summary_id = :id", { id })
      memory.damage('DELETE FROM compaction_events WHERE summary_id = :id', { id })
      return true
    },
  },
  one('a summary nobody leads to', 'orphan_summary', IN_WINDOW, 'DELETE FROM context_items WHERE summary_id = :id'),
]
