import { resolve } from 'node:path'
import { SessionIds } from '#core/ingest/transcripts/derived-ids.ts'
import type { TranscriptChunk, TranscriptFormat, TranscriptSource } from '#core/ingest/transcripts/format.ts'
import type { TranscriptHead } from '#core/ingest/transcripts/head.ts'
import { isObject, type JsonObject, listAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { readDocument } from '#core/ingest/transcripts/read-document.ts'
import { readJsonLines, type Take, takeGuarded } from '#core/ingest/transcripts/read-lines.ts'
import { isEvent } from './event.ts'
import { OpenHandsReader } from './reader.ts'

/** `output.jsonl` of OpenHands' evaluations and of its resolver, and a session's list of events. https://docs.openhands.dev */
export const openHands: TranscriptFormat = {
  id: 'openhands',
  label: 'OpenHands',
  detect,
  read,
  // What came of the run, and the code with which it began, are no part of what was said in it.
  asides: /content: Added workspace context|^(?:git_patch|result_explanation)\b|kernel_init_code: /,
}

function detect({ values, isDocument }: TranscriptHead): number {
  const [first] = values
  if (isDocument && Array.isArray(first)) {
    const items = first.filter(isObject)
    if (items.some(isTyped) && items.every(isEvent)) return 0.9
    return items.length > 0 && items.every(isTask) ? 0.9 : 0
  }
  const rows = values.filter(isObject)
  const tasks = rows.filter(isTask).length
  // A task that failed at once has no history.
  const failed = rows.filter((row) => 'history' in row && eventsOf(row).length === 0).length
  return tasks > 0 && 2 * (tasks + failed) >= rows.length ? 0.95 : 0
}

/** Other programs log actions too, so an event needs an observation or arguments. */
const isTyped = (event: JsonObject): boolean => typeof event.observation === 'string' || isObject(event.args)

/** Returns the events of a task. Old ones come in pairs of an action and an observation. */
const eventsOf = (task: JsonObject): JsonObject[] => listAt(task, 'history').flat().filter(isObject)

const isTask = (task: JsonObject): boolean => {
  const events = eventsOf(task)
  // The list may end in the middle of an event, where the beginning of the file ends.
  return events.some(isTyped) && events.slice(0, Math.max(1, events.length - 1)).every(isEvent)
}

async function* read(source: TranscriptSource): AsyncGenerator<TranscriptChunk> {
  const address = `file:${resolve(source.path)}`
  const [first] = source.head.values
  const { isDocument } = source.head
  if (isDocument && Array.isArray(first) && first.filter(isObject).some(isEvent)) {
    const reader = new OpenHandsReader(source, address, {})
    yield* readDocument(source, 'storing', ['$.*'], ({ value }, origin, out) => reader.take(value, origin, out))
    yield { doing: 'storing', bytesRead: source.bytes, records: reader.end() }
    return
  }
  const take = takingTasks(source, address)
  const isList = isDocument && Array.isArray(first)
  // A file of one task may be spread over several lines.
  yield* isDocument
    ? readDocument(source, 'storing', [isList ? '$.*' : '$'], ({ value }, origin, out) => take(value, origin, out))
    : readJsonLines(source, 'storing', take)
}

/** Takes the tasks of a file, each as a conversation. A task that was tried again has the same name again. */
function takingTasks(source: TranscriptSource, address: string): Take<unknown> {
  const ids = new SessionIds(address)
  return (task, origin, out) => {
    if (!isObject(task) || !('history' in task)) {
      out.push({ kind: 'skipped', line: origin.line, reason: 'not a task: it has no history' })
      return
    }
    const reader = new OpenHandsReader(source, ids.next(nameOf(task)), task)
    for (const event of listAt(task, 'history').flat())
      takeGuarded(event, origin, (value, place, records) => reader.take(value, place, records), out)
    const rest = reader.end()
    // The task failed before anything was said.
    out.push(...(rest.length === 0 ? [{ kind: 'other' } as const] : rest))
  }
}

/** An evaluation names its instances. The resolver names the issue that it works on. */
function nameOf(task: JsonObject): string {
  const issue = isObject(task.issue) ? task.issue : {}
  const number = typeof issue.number === 'number' ? `#${issue.number}` : ''
  const repository = [textAt(issue, 'owner'), textAt(issue, 'repo')].filter((part) => part !== null).join('/')
  return textAt(task, 'instance_id') ?? (`${repository}${number}` || 'task')
}
