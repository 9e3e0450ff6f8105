const KEYS = 'tenant_id text NOT NULL, conversation_id bigint NOT NULL'
const PARTITIONED = 'PARTITION BY HASH (tenant_id, conversation_id)'

/** Tables that are partitioned by tenant and conversation, so that one conversation lies in one partition of each. */
export const PARTITIONED_TABLES = [
  'conversations',
  'messages',
  'message_parts',
  'summaries',
  'summary_messages',
  'summary_sources',
  'context_items',
  'large_files',
  'compaction_runs',
  'compaction_events',
  'surgery_events',
  'conversation_totals',
] as const

/**
 * Version 1 of the tables in PostgreSQL. They hold what the tables of a native file hold. Links have no foreign keys,
 * because a damaged memory is kept as it is; a conversation cannot be deleted while rows of it are there.
 */
export const SCHEMA_V1 = /* sql */ `
CREATE EXTENSION IF NOT EXISTS pg_trgm;

CREATE SEQUENCE lcm.conversation_ids AS bigint;

CREATE TABLE lcm.tenants (
  tenant_id  text PRIMARY KEY CHECK (length(tenant_id) BETWEEN 1 AND 200),
  created_at timestamptz NOT NULL DEFAULT now()
);

-- Which role sees which tenant; '*' is every tenant. A role without a row sees none.
CREATE TABLE lcm.tenant_access (
  role_name text NOT NULL,
  tenant_id text NOT NULL,
  PRIMARY KEY (role_name, tenant_id)
);

-- One conversation a session. Uniqueness across partitions needs a table of its own.
CREATE TABLE lcm.sessions (
  tenant_id       text NOT NULL REFERENCES lcm.tenants,
  -- SHA-256 of importer and session id, because both may be longer than an index allows.
  session_hash    text NOT NULL CHECK (length(session_hash) = 64),
  conversation_id bigint NOT NULL,
  PRIMARY KEY (tenant_id, session_hash)
);

CREATE TABLE lcm.conversations (
  ${KEYS},
  session_id text NOT NULL, logical_key text, importer text NOT NULL, source_uri text,
  parent_conversation_id bigint, title text, archived_at bigint, created_at bigint NOT NULL, updated_at bigint NOT NULL,
  exact_texts jsonb,
  token_estimator text,
  -- Writes that only appended messages, and all others: whoever holds a copy sees what has to be read again.
  appends bigint NOT NULL DEFAULT 0, changes bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant_id, conversation_id)
) ${PARTITIONED};

CREATE TABLE lcm.messages (
  ${KEYS},
  message_id bigint NOT NULL, seq bigint NOT NULL, role text NOT NULL, token_count bigint NOT NULL,
  created_at bigint NOT NULL, external_id text, content_hash text NOT NULL, content text NOT NULL,
  exact_texts jsonb,
  PRIMARY KEY (tenant_id, conversation_id, message_id),
  UNIQUE (tenant_id, conversation_id, seq),
  UNIQUE (tenant_id, conversation_id, external_id),
  FOREIGN KEY (tenant_id, conversation_id) REFERENCES lcm.conversations ON DELETE RESTRICT
) ${PARTITIONED};

CREATE TABLE lcm.message_parts (
  ${KEYS},
  part_id text NOT NULL, message_id bigint NOT NULL, session_id text NOT NULL, part_type text NOT NULL,
  ordinal bigint NOT NULL, is_content bigint NOT NULL, is_ignored bigint NOT NULL, is_synthetic bigint NOT NULL,
  tool_call_id text, tool_name text, tool_status text, tool_title text, patch_hash text, patch_files text,
  file_mime text, file_name text, file_url text, subtask_prompt text, subtask_desc text, subtask_agent text,
  step_reason text, step_cost double precision, step_tokens_in bigint, step_tokens_out bigint, snapshot_hash text,
  compaction_auto bigint, text_content text, tool_input text, tool_output text, tool_error text, metadata text,
  text_is_content bigint, metadata_has_text bigint,
  exact_texts jsonb,
  PRIMARY KEY (tenant_id, conversation_id, part_id),
  UNIQUE (tenant_id, conversation_id, message_id, ordinal)
) ${PARTITIONED};

CREATE TABLE lcm.summaries (
  ${KEYS},
  summary_rowid bigint NOT NULL, summary_id text NOT NULL, kind text NOT NULL, depth bigint NOT NULL,
  token_count bigint NOT NULL, source_token_count bigint NOT NULL, descendant_count bigint NOT NULL,
  earliest_at bigint, latest_at bigint, created_at bigint NOT NULL, level text NOT NULL, model text,
  prompt_version text, summary_hash text NOT NULL, file_ids text NOT NULL, content text NOT NULL,
  exact_texts jsonb,
  PRIMARY KEY (tenant_id, conversation_id, summary_id),
  UNIQUE (tenant_id, conversation_id, summary_rowid),
  FOREIGN KEY (tenant_id, conversation_id) REFERENCES lcm.conversations ON DELETE RESTRICT
) ${PARTITIONED};

CREATE TABLE lcm.summary_messages (
  ${KEYS}, summary_id text NOT NULL, message_id bigint NOT NULL, ordinal bigint NOT NULL, exact_texts jsonb,
  PRIMARY KEY (tenant_id, conversation_id, summary_id, message_id)
) ${PARTITIONED};

CREATE TABLE lcm.summary_sources (
  ${KEYS}, summary_id text NOT NULL, source_summary_id text NOT NULL, ordinal bigint NOT NULL, exact_texts jsonb,
  PRIMARY KEY (tenant_id, conversation_id, summary_id, source_summary_id)
) ${PARTITIONED};

CREATE TABLE lcm.context_items (
  ${KEYS}, ordinal bigint NOT NULL, item_type text NOT NULL, message_id bigint, summary_id text,
  created_at bigint NOT NULL, exact_texts jsonb,
  PRIMARY KEY (tenant_id, conversation_id, ordinal)
) ${PARTITIONED};

CREATE TABLE lcm.large_files (
  ${KEYS}, file_id text NOT NULL, file_name text, mime_type text, byte_size bigint, content_hash text,
  storage_uri text NOT NULL, exploration_summary text, created_at bigint NOT NULL, exact_texts jsonb,
  PRIMARY KEY (tenant_id, conversation_id, file_id)
) ${PARTITIONED};

CREATE TABLE lcm.compaction_runs (
  ${KEYS}, run_id text NOT NULL, reason text NOT NULL, mode text NOT NULL, summarizer text NOT NULL,
  configuration text NOT NULL, owner text NOT NULL, started_at bigint NOT NULL, finished_at bigint,
  tokens_before bigint NOT NULL, tokens_after bigint, stop_reason text, model_input_tokens bigint NOT NULL,
  model_output_tokens bigint NOT NULL, model_cost double precision, exact_texts jsonb,
  PRIMARY KEY (tenant_id, conversation_id, run_id)
) ${PARTITIONED};

CREATE TABLE lcm.compaction_events (
  ${KEYS}, event_id bigint NOT NULL, run_id text NOT NULL, at bigint NOT NULL, pass text NOT NULL,
  summary_id text NOT NULL, ordinal bigint NOT NULL, removed text NOT NULL, level text NOT NULL,
  source_tokens bigint NOT NULL, tokens bigint NOT NULL, duration_ms bigint NOT NULL, attempts text NOT NULL,
  newest_seq bigint, exact_texts jsonb,
  PRIMARY KEY (tenant_id, conversation_id, event_id)
) ${PARTITIONED};

CREATE TABLE lcm.surgery_events (
  ${KEYS}, surgery_id bigint NOT NULL, at bigint NOT NULL, kind text NOT NULL, node_id text, owner text NOT NULL,
  after_event bigint NOT NULL, newest_seq bigint, window_from text NOT NULL, window_to text NOT NULL,
  summary text NOT NULL, detail text NOT NULL, exact_texts jsonb,
  PRIMARY KEY (tenant_id, conversation_id, surgery_id)
) ${PARTITIONED};

-- What the table of all conversations shows, kept in step by triggers.
CREATE TABLE lcm.conversation_totals (
  ${KEYS},
  messages bigint NOT NULL DEFAULT 0, message_tokens bigint NOT NULL DEFAULT 0, summaries bigint NOT NULL DEFAULT 0,
  empty_summaries bigint NOT NULL DEFAULT 0, window_items bigint NOT NULL DEFAULT 0,
  window_tokens bigint NOT NULL DEFAULT 0, runs bigint NOT NULL DEFAULT 0, failed_runs bigint NOT NULL DEFAULT 0,
  last_run_at bigint, last_ingest_at bigint, day bigint, day_tokens bigint NOT NULL DEFAULT 0, findings bigint,
  PRIMARY KEY (tenant_id, conversation_id)
) ${PARTITIONED};
CREATE INDEX conversation_totals_pressure ON lcm.conversation_totals (window_tokens DESC, tenant_id, conversation_id);
CREATE INDEX conversation_totals_ingest ON lcm.conversation_totals (coalesce(last_ingest_at, 0) DESC, tenant_id, conversation_id);
CREATE INDEX conversation_totals_run ON lcm.conversation_totals (coalesce(last_run_at, 0) DESC, tenant_id, conversation_id);
CREATE INDEX conversation_totals_failures ON lcm.conversation_totals (failed_runs DESC, tenant_id, conversation_id);
CREATE INDEX conversation_totals_findings ON lcm.conversation_totals (coalesce(findings, 0) DESC, tenant_id, conversation_id);
CREATE INDEX conversation_totals_growth ON lcm.conversation_totals (day_tokens DESC, tenant_id, conversation_id);
CREATE INDEX conversation_totals_messages ON lcm.conversation_totals (messages DESC, tenant_id, conversation_id);

-- A tsvector is refused above a megabyte; the trigram index covers the whole text.
CREATE INDEX messages_words ON lcm.messages USING gin (to_tsvector('simple', left(content, 100000)));
CREATE INDEX messages_trigrams ON lcm.messages USING gin (content gin_trgm_ops);
CREATE INDEX summaries_words ON lcm.summaries USING gin (to_tsvector('simple', left(content, 100000)));
CREATE INDEX summaries_trigrams ON lcm.summaries USING gin (content gin_trgm_ops);

CREATE FUNCTION lcm.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND TG_TABLE_NAME LIKE 'messages%' THEN
    IF to_jsonb(new) - 'token_count' = to_jsonb(old) - 'token_count' THEN RETURN new; END IF;
  END IF;
  RAISE EXCEPTION 'messages and their parts are never changed or deleted' USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER messages_immutable BEFORE UPDATE OR DELETE ON lcm.messages
  FOR EACH ROW EXECUTE FUNCTION lcm.refuse_change();
CREATE TRIGGER messages_undeletable BEFORE TRUNCATE ON lcm.messages EXECUTE FUNCTION lcm.refuse_change();
CREATE TRIGGER message_parts_immutable BEFORE UPDATE OR DELETE ON lcm.message_parts
  FOR EACH ROW EXECUTE FUNCTION lcm.refuse_change();
CREATE TRIGGER message_parts_undeletable BEFORE TRUNCATE ON lcm.message_parts EXECUTE FUNCTION lcm.refuse_change();

CREATE FUNCTION lcm.count_messages() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO lcm.conversation_totals AS t
    (tenant_id, conversation_id, messages, message_tokens, last_ingest_at, day, day_tokens)
  SELECT tenant_id, conversation_id, count(*), sum(token_count), floor(extract(epoch FROM clock_timestamp()) * 1000),
    floor(extract(epoch FROM clock_timestamp()) / 86400), sum(token_count)
  FROM added GROUP BY tenant_id, conversation_id
  ON CONFLICT (tenant_id, conversation_id) DO UPDATE SET
    messages = t.messages + excluded.messages,
    message_tokens = t.message_tokens + excluded.message_tokens,
    last_ingest_at = excluded.last_ingest_at,
    day = excluded.day,
    day_tokens = excluded.day_tokens + CASE WHEN t.day = excluded.day THEN t.day_tokens ELSE 0 END;
  RETURN NULL;
END $$;
CREATE TRIGGER messages_counted AFTER INSERT ON lcm.messages REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION lcm.count_messages();

CREATE FUNCTION lcm.recount_tokens() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE lcm.conversation_totals AS t SET
    message_tokens = t.message_tokens + d.change, window_tokens = t.window_tokens + d.in_window
  FROM (
    SELECT n.tenant_id, n.conversation_id, sum(n.token_count - o.token_count) AS change,
      coalesce(sum(n.token_count - o.token_count) FILTER (WHERE EXISTS (
        SELECT 1 FROM lcm.context_items AS i WHERE i.tenant_id = n.tenant_id
          AND i.conversation_id = n.conversation_id AND i.message_id = n.message_id)), 0) AS in_window
    FROM added AS n JOIN removed AS o USING (tenant_id, conversation_id, message_id)
    GROUP BY n.tenant_id, n.conversation_id
  ) AS d
  WHERE t.tenant_id = d.tenant_id AND t.conversation_id = d.conversation_id;
  RETURN NULL;
END $$;
CREATE TRIGGER messages_recounted AFTER UPDATE ON lcm.messages REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION lcm.recount_tokens();

-- Rows of summaries, windows and runs are removed and inserted, never updated, so each statement changes sums one way.
CREATE FUNCTION lcm.count_rows() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE sign integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
  IF TG_ARGV[0] = 'summaries' THEN
    INSERT INTO lcm.conversation_totals AS t (tenant_id, conversation_id, summaries, empty_summaries)
    SELECT tenant_id, conversation_id, sign * count(*), sign * count(*) FILTER (WHERE btrim(content) = '')
    FROM changed GROUP BY tenant_id, conversation_id
    ON CONFLICT (tenant_id, conversation_id) DO UPDATE SET
      summaries = t.summaries + excluded.summaries, empty_summaries = t.empty_summaries + excluded.empty_summaries;
  ELSIF TG_ARGV[0] = 'context_items' THEN
    INSERT INTO lcm.conversation_totals AS t (tenant_id, conversation_id, window_items, window_tokens)
    SELECT c.tenant_id, c.conversation_id, sign * count(*),
      sign * coalesce(sum(coalesce(m.token_count, s.token_count, 0)), 0)
    FROM changed AS c
    LEFT JOIN lcm.messages AS m ON m.tenant_id = c.tenant_id AND m.conversation_id = c.conversation_id
      AND m.message_id = c.message_id
    LEFT JOIN lcm.summaries AS s ON s.tenant_id = c.tenant_id AND s.conversation_id = c.conversation_id
      AND s.summary_id = c.summary_id
    GROUP BY c.tenant_id, c.conversation_id
    ON CONFLICT (tenant_id, conversation_id) DO UPDATE SET
      window_items = t.window_items + excluded.window_items, window_tokens = t.window_tokens + excluded.window_tokens;
  ELSE
    INSERT INTO lcm.conversation_totals AS t (tenant_id, conversation_id, runs, failed_runs, last_run_at)
    SELECT tenant_id, conversation_id, sign * count(*),
      sign * count(*) FILTER (WHERE finished_at IS NOT NULL AND coalesce(stop_reason, 'conflict') IN ('deadline', 'conflict', 'no_progress')),
      CASE sign WHEN 1 THEN max(started_at) END
    FROM changed GROUP BY tenant_id, conversation_id
    ON CONFLICT (tenant_id, conversation_id) DO UPDATE SET
      runs = t.runs + excluded.runs, failed_runs = t.failed_runs + excluded.failed_runs,
      last_run_at = greatest(t.last_run_at, excluded.last_run_at);
  END IF;
  RETURN NULL;
END $$;
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['summaries', 'context_items', 'compaction_runs'] LOOP
    EXECUTE format('CREATE TRIGGER %1$s_added AFTER INSERT ON lcm.%1$I REFERENCING NEW TABLE AS changed
      FOR EACH STATEMENT EXECUTE FUNCTION lcm.count_rows(%1$L)', name);
    EXECUTE format('CREATE TRIGGER %1$s_removed AFTER DELETE ON lcm.%1$I REFERENCING OLD TABLE AS changed
      FOR EACH STATEMENT EXECUTE FUNCTION lcm.count_rows(%1$L)', name);
  END LOOP;
END $$;

-- Tenants that the current role may see. Asked once a statement, not once a row.
CREATE FUNCTION lcm.granted_tenants() RETURNS text[] LANGUAGE sql STABLE AS $$
  SELECT coalesce(array_agg(a.tenant_id), '{}') FROM lcm.tenant_access AS a
  JOIN pg_catalog.pg_roles AS r ON r.rolname = a.role_name
  WHERE pg_catalog.pg_has_role(current_user, r.oid, 'MEMBER')
$$;
`

