import type { Role } from '../contract/ids.ts'
import type { FileInfo } from '../contract/lineage.ts'
import { type IsLarge, largeBlocksOf, type TextKind } from '../files/blocks.ts'
import { fileOfCall } from '../files/file-of-call.ts'
import { REFERENCE_BEGINS, referenceTo } from '../files/file-reference.ts'
import type { KnownBlock, LargeFileService, NewFile } from '../files/large-file-service.ts'
import { sha256 } from '../hashing.ts'
import type { ReadDb, WriteDb } from '../sqlite/read-db.ts'
import { fileById, fileRow, pathsOfContent, smallestFile } from '../systems/records/files.ts'
import type { StoredPart } from './known-parts.ts'
import type { NewMessage, NewPart } from './new-message.ts'

/** The stored texts of a message that is imported again. */
export type StoredTexts = { readonly content: string; readonly parts: readonly StoredPart[] }

const queries = {
  insertFile: /* sql */ `
    INSERT INTO large_files (file_id, conversation_id, file_name, mime_type, byte_size, content_hash, storage_uri,
      exploration_summary, created_at)
    VALUES (:id, CAST(:conversationId AS INTEGER), :fileName, :mimeType, CAST(:bytes AS INTEGER), :hash, :path,
      :explorationSummary, CAST(:atMs AS INTEGER))
    ON CONFLICT (file_id) DO UPDATE SET storage_uri = excluded.storage_uri
      WHERE content_hash = excluded.content_hash AND storage_uri <> excluded.storage_uri`,
  callInput: /* sql */ `
    SELECT p.tool_input
    FROM message_parts AS p
    JOIN messages AS m ON m.message_id = p.message_id
    JOIN conversations AS c ON c.conversation_id = m.conversation_id
    WHERE p.tool_call_id = :callId AND p.tool_input IS NOT NULL
      AND c.importer || char(10) || c.session_id = :conversationKey
    ORDER BY p.message_id DESC
    LIMIT 1`,
}

/** Calls that are remembered until they can be read from the memory. A batch of an import has fewer. */
const MOST_CALLS = 20_000

/**
 * Moves a file to its final path, adds its row, and returns the path. The content is on disk under its final name before
 * a row names it. It must run inside a transaction.
 */
export function insertFile(db: WriteDb, conversationId: number, file: NewFile, atMs: number): string {
  const { place, sync: _, ...row } = file
  const path = place(conversationId)
  db.run(queries.insertFile, { conversationId, path, atMs, ...row })
  return path
}

type RewriteContext = {
  readonly conversationKey: string
  /** The messages that are stored under the same id, or null when the message is new. */
  readonly stored: readonly StoredTexts[] | null
}

type Text = { readonly text: string; readonly kind: TextKind }

/**
 * Moves large texts of messages into files before the messages are stored. A message that is imported again gets the same
 * references as its stored form, whatever the threshold is now, so that it is recognised.
 */
export class LargeTexts {
  readonly #db: ReadDb
  readonly #files: LargeFileService
  readonly #signal: AbortSignal
  readonly #leastUnits: number
  /** Files that no row names yet, by id. */
  readonly #coming = new Map<string, NewFile>()
  /** The names of files that calls asked to read, by conversation and call. */
  readonly #filesOfCalls = new Map<string, string | null>()

  constructor(db: ReadDb, files: LargeFileService, signal: AbortSignal) {
    this.#db = db
    this.#files = files
    this.#signal = signal
    // The threshold may have been lower before, so a stored file may be smaller than it.
    this.#leastUnits = Math.min(files.leastUnits, Math.ceil((smallestFile(db) ?? Number.POSITIVE_INFINITY) / 3))
  }

