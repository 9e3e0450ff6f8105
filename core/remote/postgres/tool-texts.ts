import { INDEXED_CHARS, PINNED } from './later-versions.ts'

const IS_LONG = `length(content) > ${INDEXED_CHARS} AND length(content) < 2147483647`

/**
 * Version 5: searches over a tenant find what tools were given and gave, and reasoning, as searches in a file do. An
 * index cannot reach over two tables, so a message with such parts stands in `tool_texts` with all its texts; others are
 * found by their content. A trigger keeps it in step with the parts, which are never changed.
 */
export const SCHEMA_V5 = /* sql */ `
CREATE TABLE lcm.tool_texts (
  tenant_id text NOT NULL, conversation_id bigint NOT NULL, message_id bigint NOT NULL, content text NOT NULL,
  PRIMARY KEY (tenant_id, conversation_id, message_id)
) PARTITION BY HASH (tenant_id, conversation_id);
DO $$
DECLARE many integer := (SELECT count(*) FROM pg_catalog.pg_inherits WHERE inhparent = 'lcm.messages'::regclass);
BEGIN
  FOR i IN 0..many - 1 LOOP
    EXECUTE format('CREATE TABLE lcm.%I PARTITION OF lcm.tool_texts FOR VALUES WITH (MODULUS %s, REMAINDER %s)',
      'tool_texts_' || i, many, i);
    EXECUTE format('ALTER TABLE lcm.%I ENABLE ROW LEVEL SECURITY', 'tool_texts_' || i);
    EXECUTE format('ALTER TABLE lcm.%I FORCE ROW LEVEL SECURITY', 'tool_texts_' || i);
  END LOOP;
END $$;
ALTER TABLE lcm.tool_texts ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON lcm.tool_texts USING (tenant_id = (SELECT lcm.seen_tenant()));
-- The owner reads parts to fill the table, and later in the trigger.
ALTER TABLE lcm.message_parts NO FORCE ROW LEVEL SECURITY;

INSERT INTO lcm.tool_texts (tenant_id, conversation_id, message_id, content)
SELECT tenant_id, conversation_id, message_id, concat_ws(E'\\n', m.content, p.inputs, p.outputs, p.reasoning)
FROM (
  SELECT tenant_id, conversation_id, message_id, string_agg(tool_input, E'\\n' ORDER BY ordinal) AS inputs,
    string_agg(tool_output, E'\\n' ORDER BY ordinal) AS outputs,
    string_agg(text_content, E'\\n' ORDER BY ordinal) FILTER (WHERE part_type = 'reasoning') AS reasoning
  FROM lcm.message_parts
  WHERE is_synthetic = 0 AND (tool_input IS NOT NULL OR tool_output IS NOT NULL
    OR (part_type = 'reasoning' AND text_content IS NOT NULL))
  GROUP BY tenant_id, conversation_id, message_id
) AS p JOIN lcm.messages AS m USING (tenant_id, conversation_id, message_id);
CREATE INDEX tool_texts_words ON lcm.tool_texts USING gin (lcm.words(content));
CREATE INDEX tool_texts_trigrams ON lcm.tool_texts USING gin (content gin_trgm_ops);

-- The planner thinks that a third of all texts are longer than any number, but few within a range. It looks at the rows
-- alone that both the keys of the tenant and these indexes name, unless one of these asks for the tenant, too. Words take
-- longer than it thinks.
DROP INDEX lcm.messages_long;
DROP INDEX lcm.summaries_long;
CREATE INDEX messages_long ON lcm.messages (length(content)) WHERE ${IS_LONG};
CREATE INDEX summaries_long ON lcm.summaries (length(content)) WHERE ${IS_LONG};
CREATE INDEX tool_texts_long ON lcm.tool_texts (length(content)) WHERE ${IS_LONG};
ALTER FUNCTION lcm.words(text) COST 2000;

-- As before. "words" is the expression of a text's words.
DROP FUNCTION lcm.text_condition(jsonb);
CREATE FUNCTION lcm.text_condition(sought jsonb, words text) RETURNS text LANGUAGE plpgsql IMMUTABLE ${PINNED} AS $$
DECLARE parts text;
BEGIN
  IF sought ? 'like' THEN RETURN format('content ILIKE %L', sought ->> 'like'); END IF;
  IF sought ? 'words' THEN RETURN format('(%s @@ %L::tsquery OR ${IS_LONG})', words, sought ->> 'words'); END IF;
  SELECT string_agg(lcm.text_condition(part, words), CASE WHEN sought ? 'all' THEN ' AND ' ELSE ' OR ' END) INTO parts
  FROM jsonb_array_elements(coalesce(sought -> 'all', sought -> 'any')) AS part;
  RETURN coalesce('(' || parts || ')', 'true');
END $$;

CREATE FUNCTION lcm.keep_tool_texts() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER ${PINNED} AS $$
BEGIN
  INSERT INTO lcm.tool_texts AS t (tenant_id, conversation_id, message_id, content)
  SELECT m.tenant_id, m.conversation_id, m.message_id, concat_ws(E'\\n', m.content, p.inputs, p.outputs, p.reasoning)
  FROM (
    SELECT DISTINCT tenant_id, conversation_id, message_id FROM added
    WHERE is_synthetic = 0 AND (tool_input IS NOT NULL OR tool_output IS NOT NULL
      OR (part_type = 'reasoning' AND text_content IS NOT NULL))
  ) AS a
  JOIN lcm.messages AS m ON m.tenant_id = a.tenant_id AND m.conversation_id = a.conversation_id
    AND m.message_id = a.message_id
  CROSS JOIN LATERAL (
    SELECT string_agg(tool_input, E'\\n' ORDER BY ordinal) AS inputs,
      string_agg(tool_output, E'\\n' ORDER BY ordinal) AS outputs,
      string_agg(text_content, E'\\n' ORDER BY ordinal) FILTER (WHERE part_type = 'reasoning') AS reasoning
    FROM lcm.message_parts AS o WHERE o.tenant_id = m.tenant_id
      AND o.conversation_id = m.conversation_id AND o.message_id = m.message_id AND is_synthetic = 0
  ) AS p
  ON CONFLICT (tenant_id, conversation_id, message_id) DO UPDATE SET content = excluded.content;
  RETURN NULL;
END $$;
CREATE TRIGGER message_parts_kept AFTER INSERT ON lcm.message_parts REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION lcm.keep_tool_texts();

-- As before, and messages by all their texts. "has_tools": what decides stands in the parts, too. LIMIT 1 makes the
-- planner look rows of the other table up by their keys, and OFFSET 0 makes it find the words of a text once for all
-- weights. Compiling a plan over all partitions (jit) takes longer than the search.
DROP FUNCTION lcm.find_texts(jsonb, jsonb, bigint[], double precision, bigint, bigint, text, text, integer);
CREATE FUNCTION lcm.find_texts(
  sought jsonb, weighed jsonb, conversations bigint[], after_score double precision, after_at bigint,
  after_conversation bigint, after_kind text, after_id text, most integer
) RETURNS TABLE (
  conversation_id bigint, id text, kind text, seq bigint, role text, depth bigint, created_at bigint, content text,
  exact_texts jsonb, score double precision, has_tools boolean
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET jit = off ${PINNED} AS $$
DECLARE
  tenant text := current_setting('lcm.tenant', true);
  score text;
BEGIN
  IF tenant IS NULL OR NOT ARRAY[tenant, '*'] && lcm.tenants_of_caller() THEN RETURN; END IF;
  SELECT string_agg(format('CASE WHEN %s THEN %L::double precision ELSE 0 END',
    lcm.text_condition(one -> 'condition', 'words'), one ->> 'weight'), ' + ') INTO score
  FROM jsonb_array_elements(weighed) AS one;
  score := coalesce('(SELECT ' || score || ' FROM (SELECT content, lcm.words(content) AS words OFFSET 0) AS text)',
    '0::double precision');
  RETURN QUERY EXECUTE format('
    SELECT * FROM (
      SELECT conversation_id, ''msg_'' || message_id AS id, ''message'' AS kind, seq, role, NULL::bigint, created_at,
        content, exact_texts, %2$s AS score, false
      FROM lcm.messages AS m
      WHERE tenant_id = $1 AND ($2 IS NULL OR conversation_id = ANY ($2)) AND %1$s AND (
        SELECT t.message_id FROM lcm.tool_texts AS t WHERE t.tenant_id = m.tenant_id
          AND t.conversation_id = m.conversation_id AND t.message_id = m.message_id LIMIT 1) IS NULL
      UNION ALL
      SELECT m.conversation_id, ''msg_'' || m.message_id, ''message'', m.seq, m.role, NULL, m.created_at, m.content,
        m.exact_texts, t.score, true
      FROM (
        SELECT conversation_id, message_id, %2$s AS score FROM lcm.tool_texts
        WHERE tenant_id = $1 AND ($2 IS NULL OR conversation_id = ANY ($2)) AND %1$s
      ) AS t
      CROSS JOIN LATERAL (
        SELECT * FROM lcm.messages AS own
        WHERE own.tenant_id = $1 AND own.conversation_id = t.conversation_id AND own.message_id = t.message_id LIMIT 1
      ) AS m
      UNION ALL
      SELECT conversation_id, summary_id, kind, NULL, NULL, depth, created_at, content, exact_texts, %2$s, false
      FROM lcm.summaries WHERE tenant_id = $1 AND ($2 IS NULL OR conversation_id = ANY ($2)) AND %1$s
    ) AS found
    WHERE $3 IS NULL OR (score, created_at, conversation_id, kind, id) < ($3, $4, $5, $6, $7)
    ORDER BY score DESC, created_at DESC, conversation_id DESC, kind DESC, id DESC LIMIT $8',
    lcm.text_condition(sought, 'lcm.words(content)'), score)
  USING tenant, conversations, after_score, after_at, after_conversation, after_kind, after_id, most;
END $$;

CREATE OR REPLACE FUNCTION lcm.count_texts(sought jsonb, most integer) RETURNS bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER SET jit = off ${PINNED} AS $$
DECLARE
  tenant text := current_setting('lcm.tenant', true);
  found bigint;
BEGIN
  IF tenant IS NULL OR NOT ARRAY[tenant, '*'] && lcm.tenants_of_caller() THEN RETURN 0; END IF;
  EXECUTE format('SELECT count(*) FROM (
    SELECT 1 FROM lcm.messages AS m WHERE tenant_id = $1 AND %1$s AND (
      SELECT t.message_id FROM lcm.tool_texts AS t WHERE t.tenant_id = m.tenant_id
        AND t.conversation_id = m.conversation_id AND t.message_id = m.message_id LIMIT 1) IS NULL
    UNION ALL SELECT 1 FROM lcm.tool_texts WHERE tenant_id = $1 AND %1$s
    UNION ALL SELECT 1 FROM lcm.summaries WHERE tenant_id = $1 AND %1$s LIMIT $2) AS found',
    lcm.text_condition(sought, 'lcm.words(content)'))
  INTO found USING tenant, most;
  RETURN found;
END $$;
`
