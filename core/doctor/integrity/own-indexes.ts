import type { SystemId } from '../../contract/memory.ts'
import type { SchemaProbe } from '../../sqlite/schema-probe.ts'

/** A full-text index that a system keeps in its own file. */
export type OwnIndex = {
  readonly name: string
  /** What it indexes: a table of the file itself. */
  readonly of: string
  /** SQL over the row `t` of that table: its row number in the index, its text, the node, and its conversation. */
  readonly rowid: string
  readonly text: string
  readonly node: string
  readonly conversation: string
  /**
   * For an index with a text of its own: the columns that hold it, and the id where rows are not found by number. Such
   * indexes have no rows for empty texts.
   */
  readonly copy?: { readonly text: string; readonly id?: string }
  /** Why a row may have another text in the index than in its table: SQL over `t`, true for such rows. */
  readonly isRewritten?: string
  /** The structure that came with the index; a file without it is too old to have one. */
  readonly since?: readonly [table: string, column: string]
}

const losslessIndexes: readonly OwnIndex[] = [
  {
    name: 'messages_fts',
    of: 'messages',
    rowid: 't.message_id',
    text: 't.content',
    node: `'msg_' || t.message_id`,
    conversation: 't.conversation_id',
    copy: { text: 'c0' },
    // Boilerplate of references to files is left out of the index.
    isRewritten: `instr(t.content, '[LCM ') > 0`,
  },
  ...['summaries_fts', 'summaries_fts_cjk'].map(
    (name): OwnIndex => ({
      name,
      of: 'summaries',
      rowid: 't.rowid',
      text: 't.content',
      node: 't.summary_id',
      conversation: 't.conversation_id',
      copy: { text: 'c1', id: 'c0' },
      ...(name === 'summaries_fts_cjk' ? { since: ['conversations', 'active'] as const } : {}),
    }),
  ),
]

const messagesOf = (rowid: string, text: string): OwnIndex => ({
  name: 'messages_fts',
  of: 'messages',
  rowid,
  text,
  node: `(SELECT 'msg_' || m.message_id FROM temp.messages AS m WHERE m.message_id = ${rowid})`,
  conversation: `(SELECT m.conversation_id FROM temp.messages AS m WHERE m.message_id = ${rowid})`,
})

const INDEXES: Readonly<Record<SystemId, readonly OwnIndex[]>> = {
  native: [
    {
      name: 'messages_fts',
      of: 'messages',
      rowid: 't.message_id',
      text: 't.content',
      node: `'msg_' || t.message_id`,
      conversation: 't.conversation_id',
    },
    {
      name: 'summaries_fts',
      of: 'summaries',
      rowid: 't.summary_rowid',
      text: 't.content',
      node: 't.summary_id',
      conversation: 't.conversation_id',
    },
  ],
  'lossless-claw': losslessIndexes,
  'lossless-claude': losslessIndexes,
  'hermes-lcm': [
    messagesOf('t.store_id', 't.content'),
    {
      name: 'nodes_fts',
      of: 'summary_nodes',
      rowid: 't.node_id',
      text: 't.summary',
      node: '(SELECT s.summary_id FROM temp.summaries AS s WHERE s.summary_rowid = t.node_id)',
      conversation: '(SELECT s.conversation_id FROM temp.summaries AS s WHERE s.summary_rowid = t.node_id)',
    },
  ],
  argentos: [messagesOf('t.id', 't.content')],
  'pi-lcm': [messagesOf('t.rowid', 't.content_text')],
  decapod: [],
}

/** The full-text indexes that a file of this system should have. */
export const ownIndexesOf = (system: SystemId, probe: SchemaProbe): readonly OwnIndex[] =>
  INDEXES[system].filter(({ of, since }) => probe.has(of) && (since === undefined || probe.has(...since)))
