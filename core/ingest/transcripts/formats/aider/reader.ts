import { basename, dirname, resolve } from 'node:path'
import type { Role } from '#core/contract/ids.ts'
import { sha256 } from '#core/hashing.ts'
import { SessionIds } from '#core/ingest/transcripts/derived-ids.ts'
import type { TranscriptRecord, TranscriptSource } from '#core/ingest/transcripts/format.ts'
import type { MessageDetails } from '#core/ingest/transcripts/message-details.ts'
import { oneLine } from '#core/ingest/transcripts/one-line.ts'
import { messageOf, textBlock } from '#core/ingest/transcripts/parts.ts'
import { textOfLines } from '#core/ingest/transcripts/read-text.ts'

/** Matches the line with which a session begins, in local time without a zone. */
export const HEADER = '^# aider chat started at (\\d{4}-\\d\\d-\\d\\d) (\\d\\d:\\d\\d:\\d\\d)\\s*$'
const header = new RegExp(HEADER)
const firstHeader = new RegExp(HEADER, 'm')

const HEADER_BEGINS = '# aider chat started at '

/** A line without an end that may become a header, or words of somebody else. */
export const isHalfMark = (text: string): boolean =>
  /^(?:#{1,4}|>)$/.test(text) ||
  (text !== '' && HEADER_BEGINS.startsWith(text)) ||
  (text.startsWith(HEADER_BEGINS) && !header.test(text))

/** A longer text becomes several messages. */
const LONGEST_UNITS = 8_000_000

/** Matches the commands by which a person begins anew within a session. https://aider.chat/docs/usage/commands.html */
const CLEARS = /^\/(?:clear|reset)\s*$/

type Speaker = Extract<Role, 'user' | 'assistant' | 'tool'>
type Open = { readonly speaker: Speaker; readonly line: number; readonly lines: string[]; units: number }

/**
 * Says who wrote a line as aider's own reader does: `#### ` is the person, `> ` is output of the program, and anything
 * else is the model. A model that writes such lines itself is misread in both. The text is stored in any case.
 */
export class AiderReader {
  readonly #source: TranscriptSource
  readonly #ids: SessionIds
  #session: AiderSession
  #open: Open | null = null

  constructor(source: TranscriptSource) {
    this.#source = source
    this.#ids = new SessionIds(`file:${resolve(source.path)}`)
    // The lines above the first header are the end of a session that began before it.
    this.#session = this.#begin(firstHeader.exec(source.head.text), null)
  }

  take(text: string, line: number, out: TranscriptRecord[]): void {
    const started = header.exec(text)
    if (started) {
      this.#close(out)
      out.push(...this.#session.cleared(), ...this.#session.end())
      this.#session = this.#begin(started, `${started[1]} ${started[2]}`)
      return
    }
    const speaker = speakerOf(text, this.#open?.speaker ?? null)
    if (speaker === null) this.#close(out)
    else this.#say(speaker, text, line, out)
  }

  end(): TranscriptRecord[] {
    const out: TranscriptRecord[] = []
    this.#close(out)
    return [...out, ...this.#session.end()]
  }

  #say(speaker: Speaker, text: string, line: number, out: TranscriptRecord[]): void {
    if (this.#open && (this.#open.speaker !== speaker || this.#open.units > LONGEST_UNITS)) this.#close(out)
    this.#open ??= { speaker, line, lines: [], units: 0 }
    this.#open.lines.push(speaker === 'assistant' ? text : unmarked(text))
    this.#open.units += text.length
  }

  #close(out: TranscriptRecord[]): void {
    const open = this.#open
    this.#open = null
    if (open) this.#session.emit(open, out)
  }

  #begin(match: RegExpExecArray | null, name: string | null): AiderSession {
    const startedAtMs = Date.parse(`${match?.[1]}T${match?.[2]}`) || this.#source.nowMs
    const sessionId = this.#ids.next(name ?? 'before the first header')
    return new AiderSession(this.#source, sessionId, startedAtMs, name)
  }
}

/** Returns null for a blank line that ends the words of the person or the program. */
function speakerOf(text: string, before: Speaker | null): Speaker | null {
  if (text.startsWith('#### ') || (text === '####' && before === 'user')) return 'user'
  if (text.startsWith('> ') || (text === '>' && before === 'tool')) return 'tool'
  return text.trim() === '' && before !== 'assistant' ? null : 'assistant'
}

/** Removes the sign in front and the two blanks at the end, which break the line in Markdown. */
const unmarked = (text: string): string => text.replace(/^(?:####|>) ?/, '').replace(/ {2}$/, '')

/** Reads one session. It and its messages have no ids, so they are recognised by their text. */
class AiderSession {
  readonly #source: TranscriptSource
  readonly #sessionId: string
  readonly #startedAtMs: number
  /** The time as the file gives it. */
  readonly #localTime: string | null
  readonly #timesSaid = new Map<string, number>()
  #isDeclared = false
  #isPastStored = false
  /** Set when the last message is a command to begin anew, which nothing has followed yet. */
  #clear: string | null = null
  #title: string | null = null
  #command: string | null = null

  constructor(source: TranscriptSource, sessionId: string, startedAtMs: number, localTime: string | null) {
    this.#source = source
    this.#sessionId = sessionId
    this.#startedAtMs = startedAtMs
    this.#localTime = localTime
  }

  emit({ speaker, line, lines }: Open, out: TranscriptRecord[]): void {
    const text = textOfLines(lines)
    if (text === '') return
    const details: MessageDetails = this.#isDeclared || this.#localTime === null ? {} : { localTime: this.#localTime }
    this.#declare(out)
    if (speaker === 'user') this.#nameAfter(text)
    out.push(...this.cleared())
    const formerId = this.#formerId(speaker, text)
    if (formerId !== null) {
      this.#push(speaker, text, line, details, out, formerId)
      return
    }
    const stored = this.#storedBeginning(speaker, lines)
    if (stored > 0) {
      this.#push(speaker, textOfLines(lines.slice(0, stored)), line, details, out)
      this.emit({ speaker, line: line + stored, lines: lines.slice(stored), units: 0 }, out)
      return
    }
    const externalId = this.#push(speaker, text, line, details, out)
    if (speaker === 'user' && CLEARS.test(text)) this.#clear = externalId
  }

  /**
   * The model sees nothing from before this message any more. It is emitted when something follows, because until then
   * the person may still be typing.
   */
  cleared(): TranscriptRecord[] {
    const externalId = this.#clear
    this.#clear = null
    if (externalId === null) return []
    const told = { key: externalId, text: null, atMs: this.#startedAtMs, isAuto: false, model: null }
    const recordedBy = [externalId] as const
    return [{ kind: 'compaction', sessionId: this.#sessionId, ...told, recordedBy, replaced: { kind: 'all_messages' } }]
  }

  /** The id under which the beginning of a text was stored, because the file ended there. */
  #formerId(role: Speaker, text: string): string | null {
    if (this.#isPastStored || this.#isStored(role, text)) return null
    const last = this.#source.lastStored(this.#sessionId)
    const isBeginning = last?.role === role && text.startsWith(last.content)
    if (!isBeginning || last.externalId !== this.#nextId(role, last.content)) return null
    this.#isPastStored = true
    return last.externalId
  }

  end(): TranscriptRecord[] {
    const title = this.#title ?? this.#command
    if (!this.#isDeclared) return this.#localTime === null ? [] : [{ kind: 'other' }]
    return title === null ? [] : [{ kind: 'title', sessionId: this.#sessionId, title: oneLine(title) }]
  }

  #push(
    role: Speaker,
    text: string,
    line: number,
    details: MessageDetails,
    out: TranscriptRecord[],
    formerId: string | null = null,
  ): string {
    const externalId = this.#nextId(role, text)
    this.#timesSaid.set(stemOf(role, text), this.#timesOf(role, text) + 1)
    const message = messageOf({ externalId, role, blocks: [textBlock(text)], createdAtMs: this.#startedAtMs, details })
    out.push({ kind: 'message', sessionId: this.#sessionId, message: { ...message, formerId }, line })
    return externalId
  }

  /**
   * Counts the lines of a message that an earlier import stored as a whole message, because there were no more. Only
   * the first message that is not stored completely can be such a message.
   */
  #storedBeginning(role: Speaker, lines: readonly string[]): number {
    if (this.#isPastStored || this.#isStored(role, textOfLines(lines))) return 0
    this.#isPastStored = true
    // To look for each beginning takes seconds for a long text, and a new session has none.
    if (!this.#source.hasSession(this.#sessionId)) return 0
    for (let count = Math.min(lines.length - 1, 1000); count > 0; count -= 1) {
      const text = textOfLines(lines.slice(0, count))
      if (text !== '' && this.#isStored(role, text)) {
        // The rest is looked up once more.
        this.#isPastStored = false
        return count
      }
    }
    return 0
  }

  #isStored(role: Speaker, text: string): boolean {
    return this.#source.storedBlocks(this.#sessionId, this.#nextId(role, text)) !== undefined
  }

  #nextId(role: Speaker, text: string): string {
    const times = this.#timesOf(role, text) + 1
    return times === 1 ? stemOf(role, text) : `${stemOf(role, text)}~${times}`
  }

  #timesOf(role: Speaker, text: string): number {
    return this.#timesSaid.get(stemOf(role, text)) ?? 0
  }

  #nameAfter(text: string): void {
    if (/^[/!]/.test(text)) this.#command ??= text
    else this.#title ??= text
  }

  #declare(out: TranscriptRecord[]): void {
    if (this.#isDeclared) return
    this.#isDeclared = true
    const path = resolve(this.#source.path)
    // With its own name the file lies in the folder in which aider works.
    const cwd = basename(path) === '.aider.chat.history.md' ? dirname(path) : null
    out.push({ kind: 'session', sessionId: this.#sessionId, cwd, startedAtMs: this.#startedAtMs })
  }
}

const stemOf = (role: Speaker, text: string): string => `said_${sha256(`${role}\n${text}`.toWellFormed()).slice(0, 24)}`
