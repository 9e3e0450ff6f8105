import { basename, dirname, join } from 'node:path'
import { valueBeside } from '#core/ingest/transcripts/files-beside.ts'
import type { TranscriptChunk, TranscriptFormat, TranscriptSource } from '#core/ingest/transcripts/format.ts'
import type { TranscriptHead } from '#core/ingest/transcripts/head.ts'
import { isObject, type JsonObject, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { oneLine } from '#core/ingest/transcripts/one-line.ts'
import { readJsonLines } from '#core/ingest/transcripts/read-lines.ts'
import { RecordGraph } from '#core/ingest/transcripts/record-graph.ts'
import { addEntry, entryTypes } from './entries.ts'
import { PiReader } from './reader.ts'
import { openClawStore } from './store.ts'

/** OpenClaw's index of its sessions tells its files from those of Pi. */
const indexOf = (path: string): string => join(dirname(path), 'sessions.json')
const besides = (path: string): readonly string[] => [indexOf(path)]

/** Signatures that a provider of models asks to be sent again, and the changes of a file as they are shown to the person. */
const ASIDES = /Signature: |message\.details\.diff: /

const CHAIN = { id: 'id', parent: 'parentId' }
const namedBy = (record: JsonObject): string | null =>
  record.type === 'session' && typeof record.version === 'number' ? String(record.version) : null

/** Sessions of the Pi coding agent, versions 1 to 3. https://github.com/badlogic/pi-mono */
export const pi: TranscriptFormat = {
  id: 'pi',
  label: 'Pi',
  tried: { version: '1.6.0', ofFiles: '3', namedBy },
  detect: (head) => likeness(head),
  read: (source) => read(source, () => null),
  chain: CHAIN,
  asides: ASIDES,
  besides,
}

/**
 * OpenClaw writes the same lines. The files around a transcript tell the two apart.
 * https://github.com/openclaw/openclaw
 */
export const openClaw: TranscriptFormat = {
  id: 'openclaw',
  label: 'OpenClaw',
  tried: { version: '2026.9.6', ofFiles: '4', namedBy },
  detect: (head) => {
    const sure = likeness(head)
    if (sure === 0) return 0
    return isOpenClaws(head) ? Math.min(1, sure * 1.02) : sure * 0.9
  },
  read: (source) => read(source, (sessionId) => indexedTitle(source.path, sessionId)),
  store: openClawStore,
  chain: CHAIN,
  besides,
  asides: ASIDES,
}

/**
 * oh-my-pi writes the same lines below one with the title, whose place is padded so that it can be written again.
 * https://github.com/can1357/oh-my-pi
 */
export const ohMyPi: TranscriptFormat = {
  ...pi,
  id: 'oh-my-pi',
  label: 'oh-my-pi',
  tried: { version: '18.2.3', ofFiles: '3', namedBy },
  detect: (head) => (isOhMyPis(head) ? 0.99 : 0),
}

const isOhMyPis = ({ values }: TranscriptHead): boolean => {
  const [title, header] = values.filter(isObject)
  return title?.type === 'title' && header?.type === 'session' && textAt(header, 'id') !== null
}

function likeness({ values }: TranscriptHead): number {
  const records = values.filter(isObject)
  const [first] = records
  if (!first) return 0
  const isHeader = first.type === 'session' && textAt(first, 'id') !== null && textAt(first, 'timestamp') !== null
  const ours = records.filter(isEntry).length
  if (isHeader) return records.length === 1 || ours > 0 ? 0.98 : 0.6
  // A file without its header, as after a cut, is recognised by entries that all have an id, a parent and a time.
  const inTree = records.filter((record) => isEntry(record) && 'parentId' in record && textAt(record, 'id') !== null)
  return inTree.length > records.length / 2 ? 0.8 : 0
}

const isEntry = (record: JsonObject): boolean =>
  entryTypes.has(textAt(record, 'type') ?? '') &&
  record.timestamp !== undefined &&
  (record.type !== 'message' || textAt(objectAt(record, 'message'), 'role') !== null)

const isOpenClaws = ({ path }: TranscriptHead): boolean =>
  /[\\/]\.openclaw[\\/]|[\\/]\.clawdbot[\\/]|[\\/]\.moltbot[\\/]/.test(path) || indexBeside(path) !== null

/** Reads OpenClaw's index of its sessions: `agent:<id>:<channel>` → session. */
function indexBeside(path: string): JsonObject | null {
  const index = valueBeside(indexOf(path))
  return isObject(index) && Object.keys(index).some((key) => key.startsWith('agent:')) ? index : null
}

function indexedTitle(path: string, sessionId: string): string | null {
  for (const [key, entry] of Object.entries(indexBeside(path) ?? {})) {
    if (!isObject(entry) || textAt(entry, 'sessionId') !== sessionId) continue
    const origin = objectAt(entry, 'origin')
    const named =
      textAt(entry, 'label') ??
      textAt(entry, 'displayName') ??
      textAt(entry, 'subject') ??
      textAt(origin, 'label') ??
      key
    return oneLine(named)
  }
  return null
}

async function* read(
  source: TranscriptSource,
  titleOf: (sessionId: string) => string | null,
): AsyncGenerator<TranscriptChunk> {
  const graph = new RecordGraph()
  // In oh-my-pi only the session of a sub-agent says how it was begun.
  let isSubAgent = false
  yield* readJsonLines(source, 'looking', (record, { line }) => {
    isSubAgent ||= record.type === 'session_init'
    addEntry(graph, record, line)
  })
  graph.finish()
  const reader = new PiReader(graph, source, `file:${basename(source.path)}`, titleOf, { isSubAgent })
  yield* readJsonLines(source, 'storing', (record, place, out) => reader.take(record, place, out))
  yield { doing: 'storing', bytesRead: source.bytes, records: reader.end() }
}
