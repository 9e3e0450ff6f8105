import type { World } from './worlds.ts'

/** A family of faults: injects one of its kind somewhere in a world; false where the world offers no place for it. */
export type Family = {
  /** The check that has to name it. */
  readonly check: string
  readonly inject: (world: World) => boolean
}

type Node = { readonly id: string; readonly conversation: number }

const summaries = (world: World, where: string): Node[] =>
  world.rows<Node>(
    `SELECT summary_id AS id, conversation_id AS conversation FROM summaries AS s WHERE ${where} ORDER BY summary_id`,
  )
const leaves = (world: World): Node[] => summaries(world, `kind = 'leaf'`)
const nodes = (world: World): Node[] => summaries(world, `kind = 'condensed'`)
const windowItems = (
  world: World,
  where: string,
): { ordinal: number; conversation: number; message: number; summary: string }[] =>
  world.rows(`SELECT ordinal, conversation_id AS conversation, message_id AS message, summary_id AS summary
    FROM context_items WHERE ${where} ORDER BY conversation_id, ordinal`)
const messages = (world: World, where = '1'): { id: number; conversation: number; tokens: number }[] =>
  world.rows(
    `SELECT message_id AS id, conversation_id AS conversation, token_count AS tokens FROM messages AS m WHERE ${where} ORDER BY message_id`,
  )

/** A family that damages one of some rows. */
const at = <T>(
  check: string,
  choose: (world: World) => readonly T[],
  damage: (world: World, target: T) => void,
): Family => ({
  check,
  inject: (world) => {
    const choice = choose(world)
    if (choice.length === 0) return false
    damage(world, world.random.pick(choice))
    return true
  },
})

const inNoWindow = `NOT EXISTS (SELECT 1 FROM context_items AS c WHERE c.summary_id = s.summary_id)`

