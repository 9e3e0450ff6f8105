import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { namesIn, readObject } from '#core/ingest/transcripts/files-beside.ts'
import type { CompactionRecord, PruningRecord, TranscriptRecord } from '#core/ingest/transcripts/format.ts'
import { countAt, isObject, type JsonObject, listAt, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { timeOf } from '#core/ingest/transcripts/parts.ts'
import { resultId } from './parts.ts'

/** What the plugin puts in the place of an output. */
const REMOVED_OUTPUT = '[Output removed to save context - information superseded or no longer needed]'

/** The plugin never removes the outputs of these tools. */
const keptOutputs: ReadonlySet<string> = new Set(['question', 'edit', 'write'])

/** At most this many bytes are read of one session. The plugin writes some kilobytes for each block. */
const MOST_BYTES = 64 * 2 ** 20

/** At most this many sessions are looked at for changes. With more of them every import reads the database. */
const MOST_FILES = 1000

const folderBeside = (database: string): string => join(dirname(database), 'storage', 'plugin', 'dcp')

/** The files of the plugin beside a database of opencode, or null when there are too many. */
export function pluginFiles(database: string): readonly string[] | null {
  const folder = folderBeside(database)
  const names = namesIn(folder).toSorted()
  return names.length > MOST_FILES ? null : [folder, ...names.map((name) => join(folder, name))]
}

/** Reads what the plugin noted of a session, and reports a file that cannot be used. */
export function readDynamicPruning(
  database: string,
  sessionId: string,
  out: TranscriptRecord[],
): DynamicPruning | null {
  const path = join(folderBeside(database), `${sessionId}.json`)
  const stat = /^\w+$/.test(sessionId) ? statSync(path, { throwIfNoEntry: false }) : undefined
  if (!stat?.isFile()) return null
  if (stat.size > MOST_BYTES) {
    out.push({ kind: 'skipped', line: 1, reason: `${path}: larger than ${MOST_BYTES} bytes` })
    return null
  }
  const state = readObject(path, out)
  return state && new DynamicPruning(state)
}

/** A range of messages in whose place the model is sent a summary. It may hold earlier blocks. */
type Block = Pick<CompactionRecord, 'key' | 'text' | 'atMs'> & {
  /** The message in which the model asked for it, and which it goes on seeing. */
  readonly askedBy: string
  readonly messageIds: readonly string[]
  /** The keys of the earlier blocks that it holds. */
  readonly earlier: ReadonlySet<string>
}

/**
 * What the plugin Dynamic Context Pruning (version 3) made of the window of one session: opencode stores every message,
 * and the plugin decides at each request what the model is sent.
 * https://github.com/Opencode-DCP/opencode-dynamic-context-pruning
 */
export class DynamicPruning {
  /** The keys of the blocks that the person took back. */
  readonly takenBack: ReadonlySet<string>
  readonly #blocks: ReadonlyMap<string, readonly Block[]>
  /** The ids of the calls whose outputs were removed. */
  readonly #calls: ReadonlySet<string>
  /** When the plugin last wrote, in milliseconds. */
  readonly #changedAtMs: number
  /** The ids of the results in each message that was read. */
  readonly #resultsOf = new Map<string, readonly string[]>()
  readonly #removed: string[] = []

  constructor(state: JsonObject) {
    const prune = objectAt(state, 'prune')
    const found = Object.values(objectAt(objectAt(prune, 'messages'), 'blocksById')).filter(isObject)
    const keys = new Map(found.map((block) => [countAt(block, 'blockId'), keyOf(block)]))
    const active = found
      .filter((block) => !isTakenBack(block))
      .sort((a, b) => createdAt(a) - createdAt(b) || (countAt(a, 'blockId') ?? 0) - (countAt(b, 'blockId') ?? 0))
    this.takenBack = new Set(found.filter(isTakenBack).map(keyOf))
    this.#blocks = Map.groupBy(
      active.map((block) => blockIn(block, keys)),
      ({ askedBy }) => askedBy,
    )
    this.#calls = new Set(Object.keys(objectAt(prune, 'tools')))
    this.#changedAtMs = Date.parse(textAt(state, 'lastUpdated') ?? '')
  }

  /** Returns the blocks for which a message asked. They hold from the next request on. Every message is given in order. */
  after(sessionId: string, id: string, info: JsonObject, parts: readonly JsonObject[]): CompactionRecord[] {
    const calls = parts.filter(({ type }) => type === 'tool')
    const results = calls.map((part) => resultId(id, part))
    if (results.length > 0) this.#resultsOf.set(id, results)
    this.#removed.push(...calls.filter((part) => this.#isRemoved(part)).map((part) => resultId(id, part)))
    const model = textAt(info, 'modelID')
    return (this.#blocks.get(id) ?? []).map(({ askedBy, messageIds, earlier, ...said }) => {
      const externalIds = new Set(messageIds.flatMap((one) => [one, ...(this.#resultsOf.get(one) ?? [])]))
      const replaced = { kind: 'these', externalIds, summaries: earlier } as const
      // The plugin knows a fork by another name, and the copies in it by other ids.
      const record = { recordedBy: [askedBy], keepsRecord: true, isNotInForks: true } as const
      return { kind: 'compaction', sessionId, ...said, ...record, isAuto: null, model, replaced }
    })
  }

  /**
   * Returns the outputs that the plugin removed without a summary, after all messages. It does not note when it removed
   * them: they have the time of its last change.
   */
  removals(sessionId: string): PruningRecord[] {
    const atMs = this.#changedAtMs
    if (Number.isNaN(atMs) || this.#removed.length === 0) return []
    const outputs = this.#removed.map((externalId) => ({ externalId, seen: REMOVED_OUTPUT }))
    const key = `dynamic pruning at ${atMs}`
    return [{ kind: 'pruning', sessionId, key, by: 'pruning', atMs, isAuto: null, toldTokens: null, outputs }]
  }

  #isRemoved(part: JsonObject): boolean {
    const isDone = objectAt(part, 'state').status === 'completed'
    return isDone && this.#calls.has(textAt(part, 'callID') ?? '') && !keptOutputs.has(textAt(part, 'tool') ?? '')
  }
}

const isTakenBack = ({ deactivatedByUser }: JsonObject): boolean => deactivatedByUser === true

const createdAt = (block: JsonObject): number => timeOf(block.createdAt) ?? 0

/** After a compaction by opencode the plugin numbers its blocks from 1 again. */
const keyOf = (block: JsonObject): string => `dynamic pruning ${countAt(block, 'blockId')} ${createdAt(block)}`

function blockIn(block: JsonObject, keys: ReadonlyMap<number | null, string>): Block {
  return {
    key: keyOf(block),
    text: withoutMarks(textAt(block, 'summary') ?? ''),
    atMs: createdAt(block),
    askedBy: textAt(block, 'compressMessageId') ?? '',
    messageIds: listAt(block, 'effectiveMessageIds').filter((id) => typeof id === 'string'),
    earlier: new Set(listAt(block, 'consumedBlockIds').flatMap((id) => keys.get(Number(id)) ?? [])),
  }
}

/** The plugin puts a line before a summary and the number of its block behind it. */
function withoutMarks(summary: string): string {
  const text = summary.replace(/^\[Compressed conversation section\]\s*/, '')
  const mark = /<dcp-message-id>b\d+<\/dcp-message-id>\s*$/.exec(text)
  return mark === null ? text : text.slice(0, mark.index).trimEnd()
}
