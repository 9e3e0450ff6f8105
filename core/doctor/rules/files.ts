import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import type { SystemId } from '../../contract/memory.ts'
import { inspectPayloads } from '../integrity/hermes-payloads.ts'
import { type StoredFile, storedFiles } from './file-store.ts'
import { type Check, type CheckContext, type Finding, isAsked } from './rule.ts'

const queries = {
  ids: /* sql */ `SELECT file_id FROM large_files`,
  largeContent: /* sql */ `
    SELECT 'msg_' || message_id AS id, conversation_id AS conversationId, large_content AS fileId
    FROM main.messages WHERE large_content IS NOT NULL AND large_content <> ''`,
  /** Ids that lossless-claw notes with the part whose text it moved to a file. */
  externalized: /* sql */ `
    SELECT 'msg_' || p.message_id AS id, m.conversation_id AS conversationId, j.value AS fileId
    FROM main.message_parts AS p
    JOIN main.messages AS m ON m.message_id = p.message_id
    JOIN json_each(json_array(
      json_extract(p.metadata, '$.externalizedFileId'), json_extract(p.metadata, '$.externalizedFileIds[0]'),
      json_extract(p.metadata, '$.externalizedFileIds[1]'), json_extract(p.metadata, '$.externalizedFileIds[2]'))) AS j
    WHERE p.metadata LIKE '%externalizedFileId%' AND json_valid(p.metadata) AND j.value IS NOT NULL`,
}

function* files(context: CheckContext): Generator<StoredFile> {
  // Payloads are named by messages there, one by one.
  if (context.info.system === 'hermes-lcm') return
  const origin = context.info.copiedFrom?.system
  const isForeign = origin !== undefined && !KEEPS_STORE.has(origin)
  for (const file of storedFiles(context)) {
    // Brought along by a working copy: the rules of its own system hold for it, and none of them is about paths.
    if (isForeign && !file.isInStore) continue
    if (isAsked(context, file.conversationId)) yield file
  }
}

/** Systems with a folder of files of the same making. */
const KEEPS_STORE: ReadonlySet<SystemId> = new Set<SystemId>(['native', 'lossless-claw', 'lossless-claude'])

/** Missing where it should be; not merely kept on another machine. */
const isMissing = (file: StoredFile): boolean =>
  file.outside === null && file.found === null && (file.isStoreHere || !file.isUsualName)

function* each(context: CheckContext, judge: (file: StoredFile) => string | null): Iterable<Finding | null> {
  for (const file of files(context)) {
    const detail = judge(file)
    yield detail === null ? null : { id: file.id, conversationId: file.conversationId, detail }
  }
}

const CHUNK_BYTES = 1 << 20

function* findWrongHashes(context: CheckContext): Iterable<Finding | null> {
  for (const { id, conversationId, found, hash } of files(context)) {
    if (!found || hash === null || !/^[0-9a-f]{64}$/i.test(hash)) continue
    const sum = createHash('sha256')
    const buffer = Buffer.alloc(CHUNK_BYTES)
    const handle = openSync(found.path, 'r')
    try {
      for (let read = readSync(handle, buffer); read > 0; read = readSync(handle, buffer)) {
        sum.update(buffer.subarray(0, read))
        yield null
      }
    } finally {
      closeSync(handle)
    }
    yield sum.digest('hex') === hash.toLowerCase() ? null : { id, conversationId, detail: 'its content was changed' }
  }
}

type Reference = { readonly id: string; readonly conversationId: number; readonly fileId: unknown }

function* references(context: CheckContext): Generator<Reference | null> {
  const { db, info, probe, facts } = context
  for (const { id, conversationId, fileIds } of facts.summaries.rows) {
    if (fileIds !== null && fileIds.length > 2) {
      for (const fileId of listOf(fileIds)) yield { id, conversationId, fileId }
    }
    yield null
  }
  if (info.system !== 'lossless-claw') return
  if (probe.has('messages', 'large_content')) yield* db.iterate<Reference>(queries.largeContent)
  if (probe.has('message_parts', 'metadata')) yield* db.iterate<Reference>(queries.externalized)
}

/** Broken JSON is another check's finding. */
function listOf(json: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(json)
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

function* findUnknown(context: CheckContext): Iterable<Finding | null> {
  const known = new Set<unknown>(context.db.column<string>(queries.ids))
  for (const reference of references(context)) {
    if (reference === null || known.has(reference.fileId) || !isAsked(context, reference.conversationId)) yield null
    else {
      const { id, conversationId, fileId } = reference
      yield { id, conversationId, detail: `refers to ${String(fileId)}, which has no row` }
    }
  }
}

const noFiles = ({ info }: CheckContext): string | null =>
  info.capabilities.files && info.capabilities.fileContents !== false
    ? null
    : `${info.systemLabel} keeps no contents of files beside this memory.`

export const largeFileChecks: readonly Check[] = [
  {
    id: 'file_missing',
    group: 'files',
    severity: 'error',
    phase: 'files',
    invariant: 'Every stored file is where its row says, or in the folder of files beside the database.',
    explanation: 'The text that was moved out of the conversation cannot be had any more; only its reference is left.',
    repairable: false,
    notApplicable: noFiles,
    find: (context) => each(context, (file) => (isMissing(file) ? `${file.uri} is not there` : null)),
    messageTexts: (context) => inspectPayloads(context, (payload) => payload.missing),
  },
  {
    id: 'files_elsewhere',
    group: 'files',
    severity: 'info',
    phase: 'files',
    invariant: 'The folder of files is on this machine.',
    explanation: 'The database came without its folder of files. Whether the files are whole can be told where it is.',
    repairable: false,
    notApplicable: noFiles,
    find: (context) =>
      each(context, (file) =>
        file.outside === null && file.found === null && !isMissing(file) ? `kept at ${file.uri}` : null,
      ),
    messageTexts: (context) => inspectPayloads(context, (payload) => payload.elsewhere),
  },
  {
    id: 'file_size',
    group: 'files',
    severity: 'error',
    phase: 'files',
    invariant: 'A stored file has the size that was stored with it.',
    explanation: 'The file was cut off or changed after it was stored.',
    repairable: true,
    notApplicable: noFiles,
    find: (context) =>
      each(context, ({ found, bytes }) =>
        found && bytes !== null && found.bytes !== bytes ? `${found.bytes} bytes on disk, ${bytes} stored` : null,
      ),
  },
  {
    id: 'file_hash',
    group: 'files',
    severity: 'error',
    phase: 'files',
    invariant: 'A stored file has the content that was stored.',
    explanation: 'The file was changed after it was stored: what an agent reads there is not what was said.',
    repairable: true,
    consequenceOf: ['file_size'],
    notApplicable: ({ info }) =>
      info.system === 'native' ? null : `${info.systemLabel} does not record hashes of files.`,
    find: findWrongHashes,
  },
  {
    id: 'file_reference_unknown',
    group: 'files',
    severity: 'warning',
    phase: 'text',
    invariant: 'Every file that a message or summary refers to is known.',
    explanation: 'An agent that asks for this file is told that there is none.',
    repairable: false,
    notApplicable: noFiles,
    find: findUnknown,
  },
  {
    id: 'file_outside_store',
    group: 'files',
    severity: 'error',
    phase: 'files',
    invariant: 'Files are kept in the store, each in the folder of its conversation under its own name.',
    explanation: 'The path of this file leads elsewhere. It is shown and never followed.',
    repairable: false,
    notApplicable: noFiles,
    find: (context) => each(context, ({ outside }) => outside),
    messageTexts: (context) => inspectPayloads(context, (payload) => payload.outside),
  },
]
