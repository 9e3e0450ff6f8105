import { connectPostgres, type Postgres } from '#core/remote/postgres/connect.ts'
import { PASSWORD, type RealServer } from './real-server.ts'
import { leaked, OTHER, OWN } from './two-tenants.ts'

type Finding = { readonly login: string; readonly statement: string; readonly said: unknown }

const COLUMN = /* sql */ `
  SELECT c.relname AS name, c.relispartition AS "isPartition",
    array(SELECT a.attname::text FROM pg_catalog.pg_attribute AS a WHERE a.attrelid = c.oid AND a.attnum > 0) AS columns
  FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
  WHERE n.nspname = 'lcm' AND c.relkind IN ('r', 'p') ORDER BY 1`
/** Columns that the login may change. */
const GRANTED = /* sql */ `
  SELECT table_name::text AS name, array_agg(DISTINCT column_name::text) AS columns
  FROM information_schema.column_privileges WHERE table_schema = 'lcm' AND privilege_type = 'UPDATE' GROUP BY 1`

/**
 * Statements of a login that wants to see or change another tenant: every table of the schema as the server lists them,
 * with every claim of a tenant, and ways around row-level security.
 */
export async function attackBySql(server: RealServer, logins: readonly string[]): Promise<readonly Finding[]> {
  const superuser = await server.connectSuperuser()
  // What an administrator may have given a login: a schema of its own, in which operators and functions may stand.
  await superuser.script(`GRANT CREATE, TEMPORARY ON DATABASE lcm TO ${logins.join(', ')}`)
  const tables = await superuser.read(null, (query) =>
    query<{ name: string; isPartition: boolean; columns: string[] }>(COLUMN),
  )
  const rows = new Map<string, string>()
  for (const { name, isPartition } of tables) {
    if (isPartition || name === 'schema_version') continue
    const [found] = await superuser.read(null, (query) =>
      query<{ row: unknown }>(
        `SELECT to_jsonb(t) AS row FROM lcm.${name} AS t WHERE to_jsonb(t) ->> 'tenant_id' = $1`,
        [OTHER.tenant],
      ),
    )
    rows.set(name, JSON.stringify(found?.row ?? { tenant_id: OTHER.tenant, role_name: 'ada' }))
  }
  await superuser.close()
  const findings: Finding[] = []
  for (const login of logins) {
    const db = await connectPostgres({ ...server.address, user: login }, PASSWORD)
    const attempt: Attempt = async (statement, values = [], claims = [OTHER.tenant, '*']) => {
      for (const claimed of claims) {
        try {
          const said = await db.write(claimed, (query) => query(statement, values))
          const tells = leaked(said).length > 0 || JSON.stringify(said).includes(`"${OTHER.tenant}"`)
          const isDone = said.some((row) => 'done' in row)
          if (tells || isDone) findings.push({ login, statement, said })
        } catch (error) {
          if (leaked(error).length > 0) findings.push({ login, statement, said: error })
        }
      }
    }
    const granted = await db.read(null, (query) => query<{ name: string; columns: string[] }>(GRANTED))
    for (const { name, isPartition, columns } of tables) {
      const claims = isPartition ? [OTHER.tenant] : [OTHER.tenant, OWN, '*', null]
      await attempt(`SELECT to_jsonb(t) AS row FROM lcm.${name} AS t`, [], claims)
      const row = rows.get(name)
      if (!columns.includes('tenant_id') || row === undefined) continue
      const insert = `INSERT INTO lcm.${name} SELECT * FROM jsonb_populate_record(NULL::lcm.${name}, $1)`
      await attempt(`${insert} ON CONFLICT DO NOTHING RETURNING 1 AS done`, [row], [OTHER.tenant, OWN])
      await attempt(`DELETE FROM lcm.${name} WHERE tenant_id = $1 RETURNING 1 AS done`, [OTHER.tenant])
      const some = granted.find((one) => one.name === name)?.columns ?? ['tenant_id']
      const set = some.map((column) => `${column} = ${column}`).join(', ')
      await attempt(`UPDATE lcm.${name} SET ${set} WHERE tenant_id = $1 RETURNING 1 AS done`, [OTHER.tenant])
      await attempt(`UPDATE lcm.${name} SET tenant_id = $1 RETURNING 1 AS done`, [OTHER.tenant], [OWN])
    }
    await attackFunctions(db, attempt)
    await db.close()
  }
  return findings
}

