import { basename } from 'node:path'
import { z } from 'zod'
import type { NewMessage, NewPart } from '#core/ingest/new-message.ts'
import { DerivedIds } from '#core/ingest/transcripts/derived-ids.ts'
import type { MessageRecord, TranscriptRecord, TranscriptSource } from '#core/ingest/transcripts/format.ts'
import { countAt, isObject, type JsonObject, listAt, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { oneLine } from '#core/ingest/transcripts/one-line.ts'
import {
  compactionPart,
  messageOf,
  neverSent,
  plainText,
  RecordClock,
  sentAgain,
  textBlock,
} from '#core/ingest/transcripts/parts.ts'
import { type RecordOrigin, typeName } from '#core/ingest/transcripts/read-lines.ts'
import { isTyped, kimiFinish, kimiMessage } from './messages.ts'
import { OpenAnswer, resultId, type Standing } from './open-answer.ts'
import { type KimiSession, sessionOf } from './session.ts'
import type { KimiWindow } from './window.ts'

/** What has to be known of the beginning of a log to read the rest of it. */
const Place = z.object({ sessionId: z.string(), title: z.string().nullable() })
export type KimiPlace = z.infer<typeof Place>

export const placeIn = (given: JsonObject | null): KimiPlace | null => Place.safeParse(given).data ?? null

/** The second reading of a log. */
export class KimiReader {
  readonly #source: TranscriptSource
  readonly #window: KimiWindow
  readonly #from: KimiPlace | null
  readonly #session: KimiSession
  readonly #clock: RecordClock
  readonly #ids = new DerivedIds()
  /** Ids of the messages that compactions keep, by the line that begins them. */
  readonly #kept = new Map<number, string>()
  readonly #givenUp = new Set<string>()
  #sessionId: string | null = null
  #title: string | null
  #model: string | null = null
  #prompt: { readonly id: string; readonly text: string } | null = null
  #isAuto: boolean | null = null
  /** Usage of requests for summaries that is not stored yet. */
  #spent: NewPart[] = []
  #open: OpenAnswer | null = null

  constructor(source: TranscriptSource, window: KimiWindow, from: KimiPlace | null) {
    this.#source = source
    this.#window = window
    this.#from = from
    this.#session = sessionOf(source.path, window.forksAtEnd)
    this.#clock = new RecordClock(source.nowMs)
    this.#title = from?.title ?? null
  }

  take(record: JsonObject, { line, details }: RecordOrigin, out: TranscriptRecord[]): void {
    const type = textAt(record, 'type') ?? ''
    const atMs = this.#clock.at(record.time ?? record.created_at)
    switch (type) {
      case 'context.append_message':
        this.#takeMessage(objectAt(record, 'message'), { line, details }, atMs, out)
        return
      case 'context.append_loop_event':
        this.#takeEvent(objectAt(record, 'event'), { line, details }, atMs, out)
        return
      case 'context.apply_compaction':
        this.#settle(out)
        this.#takeCompaction(record, { line, details }, atMs, out)
        return
      case 'usage.record':
        this.#takeUsage(record)
        out.push({ kind: 'other' })
        return
      case 'profile.bind':
      case 'config.update': {
        const prompt = textAt(record, 'systemPrompt')
        if (prompt !== null) this.#takePrompt(prompt, { line, details }, atMs, out)
        else if (type === 'config.update') out.push({ kind: 'other' })
        else out.push({ kind: 'skipped', line, reason: 'a profile without a prompt that can be read' })
        return
      }
      case 'full_compaction.begin':
        this.#isAuto = textAt(record, 'source') === null ? null : record.source !== 'manual'
        out.push({ kind: 'other' })
        return
      default:
        if (bookkeeping.has(type)) out.push({ kind: 'other' })
        else out.push({ kind: 'skipped', line, reason: `unknown type of record: ${typeName(record.type)}` })
    }
  }

  end(): TranscriptRecord[] {
    const out: TranscriptRecord[] = []
    const isSettled = this.#open === null && this.#spent.length === 0
    this.#settle(out)
    if (this.#from !== null) this.#declare(this.#source.nowMs, out)
    const sessionId = this.#sessionId
    if (sessionId === null) return out
    const title = this.#session.title ?? this.#title
    if (this.#from === null) out.push({ kind: 'given_up', sessionId, externalIds: this.#givenUp })
    if (this.#from === null && this.#prompt !== null)
      out.push(sentAgain(sessionId, this.#prompt.id, this.#clock.at(null)))
    if (title !== null) out.push({ kind: 'title', sessionId, title })
    if (this.#source.place !== undefined && isSettled && this.#window.forks.length === 0)
      out.push({ kind: 'read_to', sessionId, place: { sessionId, title: this.#title } satisfies KimiPlace })
    return out
  }

  #takeUsage(record: JsonObject): void {
    this.#model = textAt(record, 'model') ?? this.#model
    const usage = objectAt(record, 'usage')
    if (record.usageScope === 'turn') this.#open?.used(usage)
    else this.#spent.push(...[kimiFinish(usage, this.#model)].filter((part) => part !== null))
  }

  #takeMessage(message: JsonObject, origin: RecordOrigin, atMs: number, out: TranscriptRecord[]): void {
    const { line } = origin
    const { role } = message
    const parts = listAt(message, 'content')
    if (typeof role !== 'string' || (parts.length === 0 && listAt(message, 'toolCalls').length === 0)) {
      out.push({ kind: 'skipped', line, reason: 'a message that cannot be read' })
      return
    }
    const standing = this.#standing(line, atMs, out)
    const externalId = this.#idOf(message, atMs)
    this.#note(externalId, line, standing)
    const said = kimiMessage(message, { externalId, createdAtMs: atMs, details: origin.details })
    if (isTyped(message)) this.#title ??= oneLine(said.content)
    const record = recordOf(standing, said, line)
    if (this.#open?.hasRunningCalls) this.#open.waiting.push(record)
    else out.push(record)
  }

  #takeEvent(event: JsonObject, { line, details }: RecordOrigin, atMs: number, out: TranscriptRecord[]): void {
    const type = textAt(event, 'type')
    const begun = type === 'step.begin' ? textAt(event, 'uuid') : null
    if (begun !== null) {
      this.#settle(out)
      this.#open = new OpenAnswer(begun, this.#standing(line, atMs, out), atMs, line, details)
      this.#kept.set(line, begun)
      out.push({ kind: 'other' })
      return
    }
    const open = this.#open
    if (!open?.take(event, atMs, line)) {
      out.push({ kind: 'skipped', line, reason: `an event that belongs to no answer: ${typeName(event.type)}` })
      return
    }
    if (type === 'tool.result') this.#kept.set(line, resultId(open.uuid, textAt(event, 'toolCallId') ?? ''))
    if (type === 'step.end') this.#settle(out)
    else out.push({ kind: 'other' })
  }

  /** What the log tells of an answer is complete, or ends here. */
  #settle(out: TranscriptRecord[]): void {
    const open = this.#open
    if (open === null) return
    this.#open = null
    if (!open.standing.isLive) for (const id of open.externalIds) this.#givenUp.add(id)
    out.push(...open.records(this.#model))
  }

  /** The prompts of the person stay before the summary of the rest. */
  #takeCompaction(record: JsonObject, origin: RecordOrigin, atMs: number, out: TranscriptRecord[]): void {
    const { line, details } = origin
    const written = isObject(record.summary) ? plainText(record.summary.content) : textAt(record, 'summary')
    const text = textAt(record, 'contextSummary') ?? written
    if (text === null) {
      out.push({ kind: 'skipped', line, reason: 'a compaction without a summary that can be read' })
      return
    }
    const standing = this.#standing(line, atMs, out)
    const externalId = this.#ids.next('compaction', String(atMs), text)
    this.#note(externalId, line, standing)
    const facts = {
      preTokens: countAt(record, 'tokensBefore') ?? undefined,
      postTokens: countAt(record, 'tokensAfter') ?? undefined,
    }
    const more = [compactionPart(this.#isAuto, facts), ...this.#spent]
    const harness = { ...details, harness: true }
    const said = {
      externalId,
      role: 'user',
      blocks: [textBlock(text)],
      createdAtMs: atMs,
      details: harness,
      more,
    } as const
    out.push(recordOf(standing, messageOf(said), line))
    this.#spent = []
    if (!standing.isLive) return
    const prompt = this.#prompt === null ? [] : [this.#prompt.id]
    const kept = this.#window.keptAt(line).flatMap((at) => this.#kept.get(at) ?? [])
    out.push({
      kind: 'compaction',
      sessionId: standing.sessionId,
      key: externalId,
      text,
      atMs,
      isAuto: this.#isAuto,
      model: this.#model,
      recordedBy: [externalId],
      replaced: { kind: 'all_but', kept: new Set([...prompt, ...kept]) },
    })
  }

  /** The newest prompt of the program stands in the place of those before it. */
  #takePrompt(text: string, { line, details }: RecordOrigin, atMs: number, out: TranscriptRecord[]): void {
    if (text === this.#prompt?.text) {
      out.push({ kind: 'other' })
      return
    }
    const standing = this.#standing(line, atMs, out)
    const id = this.#ids.next('system', String(atMs), text)
    const said = { externalId: id, role: 'system', blocks: [textBlock(text)], createdAtMs: atMs } as const
    out.push(recordOf(standing, messageOf({ ...said, details: { ...details, harness: true } }), line))
    if (this.#prompt !== null) out.push(neverSent(standing.sessionId, this.#prompt.id, atMs))
    this.#prompt = { id, text }
  }

  /** Prompts have ids. What else is put into the window is told apart by its time and its text. */
  #idOf(message: JsonObject, atMs: number): string {
    const id = textAt(message, 'id')
    if (id !== null) return this.#ids.named(id)
    return this.#ids.next('message', String(atMs), JSON.stringify([message.role, message.content, message.toolCalls]))
  }

  #note(externalId: string, line: number, { isLive }: Standing): void {
    this.#kept.set(line, externalId)
    if (!isLive) this.#givenUp.add(externalId)
  }

  #standing(line: number, atMs: number, out: TranscriptRecord[]): Standing {
    const sessionId = this.#declare(atMs, out)
    const after = this.#window.forks.filter((fork) => fork > line).length
    const { copies, forkedFrom } = this.#session
    const copiedFrom = after <= copies ? [] : forkedFrom.slice(after - copies - 1, after - copies)
    return { sessionId, copiedFrom, isLive: this.#window.isLive(line) }
  }

  #declare(startedAtMs: number, out: TranscriptRecord[]): string {
    if (this.#sessionId !== null) return this.#sessionId
    const { id, parentId, forkedFrom, title, cwd } = this.#session
    const sessionId = this.#from?.sessionId ?? id ?? `file:${basename(this.#source.path)} ${startedAtMs}`
    this.#sessionId = sessionId
    const fork = forkedFrom.length === 0 ? {} : { hasOwnCopies: true }
    out.push({ kind: 'session', sessionId, parentSessionId: parentId, title, cwd, startedAtMs, ...fork })
    return sessionId
  }
}

const recordOf = ({ sessionId, copiedFrom }: Standing, message: NewMessage, line: number): MessageRecord => ({
  kind: 'message',
  sessionId,
  message,
  copiedFrom,
  line,
})

/** Records of what the program did. The texts in them stand in the records of the window, too. */
const bookkeeping: ReadonlySet<string> = new Set([
  ...(['metadata', 'forked', 'agent.switched', 'agent.message.appended', 'agent.turn.started'] as const),
  ...(['agent.turn.ended', 'context.clear', 'context.undo', 'context.undone'] as const),
  ...(['cron.add', 'cron.cursor', 'cron.delete', 'file_history.checkpoint', 'file_history.tracked'] as const),
  ...(['full_compaction.cancel', 'full_compaction.complete', 'goal.clear', 'goal.create', 'goal.update'] as const),
  ...(['interaction.request', 'interaction.resolved', 'interruptionReminder.recorded', 'llm.request'] as const),
  ...(['llm.tools_snapshot', 'mcp.tools_discovered', 'permission.record_approval_result'] as const),
  ...(['permission.set_mode', 'plan.revision', 'plan_mode.cancel', 'plan_mode.enter', 'plan_mode.exit'] as const),
  ...(['plugin.session_start', 'prompt.aborted', 'prompt.completed', 'prompt.steered', 'runtime.set_binding'] as const),
  ...(['subagent.cancelled', 'subagent.completed', 'subagent.failed', 'subagent.spawned', 'subagent.started'] as const),
  ...(['swarm_mode.enter', 'swarm_mode.exit', 'task.started', 'task.terminated', 'task.waitDelivered'] as const),
  ...(['token_counting.measured', 'token_counting.rebased', 'token_counting.truncated'] as const),
  ...(['token_counting.turn_recorded', 'tools.register_user_tool', 'tools.reset_active_tools'] as const),
  ...(['tools.set_active_tools', 'tools.unregister_user_tool', 'tools.update_store', 'tower_mode.enter'] as const),
  ...(['tower_mode.exit', 'turn.cancel', 'turn.ended', 'turn.prompt', 'turn.steer'] as const),
  ...(['turn.step.interrupted', 'turn.step.retrying'] as const),
])
