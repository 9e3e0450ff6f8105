import { type Column, TABLES, type Table, tableOf } from '#core/tables.ts'

/** A table that a conversation has in both stores, without the column that names the conversation. */
export type StoredTable = Table

const KEYS: readonly string[] = ['conversation_id', 'parent_conversation_id']
const withoutKeys = ({ columns }: Table): readonly Column[] => columns.filter(({ name }) => !KEYS.includes(name))

/** The tables of a conversation, in an order in which they can be filled. */
export const STORED_TABLES: readonly StoredTable[] = TABLES.filter(({ name }) => name !== 'conversations').map(
  (table) => ({ ...table, columns: withoutKeys(table) }),
)

/** Columns of a conversation itself, beside its keys and the conversation that it branched off from. */
export const HEAD_COLUMNS: readonly Column[] = withoutKeys(tableOf('conversations'))

export type StoredValue = string | number | null
export type StoredRow = Readonly<Record<string, StoredValue>>
