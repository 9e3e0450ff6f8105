import { LEAVES, one, SUMMARIES } from './compacted.ts'
import type { FamilyFaults } from './family.ts'
import { at, nodes } from './generated.ts'
import { FIRST, LEAF, ROOT } from './lossless.ts'

/** For the rules of `core/doctor/rules/counts.ts`. */
export const countFaults: FamilyFaults = {
  compacted: [
    one(
      'a wrong number of descendants',
      'descendant_count',
      SUMMARIES,
      'UPDATE summaries SET descendant_count = descendant_count + 7 WHERE summary_id = :id',
    ),
    one(
      'a wrong number of source tokens',
      'descendant_count',
      SUMMARIES,
      'UPDATE summaries SET source_token_count = source_token_count + 700 WHERE summary_id = :id',
    ),
    {
      name: 'a summary that is longer than its sources',
      rule: 'not_smaller_than_sources',
      inject: (memory, pick) => {
        const id = pick(memory.db.column<string>(LEAVES))
        // With its triggers, so that the index holds the text as well.
        memory.db.run('UPDATE summaries SET content = :content, token_count = 9000 WHERE summary_id = :id', {
          id,
          content: 'again '.repeat(6000),
        })
        return true
      },
    },
  ],
  lossless: [
    {
      name: 'wrong number of descendants',
      rule: 'descendant_count',
      at: ROOT,
      damage: `UPDATE summaries SET descendant_count = 3 WHERE summary_id = '${ROOT}'`,
    },
    {
      name: 'wrong tokens of descendants',
      rule: 'descendant_count',
      at: ROOT,
      damage: `UPDATE summaries SET descendant_token_count = 3 WHERE summary_id = '${ROOT}'`,
    },
    {
      name: 'wrong tokens of messages',
      rule: 'descendant_count',
      at: ROOT,
      damage: `UPDATE summaries SET source_message_token_count = 3 WHERE summary_id = '${ROOT}'`,
    },
    {
      name: 'numbers that were left at zero',
      rule: 'descendant_count',
      at: FIRST,
      damage: `UPDATE summaries SET descendant_count = 0, descendant_token_count = 0, source_message_token_count = 0 WHERE summary_id = '${FIRST}'`,
    },
    {
      name: 'summary larger than its sources',
      rule: 'not_smaller_than_sources',
      at: LEAF,
      damage: `UPDATE summaries SET content = (SELECT group_concat(content, char(10)) FROM (SELECT content FROM messages LIMIT 12)), token_count = 1500 WHERE summary_id = '${LEAF}'; UPDATE summaries_fts SET content = (SELECT content FROM summaries WHERE summary_id = '${LEAF}') WHERE summary_id = '${LEAF}'; UPDATE summaries_fts_cjk SET content = (SELECT content FROM summaries WHERE summary_id = '${LEAF}') WHERE summary_id = '${LEAF}'`,
    },
  ],
  generated: [
    at('descendant_count', nodes, (world, { id }) =>
      world.damage('UPDATE summaries SET descendant_count = descendant_count + 3 WHERE summary_id = :id', { id }),
    ),
  ],
}
