import { CONDENSED, LEAVES, one, SUMMARIES } from './compacted.ts'
import type { FamilyFaults } from './family.ts'
import { at, leaves, nodes, summaries } from './generated.ts'
import { FIRST, LEAF, ROOT } from './lossless.ts'

/** For the rules of `core/doctor/rules/depths.ts`. */
export const depthFaults: FamilyFaults = {
  compacted: [
    one(
      'a leaf calls itself condensed',
      'kind_mismatch',
      LEAVES,
      "UPDATE summaries SET kind = 'condensed' WHERE summary_id = :id",
    ),
    one(
      'a condensed node calls itself a leaf',
      'kind_mismatch',
      CONDENSED,
      "UPDATE summaries SET kind = 'leaf' WHERE summary_id = :id",
    ),
    one('a wrong depth', 'depth_mismatch', SUMMARIES, 'UPDATE summaries SET depth = depth + 3 WHERE summary_id = :id'),
  ],
  lossless: [
    {
      name: 'leaf that calls itself condensed',
      rule: 'kind_mismatch',
      at: LEAF,
      damage: `UPDATE summaries SET kind = 'condensed' WHERE summary_id = '${LEAF}'`,
    },
    {
      name: 'condensed that calls itself a leaf',
      rule: 'kind_mismatch',
      at: FIRST,
      damage: `UPDATE summaries SET kind = 'leaf' WHERE summary_id = '${FIRST}'`,
    },
    {
      name: 'depth too small',
      rule: 'depth_mismatch',
      at: ROOT,
      damage: `UPDATE summaries SET depth = 0 WHERE summary_id = '${ROOT}'`,
    },
    {
      name: 'leaf with a depth',
      rule: 'depth_mismatch',
      at: LEAF,
      damage: `UPDATE summaries SET depth = 2 WHERE summary_id = '${LEAF}'`,
    },
  ],
  generated: [
    at('kind_mismatch', nodes, (world, { id }) =>
      world.damage(`UPDATE summaries SET kind = 'leaf' WHERE summary_id = :id`, { id }),
    ),
    at('kind_mismatch', leaves, (world, { id }) =>
      world.damage(`UPDATE summaries SET kind = 'condensed' WHERE summary_id = :id`, { id }),
    ),
    at(
      'depth_mismatch',
      (world) => summaries(world, '1'),
      (world, { id }) =>
        world.damage('UPDATE summaries SET depth = depth + :more WHERE summary_id = :id', {
          id,
          more: BigInt(world.random.int(1, 5)),
        }),
    ),
  ],
}
