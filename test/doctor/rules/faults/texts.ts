import { one, SUMMARIES } from './compacted.ts'
import type { FamilyFaults } from './family.ts'
import { at, summaries } from './generated.ts'
import { LEAF } from './lossless.ts'

/** For the rules of `core/doctor/rules/texts.ts`. */
export const textFaults: FamilyFaults = {
  compacted: [
    one(
      'a summary that says nothing',
      'empty_summary',
      SUMMARIES,
      "UPDATE summaries SET content = '' WHERE summary_id = :id",
    ),
    one(
      'a summary of headings without text',
      'skeletal_summary',
      SUMMARIES,
      "UPDATE summaries SET content = '## Goal' || char(10) || '## Decisions' || char(10) || '- (none)' WHERE summary_id = :id",
    ),
    one(
      'a summariser that failed and was cut off',
      'fallback_summary',
      SUMMARIES,
      "UPDATE summaries SET content = substr(content, 1, 60) || ' [Truncated from 9,000 tokens]' WHERE summary_id = :id",
    ),
    one(
      'a text that was capped',
      'truncated_summary',
      SUMMARIES,
      "UPDATE summaries SET content = substr(content, 1, 60) || ' [Capped from 9,000 tokens to ~100]' WHERE summary_id = :id",
    ),
  ],
  lossless: [
    {
      name: 'empty summary',
      rule: 'empty_summary',
      at: LEAF,
      damage: `UPDATE summaries SET content = '', token_count = 0 WHERE summary_id = '${LEAF}'`,
    },
    {
      name: 'blank summary',
      rule: 'empty_summary',
      at: LEAF,
      damage: `UPDATE summaries SET content = char(10) || '  ' WHERE summary_id = '${LEAF}'`,
    },
    {
      name: 'headings without text',
      rule: 'skeletal_summary',
      at: LEAF,
      damage: `UPDATE summaries SET content = '**Goal:**' || char(10) || 'Unknown' || char(10) || '**Next steps:**' || char(10) || '- N/A' WHERE summary_id = '${LEAF}'`,
    },
    {
      name: 'mark of a fallback',
      rule: 'fallback_summary',
      at: LEAF,
      damage: `UPDATE summaries SET content = content || char(10) || '[LCM fallback summary; truncated for context management]' WHERE summary_id = '${LEAF}'`,
    },
    {
      name: 'mark of a cut',
      rule: 'fallback_summary',
      at: LEAF,
      damage: `UPDATE summaries SET content = content || char(10) || '[Truncated from 9,000 tokens]' WHERE summary_id = '${LEAF}'`,
    },
    {
      name: 'mark of a cap',
      rule: 'truncated_summary',
      at: LEAF,
      damage: `UPDATE summaries SET content = content || char(10) || '[Capped from 5000 tokens to ~2400]' WHERE summary_id = '${LEAF}'`,
    },
    {
      name: 'reasoning in place of a summary',
      rule: 'fallback_summary',
      at: LEAF,
      damage: `UPDATE summaries SET content = '<think>The user wants a digest.</think>' WHERE summary_id = '${LEAF}'`,
    },
  ],
  generated: [
    at(
      'empty_summary',
      (world) => summaries(world, '1'),
      (world, { id }) => world.damage(`UPDATE summaries SET content = ' ' WHERE summary_id = :id`, { id }),
    ),
    at(
      'fallback_summary',
      (world) => summaries(world, '1'),
      (world, { id }) =>
        world.damage(
          `UPDATE summaries SET content = content || char(10) || '[Truncated from 4000 tokens]' WHERE summary_id = :id`,
          { id },
        ),
    ),
  ],
}
