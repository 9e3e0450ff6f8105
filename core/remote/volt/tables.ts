import { LcmError } from '#core/errors.ts'
import type { Postgres, Query } from '../postgres/connect.ts'

/** Without these a schema is none of Volt's. */
const NEEDED = ['conversations', 'messages', 'summaries', 'summary_messages', 'summary_parents', 'context_items']
/** Came later, or are not made in the schema of a user. */
const OPTIONAL = ['message_parts', 'large_files', 'summary_lineage_pointers']

/** A schema of Volt: one for each user, or `public` where Volt runs for one person. */
type Schema = { readonly name: string; readonly mayRead: boolean }

const queries = {
  /** The columns are those by which its tables differ from those of others with the same names. */
  schemas: /* sql */ `
    SELECT n.nspname::text AS name,
      has_schema_privilege(n.oid, 'USAGE') AND bool_and(has_table_privilege(c.oid, 'SELECT')) AS "mayRead"
    FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p') AND c.relname = ANY ($1) AND ($2::text IS NULL OR n.nspname = $2)
    GROUP BY n.oid, n.nspname
    HAVING count(*) = ${NEEDED.length} AND (
      SELECT count(*) FROM pg_catalog.pg_attribute AS a JOIN pg_catalog.pg_class AS t ON t.oid = a.attrelid
      WHERE t.relnamespace = n.oid AND NOT a.attisdropped AND (t.relname, a.attname) IN (
        ('conversations', 'model_ctx_max_tokens'), ('summary_parents', 'parent_summary_id'),
        ('context_items', 'position'))
    ) = 3
    ORDER BY n.nspname COLLATE "C"`,
  columns: /* sql */ `
    SELECT c.relname::text AS "table", a.attname::text AS "column",
      has_column_privilege(c.oid, a.attnum, 'SELECT') AS "mayRead"
    FROM pg_catalog.pg_attribute AS a
    JOIN pg_catalog.pg_class AS c ON c.oid = a.attrelid
    JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND c.relname = ANY ($2) AND a.attnum > 0 AND NOT a.attisdropped`,
}

const listed = (query: Query, name: string | null): Promise<Schema[]> => query<Schema>(queries.schemas, [NEEDED, name])

export const isVolt = async (query: Query): Promise<boolean> => (await listed(query, null)).length > 0

/** Names of the schemas that the role may read, in their order. */
export async function readableSchemas(query: Query): Promise<string[]> {
  return (await listed(query, null)).filter(({ mayRead }) => mayRead).map(({ name }) => name)
}

/** @throws LcmError server_refused when the role may read no schema of Volt */
export async function requireReadable(db: Postgres): Promise<void> {
  const schemas = await db.read(null, (query) => listed(query, null))
  if (schemas.some(({ mayRead }) => mayRead)) return
  throw refused(schemas[0]?.name ?? 'public', db.shown)
}

const refused = (schema: string, shown: string): LcmError =>
  new LcmError(
    'server_refused',
    `The role of ${shown} may not read the tables of Volt: an administrator grants it USAGE on the schema ${quoted(schema)} and SELECT on its tables.`,
    { schema },
  )

/** The tables of one user, as they are in this database. */
export class VoltTables {
  readonly #schema: string
  readonly #columns: ReadonlySet<string>

  private constructor(schema: string, columns: ReadonlySet<string>) {
    this.#schema = quoted(schema)
    this.#columns = columns
  }

  /** Null when there is no such schema of Volt. @throws LcmError server_refused */
  static async of(query: Query, schema: string): Promise<VoltTables | null> {
    const [found] = await listed(query, schema)
    if (found === undefined) return null
    type Column = { table: string; column: string; mayRead: boolean }
    const columns = await query<Column>(queries.columns, [schema, [...NEEDED, ...OPTIONAL]])
    // What the role may not read must not look as if it were not there.
    if (!found.mayRead || columns.some(({ mayRead }) => !mayRead)) throw refused(schema, 'this database')
    return new VoltTables(schema, new Set(columns.flatMap(({ table, column }) => [table, `${table}.${column}`])))
  }

  has(table: string, column?: string): boolean {
    return this.#columns.has(column === undefined ? table : `${table}.${column}`)
  }

  /** A table by its whole name: nothing depends on a search path. */
  at(table: string): string {
    return `${this.#schema}.${table}`
  }

  /** A column of the table `t`, or what stands for it where an older version has none. */
  column(table: string, name: string, otherwise = 'NULL'): string {
    return this.has(table, name) ? `t.${name}` : otherwise
  }
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Milliseconds since 1970 of a time. An endless one has none. */
export const msOf = (time: string): string =>
  `CASE WHEN isfinite(${time}) THEN floor(extract(epoch FROM ${time}) * 1000)::bigint END`
