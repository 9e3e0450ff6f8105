import { IN_WINDOW, UNDER } from './compacted.ts'
import type { FamilyFaults } from './family.ts'
import { at, nodes, summaries, windowItems } from './generated.ts'
import { FIRST, LEAF, loose } from './lossless.ts'

/** For the rules of `core/doctor/rules/links.ts`. */
export const linkFaults: FamilyFaults = {
  compacted: [
    {
      name: 'a message under two leaves',
      rule: 'double_coverage',
      inject: (memory, pick) => {
        const leaves = memory.db.column<string>(IN_WINDOW)
        if (leaves.length < 2) return false
        const [first, second] = [leaves[0] ?? '', leaves[1] ?? '']
        const leafUnder = (id: string): string => memory.db.value<string>(UNDER, { id }) ?? ''
        const messages = memory.db.column<number>(
          'SELECT message_id FROM summary_messages WHERE summary_id = :id ORDER BY ordinal',
          {
            id: leafUnder(first),
          },
        )
        if (messages.length < 2 || leafUnder(second) === '') return false
        memory.damage('INSERT INTO summary_messages VALUES (:leaf, :message, 999)', {
          leaf: leafUnder(second),
          message: pick(messages),
        })
        return true
      },
    },
    {
      name: 'links in the wrong order',
      rule: 'source_order',
      inject: (memory, pick) => {
        const leaves = memory.db.column<string>(
          'SELECT summary_id FROM summary_messages GROUP BY summary_id HAVING count(*) > 1 ORDER BY 1',
        )
        if (leaves.length === 0) return false
        memory.damage('UPDATE summary_messages SET ordinal = 1000 - ordinal WHERE summary_id = :id', {
          id: pick(leaves),
        })
        return true
      },
    },
  ],
  lossless: [
    {
      name: 'edge listed twice',
      rule: 'duplicate_edge',
      at: FIRST,
      damage: `${loose('summary_parents')} INSERT INTO summary_parents VALUES ('${FIRST}', '${LEAF}', 9)`,
    },
    {
      name: 'message listed twice',
      rule: 'duplicate_edge',
      at: LEAF,
      damage: `${loose('summary_messages')} INSERT INTO summary_messages VALUES ('${LEAF}', 1, 9)`,
    },
    {
      name: 'messages of a leaf in the wrong order',
      rule: 'source_order',
      at: LEAF,
      damage: `UPDATE summary_messages SET ordinal = 10 - ordinal WHERE summary_id = '${LEAF}'`,
    },
    {
      name: 'sources in the wrong order',
      rule: 'source_order',
      at: FIRST,
      damage: `UPDATE summary_parents SET ordinal = 10 - ordinal WHERE summary_id = '${FIRST}'`,
    },
    {
      name: 'leaf whose links are numbered with a gap',
      rule: 'source_gap',
      at: LEAF,
      damage: `UPDATE summary_messages SET ordinal = ordinal + 4 WHERE summary_id = '${LEAF}' AND ordinal > 0`,
    },
    {
      name: 'condensed node whose first source is not the first',
      rule: 'source_gap',
      at: FIRST,
      damage: `UPDATE summary_parents SET ordinal = ordinal + 1 WHERE summary_id = '${FIRST}'`,
    },
  ],
  generated: [
    at(
      'source_order',
      (world) =>
        summaries(
          world,
          `kind = 'leaf' AND (SELECT count(*) FROM summary_messages AS e WHERE e.summary_id = s.summary_id) > 1`,
        ),
      (world, { id }) =>
        world.damage('UPDATE summary_messages SET ordinal = 99 - ordinal WHERE summary_id = :id', { id }),
    ),
    at('source_order', nodes, (world, { id }) =>
      world.damage(`UPDATE ${world.sources.table} SET ordinal = 99 - ordinal WHERE summary_id = :id`, { id }),
    ),
    {
      rule: 'double_coverage',
      inject: (world) => {
        // Under another root, so that the two share no dependent.
        const roots = windowItems(world, 'summary_id IS NOT NULL')
        const here = world.random.pick(roots)
        const others = roots.filter((item) => item.conversation === here.conversation && item.summary !== here.summary)
        if (others.length === 0) return false
        const leafOf = (root: string): string => {
          for (let id = root; ; ) {
            const [below] = world.rows<{ id: string }>(
              `SELECT ${world.sources.source} AS id FROM ${world.sources.table} WHERE summary_id = :id ORDER BY ordinal`,
              { id },
            )
            if (!below) return id
            id = below.id
          }
        }
        const from = leafOf(world.random.pick(others).summary)
        const [link] = world.rows<{ message: number }>(
          'SELECT message_id AS message FROM summary_messages WHERE summary_id = :from',
          { from },
        )
        world.damage('INSERT INTO summary_messages (summary_id, message_id, ordinal) VALUES (:to, :message, 99)', {
          to: leafOf(here.summary),
          message: link?.message ?? 0,
        })
        return true
      },
    },
  ],
}
