import { resolve } from 'node:path'
import { SessionIds } from '#core/ingest/transcripts/derived-ids.ts'
import type { TranscriptChunk, TranscriptFormat, TranscriptSource } from '#core/ingest/transcripts/format.ts'
import type { TranscriptHead } from '#core/ingest/transcripts/head.ts'
import { isObject, type JsonObject, listAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { readDocument } from '#core/ingest/transcripts/read-document.ts'
import { readJsonLines, type Take, takeGuarded } from '#core/ingest/transcripts/read-lines.ts'
import { isHistoryItem, isStep, SweAgentReader } from './reader.ts'

/** Matches steps that contain everything that the model was sent for them. */
const PROMPTS = /"(?:query|messages)"\s*:\s*\[/

/** Trajectories of SWE-agent (`*.traj`), and of data sets made from them. https://swe-agent.com */
export const sweAgent: TranscriptFormat = {
  id: 'swe-agent',
  label: 'SWE-agent',
  detect,
  read,
  // The open file and the folder after each step.
  asides: /(?:^|\.)state: /,
}

function detect({ values, isDocument }: TranscriptHead): number {
  const [first] = values
  if (isDocument && isObject(first)) {
    if (isRun(first)) return 0.95
    return isHistory(first) && ('environment' in first || 'replay_config' in first) ? 0.9 : 0
  }
  const rows = isDocument && Array.isArray(first) ? first.filter(isObject) : values.filter(isObject)
  return rows.length > 0 && 2 * rows.filter(isRun).length >= rows.length ? 0.9 : 0
}

const isHistory = (run: JsonObject): boolean =>
  listAt(run, 'history').some((item) => isObject(item) && isHistoryItem(item))

const isRun = (run: JsonObject): boolean => {
  const steps = listAt(run, 'trajectory').filter(isObject)
  return steps.length > 0 && steps.every((step) => isStep(step) || isHistoryItem(step))
}

async function* read(source: TranscriptSource): AsyncGenerator<TranscriptChunk> {
  const address = `file:${resolve(source.path)}`
  const [first] = source.head.values
  const isDocument = source.head.isDocument
  if (isDocument && !Array.isArray(first)) {
    const run = isObject(first) ? first : {}
    const name = nameOf(run)
    // This may be the first of many runs whose others have not been written yet.
    const sessionId = name === null || source.hasSession(address) ? address : `${address}#${name}`
    const reader = new SweAgentReader(source, sessionId, run)
    if (PROMPTS.test(source.head.text)) {
      yield* readDocument(source, 'looking', ['$.trajectory.*'], ({ value }) => reader.look(value))
    }
    // The history has the content of the steps, and earlier instructions to the agent.
    const isWhole = yield* readDocument(source, 'storing', ['$.history.*'], ({ value }, origin, out) =>
      reader.take(value, origin, out),
    )
    const isTold = reader.hasSaid || !isWhole
    yield* readDocument(source, 'storing', ['$.trajectory.*'], ({ value }, origin, out) => {
      if (isTold) reader.takeNewFields(value, isWhole, origin, out)
      else reader.take(value, origin, out)
    })
    yield { doing: 'storing', bytesRead: source.bytes, records: reader.end() }
    return
  }
  const take = takingRuns(source, address)
  yield* isDocument
    ? readDocument(source, 'storing', ['$.*'], ({ value }, origin, out) => take(value, origin, out))
    : readJsonLines(source, 'storing', take)
}

const nameOf = (run: JsonObject): string | null => textAt(run, 'traj_id') ?? textAt(run, 'instance_id')

/** Takes many runs in one file, each as a conversation. */
function takingRuns(source: TranscriptSource, address: string): Take<unknown> {
  const ids = new SessionIds(address)
  return (run, origin, out) => {
    if (!isObject(run) || !(isRun(run) || isHistory(run))) {
      out.push({ kind: 'skipped', line: origin.line, reason: 'not a run: no trajectory of steps or messages' })
      return
    }
    const reader = new SweAgentReader(source, ids.next(nameOf(run) ?? 'run'), run)
    if (isHistory(run)) for (const step of listAt(run, 'trajectory')) reader.look(step)
    for (const item of listAt(run, isHistory(run) ? 'history' : 'trajectory'))
      takeGuarded(item, origin, (value, place, records) => reader.take(value, place, records), out)
    if (isHistory(run)) for (const step of listAt(run, 'trajectory')) reader.takeNewFields(step, true, origin, out)
    out.push(...reader.end())
  }
}
