import type { Query } from '#core/remote/postgres/connect.ts'

/** The tables of Volt as its code makes them, with their constraints. Generated search columns are left out. */
const TYPES = /* sql */ `
DO $$ BEGIN
  IF to_regtype('public.message_role') IS NULL THEN
    CREATE TYPE public.message_role AS ENUM ('system', 'user', 'assistant', 'tool');
    CREATE TYPE public.summary_kind AS ENUM ('sprig', 'bindle');
    CREATE TYPE public.context_item_type AS ENUM ('message', 'summary');
    CREATE TYPE public.message_part_type AS ENUM ('text', 'reasoning', 'tool', 'patch', 'file', 'subtask', 'compaction',
      'step_start', 'step_finish', 'snapshot', 'agent', 'retry');
  END IF;
END $$`

const tables = (s: string): string[] => [
  /* sql */ `CREATE SCHEMA IF NOT EXISTS ${s}`,
  /* sql */ `CREATE TABLE ${s}.conversations (
    conversation_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, title text, model_name text NOT NULL,
    model_ctx_max_tokens integer NOT NULL, ctx_cutoff_threshold numeric(5,4) NOT NULL DEFAULT 0.6,
    created_at timestamptz NOT NULL DEFAULT now(),
    parent_conversation_id bigint REFERENCES ${s}.conversations ON DELETE SET NULL)`,
  /* sql */ `CREATE TABLE ${s}.messages (
    message_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    conversation_id bigint NOT NULL REFERENCES ${s}.conversations ON DELETE CASCADE, seq bigint NOT NULL,
    role public.message_role NOT NULL, content text NOT NULL, token_count integer NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(), UNIQUE (conversation_id, seq))`,
  /* sql */ `CREATE TABLE ${s}.summaries (
    summary_id text PRIMARY KEY, conversation_id bigint NOT NULL REFERENCES ${s}.conversations ON DELETE CASCADE,
    kind public.summary_kind NOT NULL, content text NOT NULL, token_count integer NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(), file_ids jsonb NOT NULL DEFAULT '[]')`,
  /* sql */ `CREATE TABLE ${s}.summary_messages (
    summary_id text NOT NULL REFERENCES ${s}.summaries ON DELETE CASCADE,
    message_id bigint NOT NULL REFERENCES ${s}.messages ON DELETE RESTRICT, ord integer NOT NULL,
    PRIMARY KEY (summary_id, ord), UNIQUE (summary_id, message_id))`,
  /* sql */ `CREATE TABLE ${s}.summary_parents (
    summary_id text NOT NULL REFERENCES ${s}.summaries ON DELETE CASCADE,
    parent_summary_id text NOT NULL REFERENCES ${s}.summaries ON DELETE RESTRICT, ord integer NOT NULL,
    PRIMARY KEY (summary_id, ord), UNIQUE (summary_id, parent_summary_id))`,
  /* sql */ `CREATE TABLE ${s}.context_items (
    conversation_id bigint NOT NULL REFERENCES ${s}.conversations ON DELETE CASCADE, position integer NOT NULL,
    item_type public.context_item_type NOT NULL, message_id bigint REFERENCES ${s}.messages ON DELETE RESTRICT,
    summary_id text REFERENCES ${s}.summaries ON DELETE RESTRICT, PRIMARY KEY (conversation_id, position),
    CONSTRAINT ctx_item_exactly_one_ref CHECK ((item_type = 'message') = (message_id IS NOT NULL)
      AND (item_type = 'summary') = (summary_id IS NOT NULL)))`,
  /* sql */ `CREATE TABLE ${s}.large_files (
    file_id text PRIMARY KEY, conversation_id bigint NOT NULL REFERENCES ${s}.conversations ON DELETE CASCADE,
    storage_kind text NOT NULL DEFAULT 'path', original_path text, mime_type text NOT NULL, content text,
    binary_content bytea, token_count bigint NOT NULL, created_at timestamptz NOT NULL DEFAULT now(),
    exploration_summary text, explorer_used text)`,
]