/** A row named `done` says that something was written, or counted, that should not be. */
type Attempt = (statement: string, values?: readonly unknown[], claims?: readonly (string | null)[]) => Promise<void>

async function attackFunctions(db: Postgres, attempt: Attempt): Promise<void> {
  const anything = JSON.stringify({})
  const words = JSON.stringify({ words: "'heron'" })
  const injected = JSON.stringify({ like: "' OR true --" })
  for (const sought of [anything, words, injected]) {
    await attempt('SELECT * FROM lcm.find_texts($1, $2, NULL, NULL, NULL, NULL, NULL, NULL, 100)', [sought, '[]'])
  }
  // A count that is not 0 tells that a guessed word stands there.
  await attempt('SELECT 1 AS done WHERE lcm.count_texts($1, 10) > 0', [words])
  await attempt('SELECT * FROM lcm.find_labels($1)', ['%'])
  for (const role of ['owner', 'lcm_writer', 'superuser', 'pg_read_all_data']) {
    await attempt(`SET LOCAL ROLE ${role}`)
    await attempt('SELECT content FROM lcm.messages')
  }
  // Errors and notices of a condition tell what it was given, when it is asked before the tenant is.
  await attempt("SELECT content::integer FROM lcm.messages WHERE content ~ 'Lisbon'")
  await attempt("SELECT 1 / (length(content) - length(content)) AS done FROM lcm.messages WHERE content ~ 'Lisbon'")
  await db.script(`CREATE FUNCTION pg_temp.tell(content text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS $$
    BEGIN IF content ~ 'heron|Lisbon' THEN RAISE EXCEPTION 'told: %', content; END IF; RETURN true; END $$`)
  for (const table of ['messages', 'summaries']) {
    await attempt(`SELECT 1 FROM lcm.${table} WHERE pg_temp.tell(content) AND false`)
    await attempt(`SELECT content FROM lcm.${table} WHERE pg_temp.tell(content)`)
  }
  await attempt('SELECT label FROM lcm.conversation_totals WHERE pg_temp.tell(label)')
  await attempt(
    "SELECT most_common_vals::text, histogram_bounds::text FROM pg_catalog.pg_stats WHERE schemaname = 'lcm'",
  )
  await attempt('SELECT query FROM pg_catalog.pg_stat_activity')
  // Operators and functions of the same name, found first.
  await db.script(`CREATE SCHEMA evil;
    CREATE FUNCTION evil.always(text, name) RETURNS boolean LANGUAGE sql AS 'SELECT true';
    CREATE FUNCTION evil.always(text, text) RETURNS boolean LANGUAGE sql AS 'SELECT true';
    CREATE FUNCTION evil.always(anyarray, anyarray) RETURNS boolean LANGUAGE sql AS 'SELECT true';
    CREATE OPERATOR evil.= (LEFTARG = text, RIGHTARG = name, FUNCTION = evil.always);
    CREATE OPERATOR evil.= (LEFTARG = text, RIGHTARG = text, FUNCTION = evil.always);
    CREATE OPERATOR evil.&& (LEFTARG = anyarray, RIGHTARG = anyarray, FUNCTION = evil.always);
    CREATE FUNCTION evil.every_tenant(text[], text) RETURNS text[] LANGUAGE sql AS $$ SELECT ARRAY['*'] $$;
    CREATE AGGREGATE evil.array_agg(text) (SFUNC = evil.every_tenant, STYPE = text[], INITCOND = '{}');
    SET search_path = evil, pg_catalog;`)
  for (const table of ['messages', 'summaries', 'conversations', 'sessions', 'conversation_totals', 'tenants']) {
    await attempt(`SELECT to_jsonb(t) AS row FROM lcm.${table} AS t`)
  }
  await attempt('SELECT * FROM lcm.find_texts($1, $2, NULL, NULL, NULL, NULL, NULL, NULL, 100)', [anything, '[]'])
  await db.script('DROP SCHEMA evil CASCADE')
}
