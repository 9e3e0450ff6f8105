import { basename } from 'node:path'
import { sha256 } from '#core/hashing.ts'
import { tableOf } from '#core/tables.ts'
import type { StoredRow } from '../postgres/tables.ts'
import type { Skeleton } from './lineage.ts'

/** A row as Volt has it. What follows makes rows of ours of them. */
export type Row = Readonly<Record<string, unknown>>

/** Summaries of one millisecond that get row numbers of their own. */
const ROWS_A_MS = 1024

export function skeletonOf(row: Row): Skeleton {
  const order = numberOf(row.order)
  const isStub = row.type === 'archive_stub'
  const isCondensed = row.kind === 'bindle' || row.kind === 'condensed'
  return {
    id: String(row.id),
    isLeaf: !isStub && (order === null ? !isCondensed : order <= 1),
    order,
    isStub,
    createdAtMs: numberOf(row.at) ?? 0,
  }
}

/** Numbers that grow with time, and stay what they are when summaries are added. */
export function rowNumbers(skeletons: readonly Skeleton[]): ReadonlyMap<string, number> {
  let before = 0
  return new Map(
    skeletons.map(({ id, createdAtMs }) => {
      before = Math.max(before + 1, createdAtMs * ROWS_A_MS)
      return [id, before]
    }),
  )
}

export function messageOf(row: Row): StoredRow {
  const content = textOf(row.content) ?? ''
  return {
    message_id: numberOf(row.message_id),
    seq: numberOf(row.seq) ?? numberOf(row.message_id),
    role: textOf(row.role) ?? 'user',
    token_count: numberOf(row.token_count) ?? 0,
    created_at: numberOf(row.created_at) ?? 0,
    external_id: null,
    content_hash: sha256(content),
    content,
  }
}

const PART_COLUMNS = tableOf('message_parts').columns

export function partOf(row: Row): StoredRow {
  return {
    ...Object.fromEntries(
      PART_COLUMNS.map(({ name, type }) => [name, type === 'text' ? textOf(row[name]) : numberOf(row[name])]),
    ),
    session_id: textOf(row.session_id) ?? '',
    ordinal: numberOf(row.ordinal) ?? 0,
    is_content: 0,
    is_ignored: row.is_ignored === true ? 1 : 0,
    is_synthetic: row.is_synthetic === true ? 1 : 0,
    compaction_auto: typeof row.compaction_auto === 'boolean' ? Number(row.compaction_auto) : null,
    text_is_content: 0,
    metadata_has_text: 0,
  }
}

/** Content that Volt keeps gets a place beside the memory. Otherwise the path on Volt's own machine stays. */
export function fileOf(row: Row, conversationId: number): StoredRow {
  const [id, path, hash] = [textOf(row.file_id) ?? '', textOf(row.original_path), textOf(row.hash)]
  const name = PLAIN_NAME.test(id) ? id : hash
  const kept = `lcm-files/${conversationId}/${name}.${row.isText === true ? 'txt' : 'bin'}`
  return {
    file_id: id,
    file_name: path === null ? null : basename(path.replaceAll('\\', '/')),
    mime_type: textOf(row.mime_type),
    byte_size: numberOf(row.bytes),
    content_hash: hash,
    storage_uri: hash === null ? (path ?? '') : kept,
    exploration_summary: textOf(row.exploration_summary),
    created_at: numberOf(row.created_at) ?? 0,
  }
}

/** An id that may stand as the name of a file. */
const PLAIN_NAME = /^[A-Za-z0-9_-]{1,100}$/

export const textOf = (value: unknown): string | null => (value === null || value === undefined ? null : String(value))

export function numberOf(value: unknown): number | null {
  const number = value === null || value === undefined ? Number.NaN : Number(value)
  return Number.isFinite(number) ? number : null
}
