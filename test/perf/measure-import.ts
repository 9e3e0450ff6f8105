import { rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NewPart } from '#core/ingest/new-message.ts'
import { openNative } from '#core/sqlite/native.ts'
import { historyStream } from '../builders/history.ts'
import { runImport } from '../builders/import.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { megabytes } from './statistics.ts'

export type ImportMeasure = {
  readonly textMegabytes: number
  readonly seconds: number
  readonly textMegabytesPerSecond: number
  /** The longest that anybody had to wait for the import: between two steps of the job. */
  readonly longestStepMs: number
  readonly secondImportSeconds: number
  /** The file by the text of its messages and parts. */
  readonly timesText: number
}

const queries = {
  textBytes: `
    SELECT (SELECT sum(octet_length(content)) FROM messages) + (SELECT sum(coalesce(octet_length(text_content), 0)
      + coalesce(octet_length(tool_input), 0) + coalesce(octet_length(tool_output), 0)) FROM message_parts)`,
}

/** Imports a generated transcript with all indexes built, and once more to see what finding nothing new costs. */
export async function measureImport(messages: number): Promise<ImportMeasure> {
  const folder = temporaryFolder()
  const transcript = join(folder, 'session.jsonl')
  writeFileSync(transcript, `${[...transcriptLines(messages)].join('\n')}\n`)
  const db = openNative(join(folder, 'lcm.db'))
  let longestStepMs = 0
  let lastMs = performance.now()
  const onProgress = (): void => {
    longestStepMs = Math.max(longestStepMs, performance.now() - lastMs)
    lastMs = performance.now()
  }
  const first = await runImport(db, [transcript], { onProgress })
  const second = await runImport(db, [transcript])
  if (first.added !== messages || second.added !== 0) throw new Error(`imported ${first.added} and ${second.added}`)
  const textMegabytes = megabytes(db.value<number>(queries.textBytes) ?? 0)
  db.close()
  const timesText = megabytes(statSync(join(folder, 'lcm.db')).size) / textMegabytes
  rmSync(folder, { recursive: true, force: true })
  const seconds = first.durationMs / 1000
  return {
    textMegabytes,
    seconds,
    textMegabytesPerSecond: textMegabytes / seconds,
    longestStepMs,
    secondImportSeconds: second.durationMs / 1000,
    timesText,
  }
}

/** The lines of a session of Claude Code. */
export function* transcriptLines(messages: number, seed = 5): Generator<string> {
  let parentUuid: string | null = null
  for (const { externalId, role, createdAtMs, content, parts } of historyStream({ seed, messages })) {
    const envelope = { parentUuid, isSidechain: false, sessionId: `bench-${seed}`, uuid: externalId, cwd: '/srv/bench' }
    const common = { ...envelope, timestamp: new Date(createdAtMs).toISOString() }
    if (role === 'assistant') {
      const message = { id: `msg_${externalId}`, role, model: 'bench', content: parts.map(blockOf), stop_reason: null }
      yield JSON.stringify({ ...common, type: 'assistant', message })
    } else if (role === 'tool') {
      const [part] = parts
      const block = { type: 'tool_result', tool_use_id: part?.toolCallId, content }
      yield JSON.stringify({ ...common, type: 'user', message: { role: 'user', content: [block] } })
    } else {
      yield JSON.stringify({ ...common, type: 'user', message: { role, content } })
    }
    parentUuid = externalId
  }
}

function blockOf({ type, text, toolCallId, toolName, toolInput }: NewPart): unknown {
  if (type === 'tool') return { type: 'tool_use', id: toolCallId, name: toolName, input: JSON.parse(toolInput ?? '{}') }
  return type === 'reasoning' ? { type: 'thinking', thinking: text } : { type: 'text', text }
}
