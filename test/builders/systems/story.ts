import type { Role } from '#core/contract/ids.ts'
import { Random } from '../random.ts'

/** What happened in some sessions, before a system stores it. Numbers of messages are unique across sessions. */
export type Story = { readonly sessions: readonly Session[] }

export type Session = {
  readonly id: string
  /** Conversations are numbered from 1. */
  readonly number: number
  readonly messages: readonly StoryMessage[]
  /** Sources come before their dependents. */
  readonly summaries: readonly StorySummary[]
  /** Numbers of messages and ids of summaries, in order. */
  readonly window: readonly (number | string)[]
  readonly files: readonly StoryFile[]
  /** The agent's name for the place of the conversation, in all sessions. */
  readonly key?: string
}

export type StoryMessage = {
  readonly number: number
  /** The number within its conversation, as the system counts. */
  readonly seq: number
  readonly role: Role
  readonly content: string
  readonly tokens: number
  readonly atMs: number
  /** The id in the agent's transcript. */
  readonly entry: string | null
  readonly call: { readonly id: string | null; readonly name: string; readonly input: string } | null
  readonly result: { readonly callId: string | null; readonly name: string | null } | null
  /** True when it has parts: its text, its call, its result. */
  readonly hasParts: boolean
  /** The reasoning of the agent before the text. */
  readonly reasoning?: string
  /** The large file with its text. */
  readonly fileId?: string
}

export type StorySummary = {
  readonly id: string
  readonly depth: number
  readonly content: string
  readonly tokens: number
  readonly atMs: number
  /** Numbers of its own messages, or ids of its source summaries. */
  readonly messages: readonly number[]
  readonly sources: readonly string[]
  readonly model: string | null
  readonly fileIds?: readonly string[]
}

export type StoryFile = {
  readonly id: string
  readonly name: string
  readonly mime: string | null
  readonly bytes: number | null
  readonly uri: string
  readonly about: string
  readonly atMs: number
  readonly lines?: number
}

export type StorySpec = {
  readonly seed: number
  readonly sessions?: number
  /** The most turns of each session. */
  readonly turns?: number
  /** The most and the fewest messages of a leaf. */
  readonly leafMessages?: number
  readonly leastLeafMessages?: number
  readonly fanIn?: number
  /** The number of messages at the end of each session that no summary covers. */
  readonly tail?: number
  /** True when no leaf ends between a call and its result. */
  readonly keepsPairs?: boolean
}

const WORDS =
  'lease cursor billing ledger webhook retry payload tenant snapshot rollout beacon harbour violet copper lantern meadow'.split(
    ' ',
  )
const OTHERS = [
  'エラー処理を確認',
  'Größe überprüfen',
  'проверка очереди',
  '日志里出现了错误',
  'naïve café ☕',
  'a%b_c \'quoted" <tag> & more',
]
const BEGIN_MS = Date.UTC(2026, 4, 4, 8)
const SECOND_MS = 1000

/** The tokens of a text in all systems. decapod derives them from the bytes. */
export const storyTokens = (content: string): number => Math.ceil(Buffer.byteLength(content) / 4)

/**
 * The same seed gives the same story. Every text is unique, times are whole seconds, and the order is that of the
 * numbers.
 */
export function tellStory(spec: StorySpec): Story {
  const random = new Random(spec.seed)
  let number = 0
  let atMs = BEGIN_MS
  const sentence = (): string => {
    const words = Array.from({ length: random.int(4, 14) }, () => random.pick(WORDS))
    return `${words.join(' ')}${random.chance(0.25) ? ` ${random.pick(OTHERS)}` : ''}.`
  }
  const sessions = Array.from({ length: spec.sessions ?? 2 }, (_, index): Session => {
    const messages: StoryMessage[] = []
    const say = (role: Role, text: string, more: Partial<StoryMessage> = {}): void => {
      number += 1
      atMs += random.int(0, 90) * SECOND_MS
      const content = `[${number}] ${text}`
      messages.push({
        number,
        seq: messages.length,
        role,
        content,
        tokens: storyTokens(content),
        atMs,
        entry: null,
        call: null,
        result: null,
        hasParts: true,
        ...more,
      })
    }
    if (random.chance(0.5)) say('system', `You are careful. ${sentence()}`)
    for (let turn = random.int(1, (spec.turns ?? 8) + 1); turn > 0; turn -= 1) {
      say('user', sentence())
      for (let round = random.int(0, 3); round > 0; round -= 1) {
        const call = { id: `call_${number}_${index}`, name: random.pick(['read', 'bash', 'edit']) }
        const input = JSON.stringify({ path: `src/${random.pick(WORDS)}.ts`, limit: random.int(1, 400) })
        say('assistant', sentence(), { call: { ...call, input } })
        say('tool', `${sentence()}\n${sentence()}`, { result: { callId: call.id, name: call.name } })
      }
      say('assistant', sentence())
    }
    const session = { id: `session-${index + 1}`, number: index + 1, messages }
    return { ...session, ...summarised(session, spec, random, sentence), files: filesOf(session, random, sentence) }
  })
  return { sessions }
}