/** What Volt's newer versions add; the schema of a user was made without it for a while. */
const newer = (s: string): string[] => [
  /* sql */ `ALTER TABLE ${s}.summaries ADD COLUMN summary_level text NOT NULL DEFAULT 'd1',
    ADD COLUMN condensation_order integer NOT NULL DEFAULT 1, ADD COLUMN summary_type text NOT NULL DEFAULT 'sprig',
    ADD COLUMN qmd_doc_id text, ADD COLUMN qmd_doc_version integer,
    ADD COLUMN is_off_context boolean NOT NULL DEFAULT false`,
  /* sql */ `CREATE TABLE ${s}.summary_lineage_pointers (
    summary_id text NOT NULL REFERENCES ${s}.summaries ON DELETE CASCADE,
    points_to_summary_id text NOT NULL REFERENCES ${s}.summaries ON DELETE CASCADE, pointer_kind text NOT NULL,
    ord integer NOT NULL DEFAULT 1, created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (summary_id, pointer_kind, points_to_summary_id))`,
  /* sql */ `CREATE TABLE ${s}.message_parts (
    part_id text PRIMARY KEY, message_id bigint NOT NULL REFERENCES ${s}.messages ON DELETE CASCADE,
    session_id text NOT NULL, part_type public.message_part_type NOT NULL, ordinal integer NOT NULL,
    text_content text, is_ignored boolean, is_synthetic boolean, tool_call_id text, tool_name text, tool_status text,
    tool_input jsonb, tool_output text, tool_error text, tool_title text, patch_hash text, patch_files text[],
    file_mime text, file_name text, file_url text, subtask_prompt text, subtask_desc text, subtask_agent text,
    step_reason text, step_cost numeric, step_tokens_in integer, step_tokens_out integer, snapshot_hash text,
    compaction_auto boolean, metadata jsonb, UNIQUE (message_id, ordinal))`,
]

export type VoltPart = { readonly type: string; readonly [column: string]: unknown }

/** Writes a Volt memory as Volt itself does: appended messages join the window, compactions replace parts of it. */
export class VoltUser {
  readonly #query: Query
  readonly #isNew: boolean
  readonly schema: string
  #made = 0

  private constructor(query: Query, schema: string, isNew: boolean) {
    this.#query = query
    this.schema = schema
    this.#isNew = isNew
  }

  static async make(query: Query, name: string, { isNew = true } = {}): Promise<VoltUser> {
    const user = new VoltUser(query, `"${name.replaceAll('"', '""')}"`, isNew)
    await query(TYPES)
    for (const sql of [...tables(user.schema), ...(isNew ? newer(user.schema) : [])]) await query(sql)
    return user
  }

  async run(sql: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    return this.#query(sql.replaceAll('@', `${this.schema}.`), values)
  }

  async conversation(session: string, title = '', parent: number | null = null): Promise<number> {
    const [row] = await this.run(
      `INSERT INTO @conversations (title, model_name, model_ctx_max_tokens, parent_conversation_id)
       VALUES ($1, 'a-model', 200000, $2) RETURNING conversation_id AS id`,
      [`[VoltCode Session: ${session}] ${title}`.trim(), parent],
    )
    return Number(row?.id)
  }

  async message(conversation: number, role: string, content: string, parts: readonly VoltPart[] = []): Promise<number> {
    const [row] = await this.run(
      `INSERT INTO @messages (conversation_id, seq, role, content, token_count, created_at)
       SELECT $1, coalesce(max(seq), 0) + 1, $2::text::public.message_role, $3, $4,
         timestamptz '2026-03-01 10:00:00+00' + (coalesce(max(seq), 0) * interval '1 minute')
       FROM @messages WHERE conversation_id = $1 RETURNING message_id AS id`,
      [conversation, role, content, Math.round(content.length / 4)],
    )
    const id = Number(row?.id)
    await this.run(
      `INSERT INTO @context_items SELECT $1, coalesce(max(position), -1) + 1, 'message', $2, NULL
       FROM @context_items WHERE conversation_id = $1`,
      [conversation, id],
    )
    for (const [ordinal, part] of parts.entries()) await this.part(id, ordinal, part)
    return id
  }

