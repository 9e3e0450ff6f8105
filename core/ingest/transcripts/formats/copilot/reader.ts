import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { CompactionRecord, TranscriptRecord, TranscriptSource } from '#core/ingest/transcripts/format.ts'
import { countAt, type JsonObject, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import type { MessageDetails } from '#core/ingest/transcripts/message-details.ts'
import { oneLine } from '#core/ingest/transcripts/one-line.ts'
import { compactionPart, messageOf, RecordClock, resultMessage, textBlock } from '#core/ingest/transcripts/parts.ts'
import { type RecordOrigin, typeName } from '#core/ingest/transcripts/read-lines.ts'
import { answerBlocks, answerFinish, isBookkeeping, resultOf, userBlocks, whyUntold } from './event.ts'

type Session = {
  readonly id: string
  title: string | null
  /** External ids of the messages that the model is sent, in their order, without the system prompt. */
  sent: string[]
}

/** Usage records stand just before the answer that they belong to. */
const MOST_USAGES = 1000

export class CopilotReader {
  readonly #source: TranscriptSource
  readonly #clock: RecordClock
  readonly #sessions = new Map<string, Session>()
  readonly #taken = new Set<string>()
  /** Usage by the id of the call to the model. */
  readonly #usages = new Map<string, JsonObject>()
  /** Names of tools by the id of their call. */
  readonly #tools = new Map<string, string>()
  #sessionId: string
  #cwd: string | null = null

  constructor(source: TranscriptSource, fallback: string) {
    this.#source = source
    this.#clock = new RecordClock(source.nowMs)
    this.#sessionId = fallback
  }

  take(event: JsonObject, origin: RecordOrigin, out: TranscriptRecord[]): void {
    const type = textAt(event, 'type') ?? ''
    const id = textAt(event, 'id')
    const data = objectAt(event, 'data')
    if (id !== null && this.#taken.has(id)) {
      out.push({ kind: 'repeated' })
      return
    }
    if (id !== null) this.#taken.add(id)
    const atMs = this.#clock.at(event.timestamp)
    if (id !== null && this.#takeSpoken(event, type, id, data, atMs, origin.details, out)) return
    this.#note(type, data)
    const reason = whyUntold(type)
    if (reason !== null) out.push({ kind: 'skipped', line: origin.line, reason, isKnown: true })
    else if (type === 'session.compaction_complete' && data.success !== false)
      out.push({ kind: 'skipped', line: origin.line, reason: 'a compaction without a summary that can be read' })
    else if (isBookkeeping(type)) out.push({ kind: 'other' })
    else out.push({ kind: 'skipped', line: origin.line, reason: `unknown type of event: ${typeName(event.type)}` })
  }

  end(): TranscriptRecord[] {
    const named = this.#givenName()
    return [...this.#sessions.values()].flatMap(({ id, title }): TranscriptRecord[] => {
      const own = id === this.#sessionId ? (named ?? title) : title
      return own === null ? [] : [{ kind: 'title', sessionId: id, title: own }]
    })
  }

  /** Returns false for an event that is no message. */
  #takeSpoken(
    event: JsonObject,
    type: string,
    id: string,
    data: JsonObject,
    createdAtMs: number,
    details: MessageDetails,
    out: TranscriptRecord[],
  ): boolean {
    const base = { externalId: id, createdAtMs }
    switch (type) {
      case 'user.message': {
        const blocks = userBlocks(data)
        const source = textAt(data, 'source')
        const isTyped = source === null || source === 'user'
        const session = this.#session(event, createdAtMs, out)
        const typed = textAt(data, 'content')
        if (isTyped && typed !== null) session.title ??= oneLine(typed)
        const facts = isTyped ? details : { ...details, harness: true }
        this.#push(session, messageOf({ ...base, role: 'user', blocks, details: facts }), out)
        return true
      }
      case 'assistant.message': {
        const usage = this.#usages.get(textAt(data, 'apiCallId') ?? '')
        const finish = answerFinish(data, usage)
        const blocks = answerBlocks(data)
        for (const { part } of blocks)
          if (part.toolCallId && part.toolName) this.#tools.set(part.toolCallId, part.toolName)
        const more = finish === null ? [] : [finish]
        const session = this.#session(event, createdAtMs, out)
        this.#push(session, messageOf({ ...base, role: 'assistant', blocks, details, more }), out)
        return true
      }
      case 'tool.execution_complete': {
        const callId = textAt(data, 'toolCallId')
        const name = textAt(data, 'toolName') ?? this.#tools.get(callId ?? '') ?? null
        const session = this.#session(event, createdAtMs, out)
        this.#push(session, resultMessage({ ...base, callId, name, ...resultOf(data), details }), out)
        return true
      }
      case 'system.message':
      case 'system.notification':
      case 'skill.invoked':
      case 'assistant.reasoning':
        return this.#takeProgramText(event, type, base, data, details, out)
      case 'session.compaction_complete':
        return this.#takeCompaction(event, base, data, details, out)
      default:
        return false
    }
  }

  /** Text of the program itself that the model sees. Returns false when there is none. */
  #takeProgramText(
    event: JsonObject,
    type: string,
    base: { readonly externalId: string; readonly createdAtMs: number },
    data: JsonObject,
    details: MessageDetails,
    out: TranscriptRecord[],
  ): boolean {
    const text = textAt(data, 'content')
    if (text === null) return false
    const session = this.#session(event, base.createdAtMs, out)
    const role = type === 'system.message' ? ('system' as const) : ('user' as const)
    const facts = { ...details, harness: true, eventType: type }
    const message = messageOf({ ...base, role, blocks: [textBlock(text)], details: facts })
    if (role === 'system') out.push({ kind: 'message', sessionId: session.id, message })
    else this.#push(session, message, out)
    return true
  }

  #takeCompaction(
    event: JsonObject,
    base: { readonly externalId: string; readonly createdAtMs: number },
    data: JsonObject,
    details: MessageDetails,
    out: TranscriptRecord[],
  ): boolean {
    const text = textAt(data, 'summaryContent')
    if (data.success === false || text === null) return false
    const { externalId, createdAtMs } = base
    const session = this.#session(event, createdAtMs, out)
    const trigger = textAt(data, 'trigger')
    const isAuto = trigger === null ? null : trigger !== 'manual'
    const facts = {
      preTokens: countAt(data, 'preCompactionTokens') ?? undefined,
      postTokens: countAt(data, 'postCompactionTokens') ?? undefined,
    }
    const message = messageOf({
      ...base,
      role: 'user',
      blocks: [textBlock(text)],
      details: { ...details, harness: true },
      more: [compactionPart(isAuto, facts)],
    })
    out.push({ kind: 'message', sessionId: session.id, message })
    const kept = keptMessages(session.sent, data)
    const told = { key: externalId, text, atMs: createdAtMs, isAuto, model: textAt(data, 'behaviorModelId') }
    const replaced: CompactionRecord['replaced'] = { kind: 'all_but', kept: new Set(kept) }
    out.push({ kind: 'compaction', sessionId: session.id, ...told, recordedBy: [externalId], replaced })
    session.sent = [externalId, ...kept]
    return true
  }

  #note(type: string, data: JsonObject): void {
    if (type === 'session.start') {
      this.#sessionId = textAt(data, 'sessionId') ?? this.#sessionId
      this.#cwd = textAt(objectAt(data, 'context'), 'cwd')
    } else if (type === 'session.usage_record') {
      const usage = objectAt(data, 'usage')
      const callId = textAt(usage, 'apiCallId')
      if (this.#usages.size >= MOST_USAGES) this.#usages.clear()
      if (callId !== null) this.#usages.set(callId, usage)
    } else if (type === 'tool.execution_start') {
      const [callId, name] = [textAt(data, 'toolCallId'), textAt(data, 'toolName')]
      if (callId !== null && name !== null) this.#tools.set(callId, name)
    }
  }

  #push(session: Session, message: Extract<TranscriptRecord, { kind: 'message' }>['message'], out: TranscriptRecord[]) {
    out.push({ kind: 'message', sessionId: session.id, message })
    if (message.externalId !== null) session.sent.push(message.externalId)
  }

  /** Events of a sub-agent name it, and stand among those of its session. */
  #session(event: JsonObject, startedAtMs: number, out: TranscriptRecord[]): Session {
    const agentId = textAt(event, 'agentId')
    const id = agentId === null ? this.#sessionId : `${this.#sessionId}/agent-${agentId}`
    const known = this.#sessions.get(id)
    if (known) return known
    const session: Session = { id, title: null, sent: [] }
    this.#sessions.set(id, session)
    const parentSessionId = agentId === null ? null : this.#sessionId
    out.push({ kind: 'session', sessionId: id, parentSessionId, cwd: this.#cwd, startedAtMs, isMain: agentId === null })
    return session
  }

  /** The name that the person gave the session, from the file beside its events. */
  #givenName(): string | null {
    try {
      const text = readFileSync(join(dirname(this.#source.path), 'workspace.yaml'), 'utf8')
      const name = /^name: *(.+)$/m.exec(text)?.[1]?.trim()
      return name !== undefined && /^user_named: *true$/m.test(text)
        ? oneLine(name.replace(/^(["'])(.*)\1$/, '$2'))
        : null
    } catch {
      // There is no such file beside a transcript that was moved.
      return null
    }
  }
}

/** The newest messages stay when fewer were removed than the window had. One of its messages is the system prompt. */
function keptMessages(sent: readonly string[], data: JsonObject): readonly string[] {
  const before = countAt(data, 'preCompactionMessagesLength')
  const removed = countAt(data, 'messagesRemoved')
  const kept = before === null || removed === null ? 0 : Math.max(0, before - removed - 1)
  return kept === 0 ? [] : sent.slice(-kept)
}