/** Row-level security: a statement sees the tenant of its transaction, if the role may see it. */
export const POLICIES = /* sql */ `
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['${PARTITIONED_TABLES.filter((table) => table !== 'conversation_totals').join("', '")}', 'sessions'] LOOP
    EXECUTE format('ALTER TABLE lcm.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE lcm.%I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON lcm.%I USING (
      tenant_id = (SELECT current_setting(''lcm.tenant'', true))
      AND (SELECT array[tenant_id, ''*''] && lcm.granted_tenants()))', name);
  END LOOP;
END $$;
ALTER TABLE lcm.conversation_totals ENABLE ROW LEVEL SECURITY;
ALTER TABLE lcm.conversation_totals FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON lcm.conversation_totals USING (
  (SELECT '*' = ANY (lcm.granted_tenants())) OR tenant_id = ANY ((SELECT lcm.granted_tenants())::text[]));
ALTER TABLE lcm.tenants ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON lcm.tenants USING (
  (SELECT '*' = ANY (lcm.granted_tenants())) OR tenant_id = ANY ((SELECT lcm.granted_tenants())::text[]));
`

export const partitions = (count: number): string => /* sql */ `
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['${PARTITIONED_TABLES.join("', '")}'] LOOP
    FOR i IN 0..${count - 1} LOOP
      EXECUTE format('CREATE TABLE lcm.%I PARTITION OF lcm.%I FOR VALUES WITH (MODULUS ${count}, REMAINDER %s)',
        name || '_' || i, name, i);
      -- Without a policy nobody reads a partition but through its table.
      EXECUTE format('ALTER TABLE lcm.%I ENABLE ROW LEVEL SECURITY', name || '_' || i);
      EXECUTE format('ALTER TABLE lcm.%I FORCE ROW LEVEL SECURITY', name || '_' || i);
    END LOOP;
  END LOOP;
END $$;
`