  async part(message: number, ordinal: number, { type, ...columns }: VoltPart): Promise<void> {
    if (!this.#isNew) return
    this.#made += 1
    const names = Object.keys(columns)
    await this.run(
      `INSERT INTO @message_parts (part_id, message_id, session_id, part_type, ordinal${names.map((name) => `, ${name}`).join('')})
       VALUES ($1, $2, 'ses_1', $3::text::public.message_part_type, $4${names.map((_, index) => `, $${index + 5}`).join('')})`,
      [`prt_${this.#made}`, message, type, ordinal, ...Object.values(columns)],
    )
  }

  /** A summary of messages, which takes their place in the window. */
  async sprig(conversation: number, messages: readonly number[], content: string): Promise<string> {
    const id = await this.#summary(conversation, content, { kind: 'sprig', order: 1, type: 'sprig' })
    for (const [index, message] of messages.entries()) {
      await this.run('INSERT INTO @summary_messages VALUES ($1, $2, $3)', [id, message, index + 1])
    }
    await this.#replace(conversation, messages.map(String), id)
    return id
  }

  /** A summary of summaries, which takes their place in the window. */
  async bindle(conversation: number, sources: readonly string[], content: string, order = 2): Promise<string> {
    const id = await this.#summary(conversation, content, { kind: 'bindle', order, type: 'bindle' })
    for (const [index, source] of sources.entries()) {
      await this.run('INSERT INTO @summary_parents VALUES ($1, $2, $3)', [id, source, index + 1])
    }
    await this.#replace(conversation, sources, id)
    return id
  }

  /** Takes a summary out of the window; a stub points to it. */
  async evict(conversation: number, bindle: string): Promise<string> {
    await this.#replace(conversation, [bindle], null)
    const content = `[Archive Stub for ${bindle}] it was long ago`
    const id = await this.#summary(conversation, content, { kind: 'bindle', order: 2, type: 'archive_stub' })
    await this.run(`UPDATE @summaries SET is_off_context = true WHERE summary_id IN ($1, $2)`, [id, bindle])
    await this.run(`INSERT INTO @summary_lineage_pointers VALUES ($1, $2, 'archive_stub', 1)`, [id, bindle])
    return id
  }

  async #summary(
    conversation: number,
    content: string,
    { kind, order, type }: { readonly kind: string; readonly order: number; readonly type: string },
  ): Promise<string> {
    this.#made += 1
    const id = `sum_${this.#made.toString(16).padStart(16, '0')}`
    const added = this.#isNew ? [`d${order}`, order, type] : []
    await this.run(
      `INSERT INTO @summaries (summary_id, conversation_id, kind, content, token_count${this.#isNew ? ', summary_level, condensation_order, summary_type' : ''})
       VALUES ($1, $2, $3::text::public.summary_kind, $4, $5${this.#isNew ? ', $6, $7, $8' : ''})`,
      [id, conversation, kind, content, Math.round(content.length / 4), ...added],
    )
    return id
  }

  /** As Volt does: summaries of summaries first, then those of messages, then messages; numbered from 0. */
  async #replace(conversation: number, gone: readonly string[], by: string | null): Promise<void> {
    const items = await this.run(
      `SELECT coalesce(i.message_id::text, i.summary_id) AS id, i.message_id AS message, s.kind::text AS kind
       FROM @context_items AS i LEFT JOIN @summaries AS s ON s.summary_id = i.summary_id
       WHERE i.conversation_id = $1 ORDER BY i.position`,
      [conversation],
    )
    const at = items.findIndex(({ id }) => gone.includes(String(id)))
    const kept = items.filter(({ id }) => !gone.includes(String(id)))
    if (by !== null) {
      const [row] = await this.run('SELECT kind::text AS kind FROM @summaries WHERE summary_id = $1', [by])
      kept.splice(Math.max(0, at), 0, { id: by, message: null, kind: row?.kind })
    }
    const lane = (item: Record<string, unknown>) => (item.message !== null ? 2 : item.kind === 'bindle' ? 0 : 1)
    await this.run('DELETE FROM @context_items WHERE conversation_id = $1', [conversation])
    for (const [position, item] of kept.toSorted((a, b) => lane(a) - lane(b)).entries()) {
      const isMessage = item.message !== null
      await this.run('INSERT INTO @context_items VALUES ($1, $2, $3::text::public.context_item_type, $4, $5)', [
        conversation,
        position,
        isMessage ? 'message' : 'summary',
        isMessage ? Number(item.message) : null,
        isMessage ? null : item.id,
      ])
    }
  }

  async textFile(conversation: number, id: string, content: string): Promise<void> {
    await this.run(
      `INSERT INTO @large_files (file_id, conversation_id, storage_kind, mime_type, content, token_count, exploration_summary)
       VALUES ($1, $2, 'inline_text', 'text/plain', $3, $4, 'what is in it')`,
      [id, conversation, content, Math.round(content.length / 4)],
    )
  }
}