export const families: readonly Family[] = [
  at('summary_without_source', leaves, (world, { id }) =>
    world.damage('DELETE FROM summary_messages WHERE summary_id = :id', { id }),
  ),
  at('kind_mismatch', nodes, (world, { id }) =>
    world.damage(`UPDATE summaries SET kind = 'leaf' WHERE summary_id = :id`, { id }),
  ),
  at('kind_mismatch', leaves, (world, { id }) =>
    world.damage(`UPDATE summaries SET kind = 'condensed' WHERE summary_id = :id`, { id }),
  ),
  at(
    'dangling_edge',
    (world) => summaries(world, `${inNoWindow} AND kind = 'leaf'`),
    (world, { id }) => world.damage('DELETE FROM summaries WHERE summary_id = :id', { id }),
  ),
  at(
    'dangling_edge',
    (world) => messages(world, 'EXISTS (SELECT 1 FROM summary_messages AS l WHERE l.message_id = m.message_id)'),
    (world, { id }) => world.damage('DELETE FROM messages WHERE message_id = :id', { id }),
  ),
  at('lineage_cycle', nodes, (world, { id }) =>
    world.damage(
      `INSERT INTO ${world.sources.table} (summary_id, ${world.sources.source}, ordinal) VALUES (:id, :id, 99)`,
      { id },
    ),
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
  at(
    'orphan_summary',
    (world) => windowItems(world, 'summary_id IS NOT NULL'),
    (world, { conversation, summary }) =>
      world.damage('DELETE FROM context_items WHERE conversation_id = :conversation AND summary_id = :summary', {
        conversation,
        summary,
      }),
  ),
  at('source_order', leaves, (world, { id }) =>
    world.damage('UPDATE summary_messages SET ordinal = 99 - ordinal WHERE summary_id = :id', { id }),
  ),
  at('source_order', nodes, (world, { id }) =>
    world.damage(`UPDATE ${world.sources.table} SET ordinal = 99 - ordinal WHERE summary_id = :id`, { id }),
  ),
  {
    check: 'double_coverage',
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
  at('cross_conversation_edge', leaves, (world, { id, conversation }) => {
    const other = world.random.pick(
      messages(world, 'EXISTS (SELECT 1 FROM context_items AS c WHERE c.message_id = m.message_id)').filter(
        (message) => message.conversation !== conversation,
      ),
    )
    world.damage('INSERT INTO summary_messages (summary_id, message_id, ordinal) VALUES (:id, :message, 99)', {
      id,
      message: other.id,
    })
  }),
  at(
    'coverage_gap',
    (world) => windowItems(world, `message_id IN (SELECT message_id FROM messages WHERE role = 'user')`),
    (world, { message }) => world.damage('DELETE FROM context_items WHERE message_id = :message', { message }),
  ),
  at(
    'dangling_item',
    (world) => windowItems(world, `message_id IN (SELECT message_id FROM messages WHERE role = 'user')`),
    (world, { message }) =>
      world.damage('UPDATE context_items SET message_id = 99999 WHERE message_id = :message', { message }),
  ),
  at(
    'context_order',
    (world) => windowItems(world, 'ordinal > 0 AND summary_id IS NOT NULL'),
    (world, { conversation, ordinal }) => {
      const [before] = world.rows<{ ordinal: number }>(
        'SELECT max(ordinal) AS ordinal FROM context_items WHERE conversation_id = :conversation AND ordinal < :ordinal',
        { conversation, ordinal },
      )
      const move = (from: number, to: number): void =>
        world.damage(
          'UPDATE context_items SET ordinal = :to WHERE conversation_id = :conversation AND ordinal = :from',
          { conversation, from, to: BigInt(to) },
        )
      move(ordinal, 99_999)
      move(before?.ordinal ?? 0, ordinal)
      move(99_999, before?.ordinal ?? 0)
    },
  ),
  at(
    'fresh_tail_compacted',
    (world) => windowItems(world, `message_id IN (SELECT max(message_id) FROM messages GROUP BY conversation_id)`),
    (world, { conversation, message }) => {
      const [leaf] = windowItems(world, `summary_id IS NOT NULL AND conversation_id = ${conversation}`).slice(-1)
      if (!leaf) return
      world.damage('DELETE FROM context_items WHERE message_id = :message', { message })
      const bottom = leaves(world).filter((node) => node.conversation === conversation)
      const newest = world.rows<{ id: string }>(
        'SELECT summary_id AS id FROM summary_messages WHERE message_id = (SELECT max(message_id) FROM summary_messages WHERE summary_id IN (SELECT value FROM json_each(:ids)))',
        { ids: JSON.stringify(bottom.map(({ id }) => id)) },
      )
      world.damage('INSERT INTO summary_messages (summary_id, message_id, ordinal) VALUES (:id, :message, 99)', {
        id: newest[0]?.id ?? '',
        message,
      })
    },
  ),
  at('content_hash', messages, (world, { id }) =>
    world.damage(`UPDATE messages SET content = content || ' forged' WHERE message_id = :id`, { id }),
  ),
  at('token_drift', messages, (world, { id }) =>
    world.damage('UPDATE messages SET token_count = 0 WHERE message_id = :id', { id }),
  ),
  at('token_drift', messages, (world, { id }) =>
    world.damage('UPDATE messages SET token_count = 700000 WHERE message_id = :id', { id }),
  ),
  at(
    'token_drift',
    (world) => summaries(world, '1'),
    (world, { id }) => world.damage('UPDATE summaries SET token_count = 0 WHERE summary_id = :id', { id }),
  ),
  at('descendant_count', nodes, (world, { id }) =>
    world.damage('UPDATE summaries SET descendant_count = descendant_count + 3 WHERE summary_id = :id', { id }),
  ),
  at(
    'time_range',
    (world) => summaries(world, '1'),
    (world, { id }) =>
      world.damage(
        `UPDATE summaries SET latest_at = ${world.form === 'native' ? 'latest_at + 86400000' : `'2031-01-01T00:00:00.000Z'`} WHERE summary_id = :id`,
        { id },
      ),
  ),
  at(
    'time_range',
    (world) => summaries(world, '1'),
    (world, { id }) =>
      world.damage('UPDATE summaries SET earliest_at = latest_at, latest_at = NULL WHERE summary_id = :id', { id }),
  ),
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
  at(
    'malformed_json',
    (world) => summaries(world, '1'),
    (world, { id }) => world.damage(`UPDATE summaries SET file_ids = '["file_' WHERE summary_id = :id`, { id }),
  ),
  at(
    'file_reference_unknown',
    (world) => summaries(world, '1'),
    (world, { id }) =>
      world.damage(`UPDATE summaries SET file_ids = '["file_0123456789abcdef"]' WHERE summary_id = :id`, { id }),
  ),
  at(
    'tool_pair_split',
    (world) => windowItems(world, `message_id IN (SELECT message_id FROM messages WHERE role = 'tool')`),
    (world, { message }) =>
      world.damage(`UPDATE message_parts SET tool_call_id = 'call_nowhere' WHERE message_id = :message`, { message }),
  ),
  at('fts_in_sync', messages, (world, { id }) =>
    world.damage(
      world.form === 'native'
        ? `INSERT INTO messages_fts (messages_fts, rowid, content, tool_input, tool_output, reasoning)
           SELECT 'delete', * FROM message_text WHERE message_id = :id`
        : 'DELETE FROM messages_fts WHERE rowid = :id',
      { id },
    ),
  ),
  {
    check: 'stale_lock',
    inject: (world) => {
      world.damage(
        world.form === 'native'
          ? `INSERT INTO conversation_locks VALUES (1, 'gone', 0, 1)`
          : `INSERT INTO conversation_compaction_maintenance (conversation_id, running, last_started_at)
             VALUES (1, 1, '2025-01-01 00:00:00')`,
      )
      return true
    },
  },
]
