import { describe, expect, it } from 'vitest'
import { inverse, type Numbering, renumbered } from '#core/remote/numbering.ts'
import { STORED_TABLES, type StoredRow } from '#core/remote/postgres/tables.ts'

const NUMBERING: Numbering = {
  add: { message: 1000, row: 1000, event: 1000, surgery: 1000 },
  ids: {
    part: new Map([['prt_own', 'prt_new']]),
    summary: new Map([['sum_own', 'sum_new']]),
    run: new Map([['run_own', 'run_new']]),
  },
}

/** Values that name rows, in every form in which a column holds such names. */
const NAMES = [
  ...[7, 'prt_own', 'sum_own', 'run_own', 'msg_7'],
  JSON.stringify([7, 'sum_own']),
  JSON.stringify([[0, 'summary', 'sum_own', 5]]),
  JSON.stringify({ run: 'run_own', summary: 'sum_own' }),
  JSON.stringify({ replaced: [{ id: 'sum_own', before: 'Before.' }] }),
]

/** Columns with texts, or whose names look like those of other rows, that name no row of their conversation. */
const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  // Ids that the agent gave, and what was said.
  messages: ['role', 'external_id', 'content_hash', 'content'],
  message_parts: [
    ...['session_id', 'part_type', 'tool_call_id', 'tool_name', 'tool_status', 'tool_title', 'patch_hash'],
    ...['patch_files', 'file_mime', 'file_name', 'file_url', 'subtask_prompt', 'subtask_desc', 'subtask_agent'],
    ...['step_reason', 'snapshot_hash', 'text_content', 'tool_input', 'tool_output', 'tool_error'],
  ],
  // Large files keep their ids: texts name them.
  summaries: ['kind', 'level', 'model', 'prompt_version', 'summary_hash', 'file_ids', 'content'],
  context_items: ['item_type'],
  large_files: ['file_id', 'file_name', 'mime_type', 'content_hash', 'storage_uri', 'exploration_summary'],
  compaction_runs: ['reason', 'mode', 'summarizer', 'configuration', 'owner', 'stop_reason'],
  // Which models were asked, without any id.
  compaction_events: ['pass', 'level', 'attempts'],
  // A sentence for people.
  surgery_events: ['kind', 'owner', 'summary'],
}

describe('a conversation that gets other numbers and ids', () => {
  it.each(STORED_TABLES)('has the new ones in every column of $name that may name a row', (table) => {
    const mayName = table.columns
      .filter(({ name, type }) => type === 'text' || /_(?:id|rowid|event)$/.test(name))
      .map(({ name }) => name)
    const isRenumbered = (column: string): boolean =>
      NAMES.some((name) => renumbered({ [column]: name }, table, NUMBERING)[column] !== name)
    const kept = mayName.filter((column) => !isRenumbered(column))
    expect(kept.toSorted()).toEqual((EXCEPTIONS[table.name] ?? []).toSorted())
  })

  it('has the ids of its own summaries in what a change by hand replaced and copied, and others as they were', () => {
    const surgery = STORED_TABLES.find(({ name }) => name === 'surgery_events')
    if (surgery === undefined) throw new Error('there is no such table')
    const detail = (own: string) => ({
      steps: [{ id: 'sum_own', rows: 1 }],
      from: 'sum_own',
      copies: { sum_own: own, sum_other: 'sum_third' },
      replaced: [{ id: own, before: 'sum_own' }],
      rewritten: [{ id: own, text: 'sum_own' }, 'sum_own'],
      backup: '/backups/1.db',
    })
    const row: StoredRow = { detail: JSON.stringify(detail('sum_own')) }
    const moved = renumbered(row, surgery, NUMBERING)
    expect(JSON.parse(String(moved.detail))).toEqual(detail('sum_new'))
    expect(renumbered(moved, surgery, inverse(NUMBERING)).detail).toBe(row.detail)
  })
})
