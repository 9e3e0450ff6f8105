import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { CompactionRecord } from '#core/ingest/transcripts/format.ts'
import { parseObjects } from '#core/ingest/transcripts/json-objects.ts'
import { countAt, isObject, type JsonObject, listAt, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { timeOf } from '#core/ingest/transcripts/parts.ts'

/** What the plugin puts in the place of an output. */
export const REMOVED_OUTPUT = '[Output removed to save context - information superseded or no longer needed]'

/** Of these tools the plugin leaves the outputs as they are. */
const keptOutputs: ReadonlySet<string> = new Set(['question', 'edit', 'write'])

/** A range of messages in whose place the model is sent a summary. It may hold earlier blocks. */
type Block = Pick<CompactionRecord, 'key' | 'text' | 'atMs'> & {
  readonly messageIds: readonly string[]
  /** The keys of the earlier blocks that it holds. */
  readonly earlier: ReadonlySet<string>
}

/** What the plugin Dynamic Context Pruning made of the window of one session. */
export type DynamicPruning = {
  /** By the message in which the model asked for them, in their order. The model goes on seeing that message. */
  readonly blocks: ReadonlyMap<string, readonly Block[]>
  /** The keys of the blocks that the person took back. */
  readonly takenBack: ReadonlySet<string>
  /** Says whether the model is sent `REMOVED_OUTPUT` for a completed call. */
  readonly isRemoved: (part: JsonObject) => boolean
  /** When the plugin last wrote of it, in milliseconds. */
  readonly changedAtMs: number | null
}

type Reading = { readonly pruning: DynamicPruning | null; readonly problem: string | null }

/** At most this many bytes are read of one session. The plugin writes some kilobytes for each block. */
const MOST_BYTES = 64 * 2 ** 20

/** At most this many sessions are looked at for changes. With more of them every import reads the database. */
const MOST_FILES = 1000

const folderBeside = (database: string): string => join(dirname(database), 'storage', 'plugin', 'dcp')

/** The files of the plugin beside a database of opencode, or null when there are too many. */
export function pluginFiles(database: string): readonly string[] | null {
  const folder = folderBeside(database)
  if (!existsSync(folder)) return [folder]
  const names = readdirSync(folder).sort()
  return names.length > MOST_FILES ? null : [folder, ...names.map((name) => join(folder, name))]
}

/**
 * Reads what the plugin Dynamic Context Pruning (version 3) noted of a session: opencode stores every message, and the
 * plugin decides at each request what the model is sent. https://github.com/Opencode-DCP/opencode-dynamic-context-pruning
 */
export function readDynamicPruning(database: string, sessionId: string): Reading {
  const path = join(folderBeside(database), `${sessionId}.json`)
  const stat = /^\w+$/.test(sessionId) ? statSync(path, { throwIfNoEntry: false }) : undefined
  if (!stat?.isFile()) return { pruning: null, problem: null }
  if (stat.size > MOST_BYTES) return { pruning: null, problem: `${path}: larger than ${MOST_BYTES} bytes` }
  const { values, problem } = parseObjects(readFileSync(path, 'utf8'))
  const [state] = values
  if (!isObject(state)) return { pruning: null, problem: `${path}: ${problem ?? 'not an object'}` }
  return { pruning: pruningIn(state), problem: null }
}

function pruningIn(state: JsonObject): DynamicPruning {
  const prune = objectAt(state, 'prune')
  const found = Object.values(objectAt(objectAt(prune, 'messages'), 'blocksById')).filter(isObject)
  const keys = new Map(found.map((block) => [countAt(block, 'blockId'), keyOf(block)]))
  const active = found
    .filter((block) => block.deactivatedByUser !== true)
    .sort((a, b) => createdAt(a) - createdAt(b) || (countAt(a, 'blockId') ?? 0) - (countAt(b, 'blockId') ?? 0))
  const calls = new Set(Object.keys(objectAt(prune, 'tools')))
  const updated = Date.parse(textAt(state, 'lastUpdated') ?? '')
  return {
    blocks: Map.groupBy(
      active.map((block) => ({ ...blockIn(block, keys), askedBy: textAt(block, 'compressMessageId') ?? '' })),
      ({ askedBy }) => askedBy,
    ),
    takenBack: new Set(found.filter((block) => block.deactivatedByUser === true).map(keyOf)),
    isRemoved: (part) =>
      objectAt(part, 'state').status === 'completed' &&
      calls.has(textAt(part, 'callID') ?? '') &&
      !keptOutputs.has(textAt(part, 'tool') ?? ''),
    changedAtMs: Number.isNaN(updated) ? null : updated,
  }
}

const createdAt = (block: JsonObject): number => timeOf(block.createdAt) ?? 0

/** After a compaction by opencode the plugin numbers its blocks from 1 again. */
const keyOf = (block: JsonObject): string => `dynamic pruning ${countAt(block, 'blockId')} ${createdAt(block)}`

function blockIn(block: JsonObject, keys: ReadonlyMap<number | null, string>): Block {
  const earlier = listAt(block, 'consumedBlockIds').flatMap((id) => keys.get(Number(id)) ?? [])
  return {
    key: keyOf(block),
    text: withoutMarks(textAt(block, 'summary') ?? ''),
    atMs: createdAt(block),
    messageIds: listAt(block, 'effectiveMessageIds').filter((id) => typeof id === 'string'),
    earlier: new Set(earlier),
  }
}

/** The plugin puts a line before a summary and the number of its block behind it. */
const withoutMarks = (summary: string): string =>
  summary
    .replace(/^\[Compressed conversation section\]\s*/, '')
    .replace(/\s*<dcp-message-id>b\d+<\/dcp-message-id>\s*$/, '')
