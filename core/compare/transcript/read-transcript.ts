import { statSync } from 'node:fs'
import type { TranscriptFormat } from '#core/contract/import.ts'
import { isMissingFile, LcmError } from '#core/errors.ts'
import type { NewPart } from '#core/ingest/new-message.ts'
import { contentOf } from '#core/ingest/transcripts/content-blocks.ts'
import {
  type AnswerRecord,
  type BrokenChainRecord,
  type MessageRecord,
  NOTHING_STORED,
  type Observe,
} from '#core/ingest/transcripts/format.ts'
import type { Recognised } from '#core/ingest/transcripts/formats.ts'
import { type OpenedTranscript, openTranscript, whyNotOpened } from '#core/ingest/transcripts/open-transcript.ts'
import { refuseOther } from '#core/ingest/transcripts/transcript-files.ts'
import { fileError } from '#core/sqlite/memory-file.ts'
import type { ComparedMessage, Fingerprint } from '../fingerprint.ts'

/** Kinds of messages that some systems never store, so that the comparison leaves them out. */
type Side = 'harness' | 'abandoned' | 'none'

type TranscriptMessage = {
  readonly sessionId: string
  readonly said: ComparedMessage
  readonly line: number | null
  /** Null when the transcript gives no time. */
  readonly atMs: number | null
  readonly side: Side
  /** True for a copy from the session of which this one is a fork. */
  readonly isCopied: boolean
}

/** What is kept in memory of a transcript's message: about 300 bytes, however long its text is. */
export type Entry = {
  readonly print: Fingerprint
  readonly line: number | null
  readonly atMs: number | null
  readonly side: Side
  readonly isCopied: boolean
}

export type TranscriptStep = {
  readonly bytesRead: number
  readonly messages: readonly TranscriptMessage[]
  readonly skipped: number
  /** Where the chains of sessions break, after the last message. */
  readonly chains: readonly BrokenChainRecord[]
  /** The main session of the file, as far as the part read so far tells. */
  readonly mainSessionId: string | null
}

/** @throws LcmError file_missing, file_not_readable, transcript_unreadable */
export async function openFor(path: string, format: TranscriptFormat): Promise<OpenedTranscript> {
  try {
    refuseOther(path)
    const found = await openTranscript({ file: path, bytes: statSync(path).size }, format)
    if (found) return found
    throw new LcmError('transcript_unreadable', `${path} is ${whyNotOpened(path)}.`, { path })
  } catch (cause) {
    if (cause instanceof LcmError) throw cause
    if (isMissingFile(cause)) {
      throw new LcmError('file_missing', `There is nothing at ${path}: check the path.`, { path }, { cause })
    }
    throw fileError(cause, path)
  }
}

/** The time that a format gives to messages without one. */
const NO_TIME = 0

/** Returns the messages of a transcript in the order of the file, as an import would store them. */
export async function* readTranscript(
  path: string,
  { format, head }: Recognised,
  observe?: Observe,
): AsyncGenerator<TranscriptStep> {
  const bytes = statSync(path).size
  const limitBytes = Number.POSITIVE_INFINITY
  const source = { path, bytes, head, nowMs: NO_TIME, limitBytes, ...NOTHING_STORED, ...(observe ? { observe } : {}) }
  for await (const { bytesRead, records } of format.read(source)) {
    const messages: TranscriptMessage[] = []
    let skipped = 0
    let mainSessionId: string | null = null
    const chains = records.filter((record) => record.kind === 'broken_chain')
    for (const record of records) {
      if (record.kind === 'message') messages.push(ofMessage(record))
      else if (record.kind === 'answer') messages.push(ofAnswer(record))
      else if (record.kind === 'skipped' || record.kind === 'conflict') skipped += 1
      else if (record.kind === 'session' && record.isMain) mainSessionId = record.sessionId
    }
    yield { bytesRead, messages, skipped, chains, mainSessionId }
  }
}

function ofMessage({ sessionId, message, line, copiedFrom }: MessageRecord): TranscriptMessage {
  const { role, content, parts, createdAtMs } = message
  const metadata = parts[0]?.metadata ?? ''
  return {
    ...originOf({ sessionId, line, createdAtMs, copiedFrom }),
    said: saidIn(role, content, parts),
    side: sideOf(metadata),
  }
}

function ofAnswer({ sessionId, blocks, createdAtMs, details, line, copiedFrom }: AnswerRecord): TranscriptMessage {
  const parts = blocks.map(({ part }) => part)
  return {
    ...originOf({ sessionId, line, createdAtMs, copiedFrom }),
    said: saidIn('assistant', contentOf(blocks), parts),
    side: sideOf(JSON.stringify(details)),
  }
}

type Origin = Pick<AnswerRecord, 'sessionId' | 'line' | 'createdAtMs' | 'copiedFrom'>

const originOf = ({ sessionId, line, createdAtMs, copiedFrom = [] }: Origin) => ({
  sessionId,
  line: line ?? null,
  atMs: createdAtMs === NO_TIME ? null : createdAtMs,
  isCopied: copiedFrom.length > 0,
})

const sideOf = (marks: string): Side =>
  /"abandoned":true/.test(marks)
    ? 'abandoned'
    : /"(?:harness|meta)":true|"attachment":/.test(marks)
      ? 'harness'
      : 'none'

function saidIn(role: ComparedMessage['role'], content: string, parts: readonly NewPart[]): ComparedMessage {
  const tools = parts.filter(({ type }) => type === 'tool')
  const isAnswer = (part: NewPart): boolean => part.toolOutput != null || part.toolError != null
  return {
    role,
    content,
    reasoning: parts.flatMap(({ type, text }) => (type === 'reasoning' && text ? text : [])).join('\n'),
    output: tools.flatMap(({ toolOutput, toolError }) => toolOutput ?? toolError ?? []).join('\n'),
    calls: tools
      .filter((part) => part.toolInput != null || !isAnswer(part))
      .map(({ toolCallId, toolName, toolInput }) => ({
        id: toolCallId ?? null,
        name: toolName ?? null,
        input: toolInput ?? null,
      })),
    answers: tools.filter(isAnswer).flatMap(({ toolCallId }) => toolCallId ?? []),
  }
}
