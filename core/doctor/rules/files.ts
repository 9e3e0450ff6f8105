import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RowChange } from '#core/contract/repair.ts'
import { startSha256 } from '#core/hashing.ts'
import { jsonElements } from '#core/parsed-json.ts'
import { isNative } from '#core/systems/native/native.ts'
import { fileIds, fileRow, type StoredFileRow } from '#core/systems/records/files.ts'
import type { Fix, FixContext } from '#core/systems/rules/fix.ts'
import type { Inspector, Rule, RuleContext } from '#core/systems/rules/rule.ts'
import { type Finding, isAsked } from '#core/systems/rules/scanned-memory.ts'
import type { Payload } from '#core/systems/system-facts.ts'
import { systemOf } from '#core/systems/systems.ts'
import { plural } from '#core/text.ts'
import { withoutYielding } from '#core/yielding.ts'
import { type StoredFile, storedFiles } from './file-store.ts'
import { rangesWith } from './row-conditions.ts'

function* files(context: RuleContext): Generator<StoredFile> {
  // In these files messages name their payloads one by one.
  if (context.system.facts.payloads !== null) return
  const origin = context.info.copiedFrom?.system
  const isForeign = origin !== undefined && !systemOf(origin).facts.keepsFileStore
  for (const file of storedFiles(context)) {
    // A working copy brought it along. The rules of its own system apply, and none of them is about paths.
    if (isForeign && !file.isInStore) continue
    if (isAsked(context, file.conversationId)) yield file
  }
}

/** The file is missing, although its store is on this machine. */
const isMissing = (file: StoredFile): boolean =>
  file.outside === null && file.found === null && !file.isOnServer && (file.isStoreHere || !file.isUsualName)

/** Inspects every message that points to an output in a file, and reports what `of` returns for it. */
function inspectPayloads({ info, system }: RuleContext, of: (payload: Payload) => string | null): Inspector | null {
  const payloadOf = system.facts.payloads?.(info.path)
  if (!payloadOf) return null
  return ({ content }) => {
    const payload = payloadOf(content ?? '')
    return payload && of(payload)
  }
}

function* each(context: RuleContext, judge: (file: StoredFile) => string | null): Iterable<Finding | null> {
  for (const file of files(context)) {
    const detail = judge(file)
    yield detail === null ? null : { id: file.id, conversationId: file.conversationId, detail }
  }
}

const CHUNK_BYTES = 1 << 20

function* findWrongHashes(context: RuleContext): Iterable<Finding | null> {
  const buffer = Buffer.alloc(CHUNK_BYTES)
  for (const { id, conversationId, found, hash } of files(context)) {
    if (!found || hash === null || !/^[0-9a-f]{64}$/i.test(hash)) continue
    const now = yield* hashOf(found.path, buffer)
    yield now === hash.toLowerCase() ? null : { id, conversationId, detail: 'its content was changed' }
  }
}

function* hashOf(path: string, buffer: Buffer): Generator<null, string> {
  const sum = startSha256()
  const file = openSync(path, 'r')
  try {
    for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer)) {
      sum.update(buffer.subarray(0, read))
      yield null
    }
    return sum.digest('hex')
  } finally {
    closeSync(file)
  }
}

type Reference = { readonly id: string; readonly conversationId: number; readonly fileId: unknown }

function* references(context: RuleContext): Generator<Reference | null> {
  const { db, probe, system, memory } = context
  for (const { id, conversationId, fileIds } of memory.summaries.rows) {
    if (fileIds !== null && fileIds.length > 2) {
      for (const fileId of jsonElements(fileIds)) yield { id, conversationId, fileId }
    }
    yield null
  }
  for (const { needs, condition, sql } of system.facts.fileReferences) {
    if (!probe.has(...needs)) continue
    const ranges = yield* rangesWith(context, { table: needs[0], condition })
    for (const range of ranges) yield* db.iterate<Reference>(sql, range)
  }
}

function* findUnknown(context: RuleContext): Iterable<Finding | null> {
  const known = fileIds(context.db) as ReadonlySet<unknown>
  for (const reference of references(context)) {
    if (reference === null || known.has(reference.fileId) || !isAsked(context, reference.conversationId)) yield null
    else {
      const { id, conversationId, fileId } = reference
      // A list of ids may hold anything, and not every object can be converted to a text.
      const named = typeof fileId === 'object' ? 'something that is no id' : String(fileId)
      yield { id, conversationId, detail: `refers to ${named}, which has no row` }
    }
  }
}