/** Makes leaves over messages before the tail, condenses the oldest of them, and so on. */
function summarised(
  { messages }: Pick<Session, 'id' | 'messages'>,
  spec: StorySpec,
  random: Random,
  sentence: () => string,
): Pick<Session, 'summaries' | 'window'> {
  const summaries: StorySummary[] = []
  const lead = messages[0]?.role === 'system' ? 1 : 0
  const end = Math.max(lead, messages.length - (spec.tail ?? 4))
  let atMs = messages.at(-1)?.atMs ?? BEGIN_MS
  const make = (made: Pick<StorySummary, 'depth' | 'messages' | 'sources'>): StorySummary => {
    atMs += random.int(1, 20) * SECOND_MS
    const text = `Summary of depth ${made.depth}: ${sentence()} ${sentence()}`
    const content = `${text} {${messages[0]?.number}.${summaries.length}}`
    const summary = {
      ...made,
      id: `sum_${(messages[0]?.number ?? 0).toString(16).padStart(8, 'c')}${summaries.length.toString(16).padStart(8, '0')}`,
      content,
      tokens: storyTokens(content),
      atMs,
      model: null,
    }
    summaries.push(summary)
    return summary
  }
  let tops: StorySummary[] = []
  const most = (spec.leafMessages ?? 4) + 1
  const sizeAt = (from: number): number => {
    let size = random.int(spec.leastLeafMessages ?? 2, most)
    while (spec.keepsPairs && messages[from + size]?.role === 'tool') size += 1
    return size
  }
  for (let from = lead, size = sizeAt(from); from + size <= end; from += size, size = sizeAt(from)) {
    tops.push(make({ depth: 0, messages: messages.slice(from, from + size).map((m) => m.number), sources: [] }))
  }
  const fanIn = spec.fanIn ?? 2
  for (let depth = 1; depth <= 3 && tops.filter((top) => top.depth === depth - 1).length > fanIn; depth += 1) {
    const higher: StorySummary[] = []
    const level = tops.filter((top) => top.depth === depth - 1)
    while (level.length > fanIn)
      higher.push(make({ depth, messages: [], sources: level.splice(0, fanIn).map((s) => s.id) }))
    const shallower = tops.filter((top) => top.depth < depth - 1)
    tops = [...tops.filter((top) => top.depth >= depth), ...higher, ...level, ...shallower]
  }
  const covered = new Set(summaries.flatMap((summary) => summary.messages))
  const open = messages.filter((message) => !covered.has(message.number)).map((message) => message.number)
  return { summaries, window: [...open.slice(0, lead), ...tops.map((top) => top.id), ...open.slice(lead)] }
}

function filesOf(
  { id, messages }: Pick<Session, 'id' | 'messages'>,
  random: Random,
  sentence: () => string,
): StoryFile[] {
  return Array.from({ length: random.int(0, 3) }, (_, index) => ({
    id: `file_${id.replace(/\D/g, '').padStart(14, '0')}${String(index).padStart(2, '0')}`,
    name: `${random.pick(WORDS)}-${index}.log`,
    mime: 'text/plain',
    bytes: random.int(1000, 90_000),
    uri: `/nowhere/${id}/${index}.log`,
    about: sentence(),
    atMs: messages[0]?.atMs ?? BEGIN_MS,
  }))
}

/** Returns the story after a change in every session. */
export const inEverySession = (story: Story, change: (session: Session) => Partial<Session>): Story => ({
  sessions: story.sessions.map((session) => ({ ...session, ...change(session) })),
})

export const inEveryMessage = (
  story: Story,
  change: (message: StoryMessage, position: number) => Partial<StoryMessage>,
): Story =>
  inEverySession(story, ({ messages }) => ({
    messages: messages.map((message, position) => ({ ...message, ...change(message, position) })),
  }))

/** Returns the story with summaries of a few words, which are smaller than their sources however short these are. */
export const inFewWords = (story: Story): Story =>
  inEverySession(story, ({ summaries }) => ({
    summaries: summaries.map((summary, index) => ({ ...summary, content: `So far ${index}.`, tokens: 3 })),
  }))

/** Gives summaries other ids, wherever they are named. */
export function renamed(story: Story, nameOf: (summary: StorySummary, index: number) => string): Story {
  const names = new Map(
    story.sessions.flatMap(({ summaries }) => summaries).map((summary, index) => [summary.id, nameOf(summary, index)]),
  )
  const name = (id: string): string => names.get(id) ?? id
  return inEverySession(story, ({ summaries, window }) => ({
    summaries: summaries.map((summary) => ({ ...summary, id: name(summary.id), sources: summary.sources.map(name) })),
    window: window.map((item) => (typeof item === 'string' ? name(item) : item)),
  }))
}

/** Returns every message that a summary covers. */
export function coveredMessages(session: Session, id: string): StoryMessage[] {
  const summary = session.summaries.find((one) => one.id === id)
  const own = session.messages.filter((message) => summary?.messages.includes(message.number))
  return [...own, ...(summary?.sources ?? []).flatMap((source) => coveredMessages(session, source))].sort(
    (a, b) => a.number - b.number,
  )
}

export const summariesCovered = (session: Session, id: string): number =>
  (session.summaries.find((one) => one.id === id)?.sources ?? []).reduce(
    (sum, source) => sum + 1 + summariesCovered(session, source),
    0,
  )

/** Returns the tokens of all sources of a summary. */
export const tokensCovered = (session: Session, id: string): number =>
  (session.summaries.find((one) => one.id === id)?.sources ?? []).reduce(
    (sum, source) =>
      sum + (session.summaries.find((one) => one.id === source)?.tokens ?? 0) + tokensCovered(session, source),
    0,
  )
