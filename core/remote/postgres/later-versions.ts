import { PARTITIONED_TABLES } from './schema.ts'

/**
 * Version 2 adds the columns that the table of all conversations shows beside its sums, and the indexes by which it is
 * sorted and filtered. Row-level security is not enforced for the owner meanwhile, so that it can fill in all rows.
 */
export const SCHEMA_V2 = /* sql */ `
ALTER TABLE lcm.conversation_totals
  ADD COLUMN label text NOT NULL DEFAULT '', ADD COLUMN archived_at bigint,
  -- Appends and changes together, and how many there were when the conversation was last checked.
  ADD COLUMN writes bigint NOT NULL DEFAULT 0, ADD COLUMN checked_writes bigint, ADD COLUMN checked_at bigint,
  -- When the newest run began that failed. Compaction fails when no run began after it.
  ADD COLUMN last_failed_at bigint;

CREATE FUNCTION lcm.note_head() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO lcm.conversation_totals AS t (tenant_id, conversation_id, label, archived_at, writes)
  SELECT tenant_id, conversation_id, left(coalesce(nullif(btrim(title), ''), session_id), 200), archived_at,
    appends + changes
  FROM added
  ON CONFLICT (tenant_id, conversation_id) DO UPDATE SET
    label = excluded.label, archived_at = excluded.archived_at, writes = excluded.writes;
  RETURN NULL;
END $$;
CREATE TRIGGER conversations_noted AFTER INSERT ON lcm.conversations REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION lcm.note_head();
CREATE TRIGGER conversations_renoted AFTER UPDATE ON lcm.conversations REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION lcm.note_head();

CREATE FUNCTION lcm.note_failures() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE lcm.conversation_totals AS t SET last_failed_at = greatest(t.last_failed_at, f.at)
  FROM (
    SELECT tenant_id, conversation_id, max(started_at) AS at FROM added
    WHERE finished_at IS NOT NULL AND coalesce(stop_reason, 'conflict') IN ('deadline', 'conflict', 'no_progress')
    GROUP BY tenant_id, conversation_id
  ) AS f
  WHERE t.tenant_id = f.tenant_id AND t.conversation_id = f.conversation_id;
  RETURN NULL;
END $$;
CREATE TRIGGER compaction_runs_noted AFTER INSERT ON lcm.compaction_runs REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION lcm.note_failures();

ALTER TABLE lcm.conversations NO FORCE ROW LEVEL SECURITY;
ALTER TABLE lcm.conversation_totals NO FORCE ROW LEVEL SECURITY;
ALTER TABLE lcm.compaction_runs NO FORCE ROW LEVEL SECURITY;
UPDATE lcm.conversations SET appends = appends;
UPDATE lcm.conversation_totals AS t SET last_failed_at = (
  SELECT max(r.started_at) FROM lcm.compaction_runs AS r
  WHERE r.tenant_id = t.tenant_id AND r.conversation_id = t.conversation_id AND r.finished_at IS NOT NULL
    AND coalesce(r.stop_reason, 'conflict') IN ('deadline', 'conflict', 'no_progress'));
ALTER TABLE lcm.conversations FORCE ROW LEVEL SECURITY;
ALTER TABLE lcm.conversation_totals FORCE ROW LEVEL SECURITY;
ALTER TABLE lcm.compaction_runs FORCE ROW LEVEL SECURITY;

-- Growth is what came on the newest day, so the day comes first. The expression stays below 2^53.
DROP INDEX lcm.conversation_totals_growth;
CREATE INDEX conversation_totals_growth ON lcm.conversation_totals
  ((coalesce(day, 0) * 100000000000 + least(day_tokens, 99999999999)) DESC, tenant_id, conversation_id);
CREATE INDEX conversation_totals_tenant ON lcm.conversation_totals (tenant_id, last_ingest_at);
CREATE INDEX conversation_totals_empty ON lcm.conversation_totals (tenant_id, conversation_id)
  WHERE empty_summaries > 0;
CREATE INDEX conversation_totals_failing ON lcm.conversation_totals (tenant_id, conversation_id)
  WHERE last_failed_at >= last_run_at;
CREATE INDEX conversation_totals_unchecked ON lcm.conversation_totals (checked_at NULLS FIRST, tenant_id, conversation_id)
  WHERE checked_writes IS DISTINCT FROM writes;
`

/**
 * Version 3: conversations that are to be compacted. A job is taken for a while, so that another worker takes it when
 * the one that had it is gone.
 */
export const SCHEMA_V3 = /* sql */ `
CREATE TABLE lcm.compaction_jobs (
  tenant_id text NOT NULL, conversation_id bigint NOT NULL,
  not_before bigint NOT NULL, taken_until bigint NOT NULL DEFAULT 0, taken_by text, attempts bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant_id, conversation_id)
);
CREATE INDEX compaction_jobs_due ON lcm.compaction_jobs (greatest(not_before, taken_until));
ALTER TABLE lcm.compaction_jobs ENABLE ROW LEVEL SECURITY;
ALTER TABLE lcm.compaction_jobs FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON lcm.compaction_jobs USING (
  (SELECT '*' = ANY (lcm.granted_tenants())) OR tenant_id = ANY ((SELECT lcm.granted_tenants())::text[]));
DO $$
BEGIN
  IF EXISTS (SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = 'lcm_worker') THEN
    GRANT SELECT, INSERT, UPDATE, DELETE ON lcm.compaction_jobs TO lcm_worker;
  END IF;
END $$;
`

