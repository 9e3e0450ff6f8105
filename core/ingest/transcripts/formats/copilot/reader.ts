import type { CompactionRecord, TranscriptRecord, TranscriptSource } from '#core/ingest/transcripts/format.ts'
import { countAt, type JsonObject, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import type { MessageDetails } from '#core/ingest/transcripts/message-details.ts'
import { oneLine } from '#core/ingest/transcripts/one-line.ts'
import {
  compactionPart,
  messageOf,
  neverSent,
  RecordClock,
  resultMessage,
  sentAgain,
  textBlock,
} from '#core/ingest/transcripts/parts.ts'
import { type RecordOrigin, typeName } from '#core/ingest/transcripts/read-lines.ts'
import { answerBlocks, answerFinish, isBookkeeping, resultOf, shellText, typedInstead, userBlocks } from './event.ts'
import type { CopilotForks } from './forks.ts'
import { keptPrompts, type Prompt } from './kept-prompts.ts'
import { CopilotSkills } from './skills.ts'
import { givenName } from './workspace.ts'

const TRUNCATED = 'the agent took messages out of its window here, and the file does not say which'

type Session = {
  readonly id: string
  /** True for a sub-agent of another session that was copied. */
  readonly isCopy: boolean
  title: string | null
  /** External ids of the messages that the model is sent, in their order, without the system prompt. */
  sent: string[]
  /** External id of the newest system prompt, which stands in the place of those before it. */
  prompt: string | null
  /** What the person said since the session began or its window was cleared. */
  prompts: (Prompt & { readonly sent: string })[]
  /** External ids of all messages. */
  readonly held: Set<string>
}

/** Usage records stand just before the answer that they belong to. */
const MOST_USAGES = 1000

export class CopilotReader {
  readonly #source: TranscriptSource
  readonly #forks: CopilotForks
  readonly #clock: RecordClock
  readonly #sessions = new Map<string, Session>()
  readonly #taken = new Set<string>()
  /** Usage by the id of the call to the model. */
  readonly #usages = new Map<string, JsonObject>()
  /** Names of tools by the id of their call. */
  readonly #tools = new Map<string, string>()
  readonly #skills = new CopilotSkills()
  /** What the person ran in the shell, by the id of the call. */
  readonly #commands = new Map<string, string>()
  #sessionId: string
  #cwd: string | null = null
  #latestMs = Number.NEGATIVE_INFINITY
  /** The session from which the current event was copied, or null. */
  #origin: string | null = null

  constructor(source: TranscriptSource, fallback: string, forks: CopilotForks) {
    this.#source = source
    this.#forks = forks
    this.#clock = new RecordClock(source.nowMs)
    this.#sessionId = fallback
  }

  take(event: JsonObject, origin: RecordOrigin, out: TranscriptRecord[]): void {
    const type = textAt(event, 'type') ?? ''
    const id = textAt(event, 'id')
    const data = objectAt(event, 'data')
    this.#origin = this.#forks.originOf(origin.line)
    if (id !== null && this.#taken.has(id)) {
      out.push({ kind: 'repeated' })
      return
    }
    if (id !== null) this.#taken.add(id)
    const atMs = this.#clock.at(event.timestamp)
    this.#latestMs = Math.max(this.#latestMs, atMs)
    if (id !== null && this.#takeSpoken(event, type, id, data, atMs, origin.details, out)) return
    this.#note(type, data)
    if (type === 'session.truncation')
      out.push({ kind: 'skipped', line: origin.line, reason: TRUNCATED, isKnown: true })
    else if (type === 'session.compaction_complete' && data.success !== false)
      out.push({ kind: 'skipped', line: origin.line, reason: 'a compaction without a summary that can be read' })
    else if (isBookkeeping(type)) out.push({ kind: 'other' })
    else out.push({ kind: 'skipped', line: origin.line, reason: `unknown type of event: ${typeName(event.type)}` })
  }

  end(): TranscriptRecord[] {
    const named = givenName(this.#source.path)
    return [...this.#sessions.values()].flatMap((session): TranscriptRecord[] => {
      const { id: sessionId, isCopy } = session
      const title = sessionId === this.#sessionId ? (named ?? session.title) : session.title
      const told: TranscriptRecord[] = title === null ? [] : [{ kind: 'title', sessionId, title }]
      return isCopy ? told : [...this.#windowOf(session), ...told]
    })
  }

  /** Going back takes the events behind that place out of the file, and so out of the window. */
  #windowOf({ id: sessionId, prompt, held }: Session): TranscriptRecord[] {
    const changedAtMs = this.#latestMs
    return [
      { kind: 'held', sessionId, externalIds: held, changedAtMs },
      ...(prompt === null ? [] : [sentAgain(sessionId, prompt, changedAtMs)]),
    ]
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
        const isTask = session.id !== this.#sessionId
        if ((isTyped || isTask) && typed !== null) session.title ??= oneLine(typed)
        const facts = { ...details, ...(isTyped ? {} : { harness: true }), ...typedInstead(data) }
        const message = messageOf({ ...base, role: 'user', blocks, details: facts })
        this.#push(session, message, out)
        if (isTyped && typed !== null) session.prompts.push({ externalId: id, typed, sent: message.content })
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
        const command = this.#commands.get(callId ?? '')
        if (data.isUserRequested === true && command !== undefined) {
          const blocks = [textBlock(shellText(command, data))]
          const message = messageOf({ ...base, role: 'user', blocks, details: { ...details, bash: true } })
          this.#push(this.#session(event, createdAtMs, out), message, out)
          return true
        }
        const name = textAt(data, 'toolName') ?? this.#tools.get(callId ?? '') ?? null
        const session = this.#session(event, createdAtMs, out)
        this.#push(session, resultMessage({ ...base, callId, name, ...resultOf(data), details }), out)
        return true
      }
      case 'system.message':
      case 'system.notification':
      case 'assistant.reasoning':
        return this.#takeProgramText(event, type, base, textAt(data, 'content'), details, out)
      case 'skill.invoked':
        // The model is sent it as a part of a prompt, or of what is said to be delivered.
        this.#skills.invoked(data)
        if (!this.#takeProgramText(event, type, base, textAt(data, 'content'), details, out)) return false
        this.#leaveOut(this.#session(event, createdAtMs, out), id, createdAtMs, out)
        return true
      case 'skill.context_delivered':
      case 'skill.context_delivered_ref':
        return this.#takeProgramText(event, type, base, this.#skills.delivered(data), details, out)
      case 'session.compaction_complete':
        return this.#takeCompaction(event, base, data, details, out)
      case 'session.context_cleared':
        this.#clear(this.#session(event, createdAtMs, out), id, createdAtMs, out)
        return this.#takeProgramText(event, type, base, textAt(data, 'initialMessage'), details, out)
      default:
        return false
    }
  }

  /** Text of the program itself that the model sees. Returns false when there is none. */
  #takeProgramText(
    event: JsonObject,
    type: string,
    base: { readonly externalId: string; readonly createdAtMs: number },
    text: string | null,
    details: MessageDetails,
    out: TranscriptRecord[],
  ): boolean {
    if (text === null) return false
    const session = this.#session(event, base.createdAtMs, out)
    const role = type === 'system.message' ? ('system' as const) : ('user' as const)
    const facts = { ...details, harness: true, eventType: type }
    const message = messageOf({ ...base, role, blocks: [textBlock(text)], details: facts })
    this.#push(session, message, out)
    if (role !== 'system') return true
    if (session.prompt !== null) this.#leaveOut(session, session.prompt, base.createdAtMs, out)
    session.prompt = base.externalId
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
    const newest = keptMessages(session.sent, data)
    const said = keptPrompts(session.prompts).filter(({ externalId }) => !newest.includes(externalId))
    const kept = [...said.map((one) => one.externalId), ...newest]
    this.#push(session, message, out)
    const told = { key: externalId, text, atMs: createdAtMs, isAuto, model: textAt(data, 'behaviorModelId') }
    const prompt = session.prompt === null ? [] : [session.prompt]
    const replaced: CompactionRecord['replaced'] = { kind: 'all_but', kept: new Set([...prompt, ...kept]) }
    out.push({ kind: 'compaction', sessionId: session.id, ...told, recordedBy: [externalId], replaced })
    const outputs = said.flatMap(({ externalId, seen, sent }) => (seen === sent ? [] : { externalId, seen }))
    if (outputs.length > 0)
      out.push({ ...neverSent(session.id, externalId, createdAtMs), key: `repeated ${externalId}`, outputs })
    session.sent = [externalId, ...kept]
    return true
  }

  /** A program that drives the agent took everything but the system prompt out of its window. */
  #clear(session: Session, id: string, atMs: number, out: TranscriptRecord[]): void {
    const outputs = session.sent.map((externalId) => ({ externalId, seen: null }))
    out.push({ ...neverSent(session.id, id, atMs), key: `cleared ${id}`, outputs })
    session.sent = []
    session.prompts = []
  }

  #leaveOut(session: Session, externalId: string, atMs: number, out: TranscriptRecord[]): void {
    out.push(neverSent(session.id, externalId, atMs))
    session.sent = session.sent.filter((id) => id !== externalId)
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
    } else if (type === 'tool.user_requested') {
      const [callId, command] = [textAt(data, 'toolCallId'), textAt(objectAt(data, 'arguments'), 'command')]
      if (callId !== null && command !== null) this.#commands.set(callId, command)
    } else if (type === 'tool.execution_start') {
      const [callId, name] = [textAt(data, 'toolCallId'), textAt(data, 'toolName')]
      if (callId !== null && name !== null) this.#tools.set(callId, name)
    }
  }

  #push(session: Session, message: Extract<TranscriptRecord, { kind: 'message' }>['message'], out: TranscriptRecord[]) {
    const copiedFrom = session.id === this.#sessionId && this.#origin !== null ? [this.#origin] : []
    out.push({ kind: 'message', sessionId: session.id, message, copiedFrom })
    if (message.externalId === null) return
    session.held.add(message.externalId)
    if (message.role !== 'system') session.sent.push(message.externalId)
  }

  /** Events of a sub-agent name it, and stand among those of its session. A fork copies them, too. */
  #session(event: JsonObject, startedAtMs: number, out: TranscriptRecord[]): Session {
    const agentId = textAt(event, 'agentId')
    const main = agentId === null ? this.#sessionId : (this.#origin ?? this.#sessionId)
    const id = agentId === null ? main : `${main}/agent-${agentId}`
    const known = this.#sessions.get(id)
    if (known) return known
    const isCopy = main !== this.#sessionId
    const session: Session = { id, title: null, sent: [], prompt: null, prompts: [], held: new Set(), isCopy }
    this.#sessions.set(id, session)
    const told = { sessionId: id, cwd: this.#cwd, startedAtMs, isMain: agentId === null }
    if (agentId !== null) out.push({ kind: 'session', ...told, parentSessionId: main })
    else {
      const { parentId, isUnnamed } = this.#forks
      const fork = { mayBeFork: isUnnamed, hasOwnCopies: isUnnamed || parentId !== null }
      out.push({ kind: 'session', ...told, parentSessionId: parentId, ...fork })
    }
    return session
  }
}

/** The newest messages stay when fewer were removed than the window had. One of its messages is the system prompt. */
function keptMessages(sent: readonly string[], data: JsonObject): readonly string[] {
  const before = countAt(data, 'preCompactionMessagesLength')
  const removed = countAt(data, 'messagesRemoved')
  const kept = before === null || removed === null ? 0 : Math.max(0, before - removed - 1)
  return kept === 0 ? [] : sent.slice(-kept)
}
