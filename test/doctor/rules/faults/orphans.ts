import { CONDENSED, IN_WINDOW, LEAVES, one } from './compacted.ts'
import type { FamilyFaults } from './family.ts'
import { at, leaves, windowItems } from './generated.ts'
import { FIRST, LEAF, NEWER } from './lossless.ts'

/** For the rules of `core/doctor/rules/orphans.ts`. */
export const orphanFaults: FamilyFaults = {
  compacted: [
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
  ],
  lossless: [
    {
      name: 'leaf without messages',
      rule: 'summary_without_source',
      at: LEAF,
      damage: `DELETE FROM summary_messages WHERE summary_id = '${LEAF}'`,
    },
    {
      name: 'condensed without summaries',
      rule: 'summary_without_source',
      at: FIRST,
      damage: `DELETE FROM summary_parents WHERE summary_id = '${FIRST}'`,
    },
    {
      name: 'summary that fell out of the window',
      rule: 'orphan_summary',
      at: NEWER,
      damage: `DELETE FROM context_items WHERE summary_id = '${NEWER}'; UPDATE context_items SET ordinal = ordinal - 1 WHERE ordinal > 1`,
    },
    {
      name: 'source taken from its dependent',
      rule: 'orphan_summary',
      at: LEAF,
      damage: `DELETE FROM summary_parents WHERE parent_summary_id = '${LEAF}'`,
    },
  ],
  generated: [
    at('summary_without_source', leaves, (world, { id }) =>
      world.damage('DELETE FROM summary_messages WHERE summary_id = :id', { id }),
    ),
    at(
      'orphan_summary',
      (world) => windowItems(world, 'summary_id IS NOT NULL'),
      (world, { conversation, summary }) =>
        world.damage('DELETE FROM context_items WHERE conversation_id = :conversation AND summary_id = :summary', {
          conversation,
          summary,
        }),
    ),
  ],
}
