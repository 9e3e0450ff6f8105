import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseObjects } from '#core/ingest/transcripts/json-objects.ts'
import { isObject, type JsonObject, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { readLines } from '#core/ingest/transcripts/line-reader.ts'

/** The ids of originals by those of their copies in a fork. */
class Names {
  readonly #originals = new Map<string, string>()
  /** Two copies cannot be of the same record. The second one keeps its own id. */
  readonly #taken = new Set<string>()

  get size(): number {
    return this.#originals.size
  }

  originalOf(id: string): string {
    return this.#originals.get(id) ?? id
  }

  /** @param ofParent the names in the session from which the record was copied */
  note(record: JsonObject, ofParent: Names): void {
    const [uuid, copied] = [textAt(record, 'uuid'), copiedId(record)]
    if (uuid === null || copied === null || copied === uuid || this.#originals.has(uuid)) return
    const original = ofParent.originalOf(copied)
    if (this.#taken.has(original)) return
    this.#taken.add(original)
    this.#originals.set(uuid, original)
  }
}

/** Fields of a record that name other records. */
const REFERENCES = ['parentUuid', 'logicalParentUuid', 'leafUuid'] as const

/**
 * Gives the records that a fork copied the ids that they had where they were said. `forkSession` of the Agent SDK gives
 * each copy a new id and names the record that it copied. That may be a copy, too. Then the file of its session, which is
 * in the same folder, names the record before it. Without that file, the copy gets the id of the copy.
 */
export class OriginalNames {
  readonly #names = new Names()
  readonly #ofParent: Names

  private constructor(ofParent: Names) {
    this.#ofParent = ofParent
  }

  /**
   * @param path the file of the fork. The file of its parent may be in the same folder
   * @param head the first records of the file
   */
  static async read(path: string, head: readonly unknown[]): Promise<OriginalNames> {
    const copy = head.filter(isObject).find((record) => textAt(record, 'uuid') !== null)
    return new OriginalNames(
      copy && isRenamed(copy) ? await namesIn(parentFile(path, copy), new Set([path])) : new Names(),
    )
  }

  /** Whether records were copied under ids of their own so far. */
  get areChanged(): boolean {
    return this.#names.size > 0
  }

  /** Returns the record with the ids of the originals for its own and for those that it refers to. */
  restored(record: JsonObject): JsonObject {
    this.#names.note(record, this.#ofParent)
    if (this.#names.size === 0) return record
    const restored: Record<string, unknown> = { ...record }
    for (const key of ['uuid', ...REFERENCES]) if (key in record) restored[key] = this.#original(record[key])
    if (isObject(record.compactMetadata)) restored.compactMetadata = this.#within(record.compactMetadata)
    return restored
  }

  #original(id: unknown): unknown {
    return typeof id === 'string' ? this.#names.originalOf(id) : id
  }

  /** A boundary names what it kept in lists and fields of its metadata. */
  #within(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#within(item))
    if (!isObject(value)) return this.#original(value)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.#within(item)]))
  }
}

const copiedId = (record: JsonObject): string | null => textAt(objectAt(record, 'forkedFrom'), 'messageUuid')

/** Copies by `/branch` keep their ids. */
function isRenamed(record: JsonObject): boolean {
  const copied = copiedId(record)
  return copied !== null && copied !== record.uuid
}

/** Null for a name that is none of a file in the same folder. */
function parentFile(path: string, copy: JsonObject): string | null {
  const sessionId = textAt(objectAt(copy, 'forkedFrom'), 'sessionId') ?? ''
  return /^[\w-]+$/.test(sessionId) ? join(dirname(path), `${sessionId}.jsonl`) : null
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true

/** Reads the copies at the beginning of the file of a fork, and of those that it was forked from. */
async function namesIn(path: string | null, seen: Set<string>): Promise<Names> {
  const names = new Names()
  if (path === null || seen.has(path) || !isFile(path)) return names
  seen.add(path)
  let ofParent: Names | null = null
  try {
    for await (const { lines } of readLines(path)) {
      for (const line of lines) {
        const record = line.kind === 'too_long' ? undefined : parseObjects(line.text, JSON.parse).values.find(isObject)
        if (record === undefined || textAt(record, 'uuid') === null) continue
        if (!isRenamed(record)) return names
        ofParent ??= await namesIn(parentFile(path, record), seen)
        names.note(record, ofParent)
      }
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
  }
  return names
}