/**
 * Roles without rights beyond their work. They cannot log in: they are granted to the logins of services and people,
 * and `lcm.tenant_access` says which tenants each role sees.
 */
export const ROLES = /* sql */ `
DO $$
DECLARE name text;
BEGIN
  -- Roles are of all databases of a server, so they may be there already.
  FOREACH name IN ARRAY ARRAY['lcm_writer', 'lcm_worker', 'lcm_inspector'] LOOP
    IF NOT EXISTS (SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = name) THEN
      EXECUTE format('CREATE ROLE %I NOLOGIN', name);
    END IF;
  END LOOP;
END $$;
GRANT USAGE ON SCHEMA lcm TO lcm_writer, lcm_worker, lcm_inspector;
GRANT SELECT ON lcm.schema_version, lcm.tenants, lcm.tenant_access, lcm.sessions, lcm.${PARTITIONED_TABLES.join(', lcm.')}
  TO lcm_writer, lcm_worker, lcm_inspector;
GRANT INSERT ON lcm.tenants, lcm.sessions, lcm.conversations, lcm.messages, lcm.message_parts TO lcm_writer;
GRANT USAGE ON SEQUENCE lcm.conversation_ids TO lcm_writer;
GRANT UPDATE (title, archived_at, updated_at, appends, changes) ON lcm.conversations TO lcm_writer, lcm_worker;
GRANT UPDATE (token_count) ON lcm.messages TO lcm_writer, lcm_worker;
GRANT INSERT ON lcm.message_parts TO lcm_worker;
GRANT INSERT, UPDATE ON lcm.conversation_totals TO lcm_writer, lcm_worker;
GRANT INSERT, DELETE ON lcm.summaries, lcm.summary_messages, lcm.summary_sources, lcm.context_items, lcm.large_files,
  lcm.compaction_runs TO lcm_writer, lcm_worker;
GRANT INSERT ON lcm.compaction_events, lcm.surgery_events TO lcm_writer, lcm_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON lcm.compaction_jobs TO lcm_worker;
`