  /** Says without reading the texts whether one of them may be large. */
  mayConcern(role: Role, content: string, parts: readonly NewPart[]): boolean {
    if (role === 'system') return false
    if (content.length >= this.#leastUnits) return true
    return parts.some((part) => textsOf(role, part, null).some(({ text }) => text.length >= this.#leastUnits))
  }

  /** Remembers which files calls ask to read, by which their results are named. */
  noteCalls(conversationKey: string, parts: readonly NewPart[]): void {
    for (const { toolCallId, toolInput } of parts) {
      if (!toolCallId || !toolInput) continue
      const key = keyOfCall(conversationKey, toolCallId)
      this.#filesOfCalls.delete(key)
      this.#filesOfCalls.set(key, fileOfCall(toolInput))
      if (this.#filesOfCalls.size <= MOST_CALLS) continue
      for (const oldest of this.#filesOfCalls.keys()) {
        this.#filesOfCalls.delete(oldest)
        break
      }
    }
  }

  /** Returns the message with references in the place of its large texts. */
  async *rewrite(message: NewMessage, asked: RewriteContext): AsyncGenerator<void, NewMessage> {
    const { role, content, parts } = message
    if (!this.mayConcern(role, content, parts)) return message
    const texts = parts.flatMap((part) => textsOf(role, part, this.#fileOf(part, asked.conversationKey)))
    const isSaidByParts = texts.some(({ text }) => text !== '' && content.includes(text))
    if (!isSaidByParts) texts.push({ text: content, kind: kindOf(role, null) })
    const replaced = new Map<string, string>()
    const files = new Map<string, NewFile>()
    const moved = asked.stored === null ? null : this.#movedTexts(asked.stored)
    for (const text of texts) {
      if (replaced.has(text.text) || text.text.length < this.#leastUnits) continue
      const rewritten =
        moved === null
          ? yield* this.#rewriteText(text, this.#files.isLarge, asked, files, null)
          : yield* this.#rewriteKnown(text, moved, asked, files)
      if (rewritten !== text.text) replaced.set(text.text, rewritten)
    }
    if (replaced.size === 0) return message
    return {
      ...message,
      content: contentWith(content, texts, replaced),
      parts: parts.map((part) => partWith(part, replaced)),
      files: [...files.values()],
    }
  }

  /** Removes the files of messages that were not stored in the end. */
  finish(): void {
    this.#files.discardUnused()
    this.#coming.clear()
  }

  /**
   * Rewrites a text of a stored message: the blocks that are in files already become references again. A tool result that
   * has grown since begins with the moved text. Its rest follows the reference, and becomes a file of its own when it is
   * large and not stored yet.
   */
  async *#rewriteKnown(
    text: Text,
    moved: readonly MovedText[],
    asked: RewriteContext,
    files: Map<string, NewFile>,
  ): AsyncGenerator<void, string> {
    const hashes = new Set(moved.map(({ hash }) => hash))
    const isMoved: IsLarge = (content) =>
      content.length >= this.#leastUnits && hashes.has(sha256(content.toWellFormed()))
    const rewritten = yield* this.#rewriteText(text, isMoved, asked, files, moved)
    if (rewritten !== text.text || text.kind.of !== 'tool') return rewritten
    const bytes = Buffer.from(text.text)
    const beginning = moved.find((one) => one.bytes < bytes.length && sha256(bytes.subarray(0, one.bytes)) === one.hash)
    if (beginning === undefined) return rewritten
    const reference = referenceTo(beginning.file)
    const rest = { ...text, text: bytes.subarray(beginning.bytes).toString() }
    const others = moved.filter((one) => one !== beginning)
    const known = yield* this.#rewriteKnown(rest, others, asked, files)
    const isNew = known === rest.text && !isStoredAfter(reference, rest.text, asked.stored ?? [])
    if (!isNew) return reference + known
    return reference + (yield* this.#rewriteText(rest, this.#files.isLarge, asked, files, null))
  }

  /**
   * Moves the large blocks of a text.
   * @param moved the files of the stored message, which are referred to and no others, or null for a new text
   */
  async *#rewriteText(
    { text, kind }: Text,
    isLarge: IsLarge,
    { conversationKey }: RewriteContext,
    files: Map<string, NewFile>,
    moved: readonly MovedText[] | null,
  ): AsyncGenerator<void, string> {
    let rewritten = ''
    let from = 0
    for (const found of largeBlocksOf(text, kind, isLarge)) {
      const block = yield* this.#files.identify(found, conversationKey, this.#signal)
      const known = moved === null ? fileById(this.#db, block.id) : fileIn(moved, block)
      if (moved !== null && known === undefined) continue
      const file = moved === null ? yield* this.#fileFor(block, known) : null
      if (file) files.set(file.id, file)
      rewritten += text.slice(from, block.start) + referenceTo(known ?? (file as NewFile))
      from = block.end
    }
    return rewritten + text.slice(from)
  }

  /** Returns the file of a block. When the file is known and its content is gone, the content is stored again. */
  async *#fileFor(block: KnownBlock, known: FileInfo | undefined): AsyncGenerator<void, NewFile> {
    const coming = this.#coming.get(block.id)
    if (coming) return coming
    const file = yield* this.#files.keep(block, pathsOfContent(this.#db, block.hash), this.#signal)
    const told = known ? { ...file, explorationSummary: known.explorationSummary ?? '' } : file
    this.#coming.set(block.id, told)
    return told
  }

  /** The file that the call of a result asked to read. */
  #fileOf({ toolCallId, toolInput, toolOutput }: NewPart, conversationKey: string): string | null {
    if (!toolOutput || toolOutput.length < this.#leastUnits) return null
    if (toolInput) return fileOfCall(toolInput)
    if (!toolCallId) return null
    const noted = this.#filesOfCalls.get(keyOfCall(conversationKey, toolCallId))
    if (noted !== undefined) return noted
    const input = this.#db.value<string | null>(queries.callInput, { callId: toolCallId, conversationKey })
    return typeof input === 'string' ? fileOfCall(input) : null
  }

  /** Returns the texts of a stored message that were moved into files. */
  #movedTexts(stored: readonly StoredTexts[]): MovedText[] {
    return [...new Set(stored.flatMap(referencesIn))].flatMap((id): MovedText[] => {
      const file = fileById(this.#db, id)
      const { hash = null, bytes = null } = fileRow(this.#db, id) ?? {}
      return file && hash !== null && bytes !== null ? [{ file, hash, bytes }] : []
    })
  }
}

/** A text of a stored message that was moved into a file. */
type MovedText = { readonly file: FileInfo; readonly hash: string; readonly bytes: number }

const keyOfCall = (conversationKey: string, callId: string): string => `${conversationKey}\n${callId}`

/** The same content may have been stored under another name. */
const fileIn = (moved: readonly MovedText[], { id, hash }: KnownBlock): FileInfo | undefined =>
  (moved.find(({ file }) => file.id === id) ?? moved.find((one) => one.hash === hash))?.file

/** Says whether a rest is stored already: behind the reference, or in a message that continues the stored one. */
const isStoredAfter = (reference: string, rest: string, stored: readonly StoredTexts[]): boolean =>
  stored
    .flatMap(({ parts }) => parts.flatMap(({ toolOutput, text }) => [toolOutput ?? '', text ?? '']))
    .map((told) => told.split(reference).at(-1) ?? '')
    .some((told) => told !== '' && rest.startsWith(told))

const REFERENCE = /\[LCM File: (file_[0-9a-f]{16}) \|/g

const referencesIn = ({ content, parts }: StoredTexts): string[] =>
  [content, ...parts.flatMap(({ text, toolOutput, toolError }) => [text, toolOutput, toolError])].flatMap((text) =>
    text?.includes(REFERENCE_BEGINS) ? Array.from(text.matchAll(REFERENCE), ([, id = '']) => id) : [],
  )

/**
 * Returns the texts of a part that may be moved. Reasoning is never sent to a model again, and arguments of calls have to
 * stay as the agent wrote them.
 */
function textsOf(role: Role, part: NewPart, file: string | null): Text[] {
  const { type, text, toolName, toolOutput, toolError, isSynthetic } = part
  if (isSynthetic) return []
  if (type === 'text') return text ? [{ text, kind: kindOf(role, null) }] : []
  if (type !== 'tool') return []
  const kind = { of: 'tool', name: toolName ?? null, file: null } as const
  return [
    ...(toolOutput ? [{ text: toolOutput, kind: { ...kind, file } }] : []),
    ...(toolError ? [{ text: toolError, kind }] : []),
  ]
}

function kindOf(role: Role, toolName: string | null): TextKind {
  if (role === 'tool') return { of: 'tool', name: toolName, file: null }
  return { of: role === 'user' ? 'user' : 'agent' }
}

function partWith(part: NewPart, replaced: ReadonlyMap<string, string>): NewPart {
  const changed = (['text', 'toolOutput', 'toolError'] as const).flatMap((field) => {
    const text = part.type === 'text' || part.type === 'tool' ? replaced.get(part[field] ?? '') : undefined
    return text === undefined ? [] : [[field, text] as const]
  })
  return changed.length === 0 ? part : { ...part, ...Object.fromEntries(changed) }
}

/** Replaces texts in the content of a message, which consists of the texts of its parts in their order. */
function contentWith(content: string, texts: readonly Text[], replaced: ReadonlyMap<string, string>): string {
  const whole = replaced.get(content)
  if (whole !== undefined) return whole
  let rewritten = ''
  let from = 0
  for (const { text } of texts) {
    const reference = replaced.get(text)
    if (reference === undefined) continue
    const at = content.indexOf(text, from)
    if (at < 0) continue
    rewritten += content.slice(from, at) + reference
    from = at + text.length
  }
  return rewritten + content.slice(from)
}