/**
 * The marks that SQLite's tokenizer drops inside a word, as escapes of PostgreSQL: \u0300 and so on. A test compares them
 * with its tables.
 */
const DROPPED_MARKS = [
  ...[0x300, 0x301, 0x302, 0x303, 0x304, 0x306, 0x307, 0x308, 0x309, 0x30a, 0x30b, 0x30c, 0x30f, 0x311, 0x31b],
  ...[0x323, 0x324, 0x325, 0x326, 0x327, 0x328, 0x32d, 0x32e, 0x330, 0x331],
]
  .map((code) => `\\u${code.toString(16).padStart(4, '0')}`)
  .join('')

/** Of longer texts the rest is not in the index of words; they are read whenever words are sought. */
export const INDEXED_CHARS = 200_000
/** Functions do not look for operators and functions where a caller may have put others of the same name. */
export const PINNED = 'SET search_path = pg_catalog, pg_temp'

/**
 * Version 4: isolation that costs one look a statement, and searches over a tenant by indexes. Under row-level security
 * no index serves a condition such as ILIKE, because the planner cannot know what it would tell of hidden rows. So
 * functions with the rights of the owner search, after they asked which tenant the caller may see. Policies are not
 * forced on the owner of what they read.
 */
export const SCHEMA_V4 = /* sql */ `
-- A role sees which tenants it is given itself, and nobody else's.
ALTER TABLE lcm.tenant_access ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON lcm.tenant_access FOR SELECT USING (EXISTS (
  SELECT 1 FROM pg_catalog.pg_roles AS r
  WHERE r.rolname = role_name AND pg_catalog.pg_has_role(current_user, r.oid, 'MEMBER')));

ALTER FUNCTION lcm.granted_tenants() ${PINNED};
ALTER FUNCTION lcm.refuse_change() ${PINNED};
ALTER FUNCTION lcm.count_messages() ${PINNED};
ALTER FUNCTION lcm.recount_tokens() ${PINNED};
ALTER FUNCTION lcm.count_rows() ${PINNED};
ALTER FUNCTION lcm.note_head() ${PINNED};
ALTER FUNCTION lcm.note_failures() ${PINNED};

-- The tenant of the transaction, or NULL when the role may not see it. It depends on no row, so it is asked once.
CREATE FUNCTION lcm.seen_tenant() RETURNS text LANGUAGE sql STABLE ${PINNED} AS $$
  SELECT t.name FROM (SELECT current_setting('lcm.tenant', true) AS name) AS t
  WHERE ARRAY[t.name, '*'] && lcm.granted_tenants()
$$;
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['${PARTITIONED_TABLES.filter((table) => table !== 'conversation_totals').join("', '")}', 'sessions'] LOOP
    EXECUTE format('ALTER POLICY tenant ON lcm.%I USING (tenant_id = (SELECT lcm.seen_tenant()))', name);
  END LOOP;
END $$;
ALTER TABLE lcm.messages NO FORCE ROW LEVEL SECURITY;
ALTER TABLE lcm.summaries NO FORCE ROW LEVEL SECURITY;
ALTER TABLE lcm.conversation_totals NO FORCE ROW LEVEL SECURITY;

-- Tenants of whoever called a function with the rights of its owner: there, current_user is the owner.
CREATE FUNCTION lcm.tenants_of_caller() RETURNS text[] LANGUAGE sql STABLE ${PINNED} AS $$
  SELECT coalesce(array_agg(a.tenant_id), '{}') FROM lcm.tenant_access AS a
  JOIN pg_roles AS r ON r.rolname = a.role_name
  WHERE pg_has_role(
    CASE current_setting('role') WHEN 'none' THEN session_user ELSE current_setting('role')::name END, r.oid, 'MEMBER')
$$;

-- The words of ASCII in a text, as SQLite's tokenizer writes them: small, without diacritics, the long s as s. It may
-- find more words where others have letters beyond ASCII; the text itself decides.
CREATE FUNCTION lcm.words(content text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE ${PINNED} AS $$
  SELECT array_to_tsvector(ARRAY(
    SELECT left(word, 200) FROM unnest(string_to_array(regexp_replace(lower((
      CASE WHEN octet_length(content) = length(content) THEN left(content, ${INDEXED_CHARS})
        ELSE translate(normalize(left(content, ${INDEXED_CHARS}), NFD), E'\\u017f${DROPPED_MARKS}', 's') END
    ) COLLATE "C"), '[^a-z0-9]+', ' ', 'g'), ' ')) AS word WHERE word <> ''))
$$;
DROP INDEX lcm.messages_words;
DROP INDEX lcm.summaries_words;
CREATE INDEX messages_words ON lcm.messages USING gin (lcm.words(content));
CREATE INDEX summaries_words ON lcm.summaries USING gin (lcm.words(content));
CREATE INDEX messages_long ON lcm.messages (tenant_id) WHERE length(content) > ${INDEXED_CHARS};
CREATE INDEX summaries_long ON lcm.summaries (tenant_id) WHERE length(content) > ${INDEXED_CHARS};

-- A condition on a text: {"like": pattern}, {"words": tsquery}, {"all": […]}, {"any": […]}, or {} for any text.
CREATE FUNCTION lcm.text_condition(sought jsonb) RETURNS text LANGUAGE plpgsql IMMUTABLE ${PINNED} AS $$
DECLARE parts text;
BEGIN
  IF sought ? 'like' THEN RETURN format('content ILIKE %L', sought ->> 'like'); END IF;
  IF sought ? 'words' THEN
    RETURN format('(lcm.words(content) @@ %L::tsquery OR length(content) > ${INDEXED_CHARS})', sought ->> 'words');
  END IF;
  SELECT string_agg(lcm.text_condition(part), CASE WHEN sought ? 'all' THEN ' AND ' ELSE ' OR ' END) INTO parts
  FROM jsonb_array_elements(coalesce(sought -> 'all', sought -> 'any')) AS part;
  RETURN coalesce('(' || parts || ')', 'true');
END $$;

-- Texts of the tenant of the transaction that may be hits, the best and then the newest first. What a text holds of the
-- weighed conditions is its score.
CREATE FUNCTION lcm.find_texts(
  sought jsonb, weighed jsonb, conversations bigint[], after_score double precision, after_at bigint,
  after_conversation bigint, after_kind text, after_id text, most integer
) RETURNS TABLE (
  conversation_id bigint, id text, kind text, seq bigint, role text, depth bigint, created_at bigint, content text,
  exact_texts jsonb, score double precision
) LANGUAGE plpgsql STABLE SECURITY DEFINER ${PINNED} AS $$
DECLARE
  tenant text := current_setting('lcm.tenant', true);
  score text;
BEGIN
  IF tenant IS NULL OR NOT ARRAY[tenant, '*'] && lcm.tenants_of_caller() THEN RETURN; END IF;
  SELECT string_agg(format('CASE WHEN %s THEN %L::double precision ELSE 0 END',
    lcm.text_condition(one -> 'condition'), one ->> 'weight'), ' + ') INTO score FROM jsonb_array_elements(weighed) AS one;
  RETURN QUERY EXECUTE format('
    SELECT * FROM (
      SELECT conversation_id, ''msg_'' || message_id AS id, ''message'' AS kind, seq, role, NULL::bigint, created_at,
        content, exact_texts, %2$s AS score
      FROM lcm.messages WHERE tenant_id = $1 AND ($2 IS NULL OR conversation_id = ANY ($2)) AND %1$s
      UNION ALL
      SELECT conversation_id, summary_id, kind, NULL, NULL, depth, created_at, content, exact_texts, %2$s
      FROM lcm.summaries WHERE tenant_id = $1 AND ($2 IS NULL OR conversation_id = ANY ($2)) AND %1$s
    ) AS found
    WHERE $3 IS NULL OR (score, created_at, conversation_id, kind, id) < ($3, $4, $5, $6, $7)
    ORDER BY score DESC, created_at DESC, conversation_id DESC, kind DESC, id DESC LIMIT $8',
    lcm.text_condition(sought), coalesce(score, '0::double precision'))
  USING tenant, conversations, after_score, after_at, after_conversation, after_kind, after_id, most;
END $$;

-- How many texts of the tenant of the transaction may be hits, counted up to a limit.
CREATE FUNCTION lcm.count_texts(sought jsonb, most integer) RETURNS bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER ${PINNED} AS $$
DECLARE
  tenant text := current_setting('lcm.tenant', true);
  found bigint;
BEGIN
  IF tenant IS NULL OR NOT ARRAY[tenant, '*'] && lcm.tenants_of_caller() THEN RETURN 0; END IF;
  EXECUTE format('SELECT count(*) FROM (
    SELECT 1 FROM lcm.messages WHERE tenant_id = $1 AND %1$s
    UNION ALL SELECT 1 FROM lcm.summaries WHERE tenant_id = $1 AND %1$s LIMIT $2) AS found', lcm.text_condition(sought))
  INTO found USING tenant, most;
  RETURN found;
END $$;

-- Conversations whose title, or session, contains a text.
CREATE INDEX conversation_totals_label ON lcm.conversation_totals USING gin (lower(label) gin_trgm_ops);
CREATE FUNCTION lcm.find_labels(pattern text) RETURNS TABLE (tenant_id text, conversation_id bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER ${PINNED} AS $$
DECLARE granted text[] := lcm.tenants_of_caller();
BEGIN
  RETURN QUERY EXECUTE format('SELECT tenant_id, conversation_id FROM lcm.conversation_totals
    WHERE lower(label) LIKE lower(%L) AND ($2 OR tenant_id = ANY ($1))', pattern)
  USING granted, '*' = ANY (granted);
END $$;
`
