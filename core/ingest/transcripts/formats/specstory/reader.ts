import { resolve } from 'node:path'
import { type BlockPart, contentOf } from '#core/ingest/transcripts/content-blocks.ts'
import { DerivedIds } from '#core/ingest/transcripts/derived-ids.ts'
import type { TranscriptRecord, TranscriptSource } from '#core/ingest/transcripts/format.ts'
import type { MessageDetails } from '#core/ingest/transcripts/message-details.ts'
import { oneLine } from '#core/ingest/transcripts/one-line.ts'
import { messageOf, RecordClock, resultMessage } from '#core/ingest/transcripts/parts.ts'
import { textOfLines } from '#core/ingest/transcripts/read-text.ts'
import { type Body, bodyOf } from './body.ts'
import type { FencedLine } from './fences.ts'
import { sessionLine, type Turn, turnOf } from './turn.ts'

/** A turn with more text becomes several messages. */
const LONGEST_UNITS = 32_000_000

type OpenTurn = Turn & { readonly line: number; readonly lines: FencedLine[]; units: number }

/** Converts the lines of one exported session into records. */
export class SpecStoryReader {
  readonly #clock: RecordClock
  readonly #ids = new DerivedIds()
  #sessionId: string
  #isDeclared = false
  /** True when a time has been read, from which the times of turns without one follow. */
  #isTimed = false
  #turn: OpenTurn | null = null
  #title: string | null = null

  constructor(source: TranscriptSource) {
    this.#clock = new RecordClock(source.nowMs)
    this.#sessionId = `file:${resolve(source.path)}`
  }

  take(line: FencedLine, out: TranscriptRecord[]): void {
    const turn = line.isFenced ? null : turnOf(line.text)
    if (turn) {
      this.#close(out)
      this.#turn = { ...turn, line: line.number, lines: [], units: 0 }
    } else if (this.#turn) {
      this.#turn.lines.push(line)
      this.#turn.units += line.text.length
      if (this.#turn.units <= LONGEST_UNITS) return
      const { lines: _, ...rest } = this.#turn
      this.#close(out)
      this.#turn = { ...rest, line: line.number + 1, lines: [], units: 0 }
    } else {
      this.#takeAbove(line, out)
    }
  }

  end(): TranscriptRecord[] {
    const out: TranscriptRecord[] = []
    this.#close(out)
    if (this.#isDeclared && this.#title !== null) {
      out.push({ kind: 'title', sessionId: this.#sessionId, title: this.#title })
    }
    return out
  }

  /** Comments above the first turn name the session. */
  #takeAbove({ text, number }: FencedLine, out: TranscriptRecord[]): void {
    const session = sessionLine(text)
    if (!session && !/^(?:\s*|#.*|<!--.*-->\s*|-{3,}\s*)$/.test(text)) {
      out.push({ kind: 'skipped', line: number, reason: 'text above the first turn: nobody says it' })
    }
    if (!session || this.#isDeclared) return
    this.#sessionId = session.id
    this.#clock.at(session.atMs)
    this.#isTimed ||= session.atMs !== null
  }

  #close(out: TranscriptRecord[]): void {
    const turn = this.#turn
    this.#turn = null
    if (!turn) return
    const createdAtMs = this.#clock.at(turn.atMs)
    this.#isTimed ||= turn.atMs !== null
    const lines = withoutRule(turn.lines)
    const externalId = this.#idOf(turn, lines, createdAtMs)
    const callId = (index: number): string => `${externalId}/call-${index + 1}`
    const body = bodyOf(lines, callId)
    if (body.blocks.length === 0) {
      out.push({ kind: 'other' })
      return
    }
    this.#declare(createdAtMs, out)
    this.#emit(turn, externalId, body, createdAtMs, out)
  }

  /**
   * A session that is exported again has the same text at the same time. A turn is identified by its time and its
   * speaker, and by its first line when the file has no times.
   */
  #idOf({ role }: Turn, lines: readonly FencedLine[], atMs: number): string {
    const [first = ''] = textOfLines(lines.map(({ text }) => text)).split('\n', 1)
    return this.#ids.next('turn', role, this.#isTimed ? String(atMs) : first.trim())
  }

  #emit(turn: OpenTurn, externalId: string, body: Body, createdAtMs: number, out: TranscriptRecord[]): void {
    const sessionId = this.#sessionId
    const { line, role } = turn
    const details: MessageDetails = {
      ...(turn.isSidechain ? { sidechain: true } : {}),
      ...(turn.model === null ? {} : { model: turn.model }),
    }
    if (role === 'user') {
      this.#title ??= titleIn(body.blocks)
      const message = messageOf({ externalId, role, blocks: body.blocks, createdAtMs, details })
      out.push({ kind: 'message', sessionId, message, line })
    } else {
      const answer = { externalId, blocks: body.blocks, createdAtMs, finish: null, details }
      out.push({ kind: 'answer', sessionId, ...answer, line })
    }
    for (const { callIndex, name, output } of body.answers) {
      const callId = `${externalId}/call-${callIndex + 1}`
      const given = { externalId: `${callId}/output`, callId, name, output, isError: false, createdAtMs, details }
      out.push({ kind: 'message', sessionId, message: resultMessage(given), line })
    }
  }

  #declare(startedAtMs: number, out: TranscriptRecord[]): void {
    if (this.#isDeclared) return
    this.#isDeclared = true
    out.push({ kind: 'session', sessionId: this.#sessionId, startedAtMs })
  }
}

/** Removes the horizontal rule between two speakers. */
function withoutRule(lines: readonly FencedLine[]): readonly FencedLine[] {
  const last = lines.findLastIndex(({ text }) => text.trim() !== '')
  return last !== -1 && lines[last]?.text.trim() === '---' ? lines.slice(0, last) : lines
}

function titleIn(blocks: readonly BlockPart[]): string | null {
  const title = oneLine(contentOf(blocks))
  return title === '' ? null : title
}