const noFiles = ({ info }: RuleContext): string | null =>
  info.capabilities.files && info.capabilities.fileContents !== false
    ? null
    : `${info.systemLabel} keeps no contents of files beside this memory.`

const measureFiles: Fix = {
  name: 'file_size',
  stage: 'files',
  reads: ['files'],
  *apply(context) {
    const named = new Set(context.findings.flatMap(({ id }) => id ?? []))
    const changes = [...named].flatMap((id) => measured(context, id))
    if (changes.length === 0) return
    yield {
      title: `Record ${plural(changes.length, 'file')} as ${changes.length === 1 ? 'it is' : 'they are'} on disk`,
      rule: 'Size and hash are taken from the file that is there.',
      risk: 'rewrite',
      nodes: changes.map((change) => String(change.key.file_id)),
      changes,
      cannotRestore: 'If the file on disk was changed, what it held before is not recorded.',
    }
  },
}

function measured({ db, filesDirs }: FixContext, id: string): RowChange[] {
  const row = fileRow(db, id)
  const path = row && locate(db.path, row, filesDirs)
  if (!row || !path) return []
  const content_hash = withoutYielding(hashOf(path, Buffer.alloc(CHUNK_BYTES)))
  const now = { byte_size: statSync(path).size, content_hash }
  if (now.byte_size === row.bytes && now.content_hash === row.hash) return []
  const before = { byte_size: row.bytes, content_hash: row.hash }
  return [{ table: 'large_files', key: { file_id: id }, before, after: now }]
}

/** Finds a file inside the allowed folders only, after symbolic links are resolved. */
function locate(dbPath: string, row: StoredFileRow, filesDirs: readonly string[]): string | null {
  const named = pathOf(row.uri)
  // Even inspecting a path on a server would send a request over the network.
  if (named === null || /^[\\/]{2}/.test(named)) return null
  const candidates = isAbsolute(named) ? [named] : [dirname(dbPath), ...filesDirs].map((folder) => join(folder, named))
  for (const candidate of candidates) {
    try {
      const real = realpathSync(candidate)
      const isInside = filesDirs.some((folder) => !/^\.\.(\/|\\|$)/.test(relative(realpathSync(folder), real)))
      if (isInside && statSync(real).isFile()) return real
    } catch {
      // The file is missing here or not readable. The next folder may have it.
    }
  }
  return null
}

/** Returns null for an address that does not name a path. */
function pathOf(uri: string): string | null {
  if (!uri.startsWith('file:')) return uri
  try {
    return fileURLToPath(uri)
  } catch {
    return null
  }
}

export const fileRules = [
  {
    id: 'file_missing',
    group: 'files',
    severity: 'error',
    phase: 'files',
    invariant: 'Every stored file is where its row says, or in the folder of files beside the database.',
    explanation: 'The text that was moved out of the conversation cannot be had any more; only its reference is left.',
    advice: 'Put the file back where it was, or allow the folder in which it lies.',
    cannotRestore: 'The content of a file that is nowhere is lost; its reference and its exploration summary stay.',
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
    notApplicable: noFiles,
    find: (context) =>
      each(context, (file) =>
        file.outside !== null || file.found !== null || isMissing(file)
          ? null
          : file.isOnServer
            ? 'its content is on the server and was not looked at'
            : `kept at ${file.uri}`,
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
    fixes: [measureFiles],
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
    fixes: [measureFiles],
    consequenceOf: ['file_size'],
    notApplicable: ({ info }) => (isNative(info) ? null : `${info.systemLabel} does not record hashes of files.`),
    find: findWrongHashes,
  },
  {
    id: 'file_reference_unknown',
    group: 'files',
    severity: 'warning',
    phase: 'text',
    invariant: 'Every file that a message or summary refers to is known.',
    explanation: 'An agent that asks for this file is told that there is none.',
    advice: 'Import the transcript again, or accept that the reference leads nowhere.',
    cannotRestore: 'Nothing in the file says what the reference stood for.',
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
    advice: 'Move the file into the files folder, or allow the folder in which it lies.',
    notApplicable: noFiles,
    find: (context) => each(context, ({ outside }) => outside),
    messageTexts: (context) => inspectPayloads(context, (payload) => payload.outside),
  },
] as const satisfies readonly Rule[]
