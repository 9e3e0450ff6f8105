import { sha256 } from '#core/hashing.ts'
import { ABSENT } from '#core/memory/coverage.ts'
import type { WindowEntry } from '#core/memory/draft.ts'
import { isNative } from '#core/systems/native/native.ts'
import { messageNumber } from '#core/systems/reading/node-id.ts'
import type { Fix } from '#core/systems/rules/fix.ts'
import type { Inspector, Rule, RuleContext } from '#core/systems/rules/rule.ts'
import { type Finding, findIn, isAsked, oncePerScan } from '#core/systems/rules/scanned-memory.ts'
import { plural } from '#core/text.ts'
import { takeFromWindow } from '../repair/window-entries.ts'
import { findRepetitions, type Repetition } from './repeated-messages.ts'
import { repeatedCalls } from './tool-results.ts'

/** What is compared of each message, by position. Kept as texts, a million of them would take ten times as much. */
const comparedTexts = oncePerScan(({ memory }: RuleContext) => ({
  prints: new Float64Array(memory.messages.length).fill(Number.NaN),
  isBlank: new Uint8Array(memory.messages.length),
}))

/** Characters of a hash that a number holds exactly beside a role: 48 bits. */
const HASH_CHARS = 12

function keepText(context: RuleContext): Inspector {
  const { prints, isBlank } = comparedTexts(context)
  const { roles } = context.memory.messages
  return ({ position, hash, content }) => {
    if (position < 0 || content === null) return null
    // A damaged file may hold another value in the place of a hash.
    const of = typeof hash === 'string' ? hash : sha256(content)
    prints[position] = Number.parseInt(of.slice(0, HASH_CHARS), 16) * 16 + (roles[position] as number)
    if (content.length < 100 && content.trim() === '') isBlank[position] = 1
    return null
  }
}

function* repetitions(context: RuleContext): Generator<null, readonly Repetition[]> {
  const hasCallIds = context.info.capabilities.parts
  const calls = new Map<number, string[]>()
  const add = (position: number, callId: string): void => {
    calls.set(position, [...(calls.get(position) ?? []), callId])
  }
  for (const one of hasCallIds ? yield* repeatedCalls(context) : []) {
    // Several results of one call are another fault, which is told by its own rule.
    if (one.calls.length < 2) continue
    for (const position of [...one.calls, ...one.results]) add(position, one.callId)
  }
  const inOrder = new Map([...calls].toSorted(([a], [b]) => a - b))
  const { messages } = context.memory
  // Imported messages may have one time for all, since some transcripts record no times.
  const hasOwnTimes = !isNative(context.info)
  return yield* findRepetitions({ messages, ...comparedTexts(context), calls: inOrder, hasCallIds, hasOwnTimes })
}

/** Repetitions that follow each other as their originals do. */
type Block = readonly [Repetition, ...Repetition[]]

function blocksOf(found: readonly Repetition[]): Block[] {
  const blocks: [Repetition, ...Repetition[]][] = []
  for (const one of found) {
    const last = blocks.at(-1)?.at(-1)
    if (last && one.copy === last.copy + 1 && one.original === last.original + 1) blocks.at(-1)?.push(one)
    else blocks.push([one])
  }
  return blocks
}

const WHY = {
  calls: 'made the same calls',
  times: 'has the same time',
  block: 'came again in the same order at once',
} as const satisfies Record<Repetition['why'], string>

function* findStoredAgain(context: RuleContext): Iterable<Finding | null> {
  const { memory } = context
  const { messages, window, coverage } = memory
  const isShown = (position: number): boolean => coverage.messageStates[position] !== ABSENT
  const all = yield* repetitions(context)
  // Where the window leads to one of the two only, nothing is sent twice: the other one was taken out of it.
  const shown = all.filter(({ copy, original }) => isShown(copy) && isShown(original))
  for (const block of blocksOf(shown)) {
    const conversationId = memory.messageConversation(block[0].copy)
    yield null
    if (!isAsked(context, conversationId)) continue
    const tokens = block.reduce((sum, { copy }) => sum + (window.messageCounts[copy] === 0 ? 0 : tokensAt(copy)), 0)
    const cost = tokens === 0 ? '' : `; ${tokens.toLocaleString('en')} tokens in the window are spent twice`
    for (const { copy, original, why } of block) {
      const first = memory.messageId(original)
      const among = block.length === 1 ? '' : `, one of ${block.length} in a row`
      const detail = `is ${first} stored again (${WHY[why]})${among}${cost}`
      yield { id: memory.messageId(copy), conversationId, detail, mark: first }
    }
  }

  function tokensAt(position: number): number {
    return Math.max(0, messages.tokens[position] as number) || 0
  }
}

/** What a finding of two equal messages says. Two messages of one entry of the transcript may have different texts. */
const ORIGINAL = /^is msg_(-?\d+) stored again/

const takeCopies: Fix = {
  name: 'duplicate_message',
  stage: 'copies of messages',
  reads: ['window', 'edges', 'summaries'],
  *apply(context) {
    const { draft, conversationId } = context
    if (conversationId === null) return
    const copies = new Set(
      context.findings.flatMap(({ id, detail }) => (ORIGINAL.test(detail) ? (messageNumber(id ?? '') ?? []) : [])),
    )
    const isCopy = ({ messageId }: WindowEntry): boolean => messageId !== null && copies.has(messageId)
    const taken = draft.window(conversationId).flatMap((entry) => (isCopy(entry) ? (entry.messageId ?? []) : []))
    if (taken.length === 0) return
    const tokens = taken.reduce((sum, id) => sum + draft.messages.tokensOf(id), 0)
    takeFromWindow(draft, conversationId, isCopy)
    yield {
      title: `Take ${plural(taken.length, 'repeated message')} of ${plural(tokens, 'token')} out of the window`,
      rule: 'The first of two equal messages stays where it is. The second one stays in the file and is not sent any more.',
      risk: 'safe',
      nodes: taken.map((id) => `msg_${id}`),
      setAside: taken,
    }
  },
}

export const duplicateRules = [
  {
    id: 'duplicate_message',
    group: 'content',
    severity: 'warning',
    phase: 'text',
    invariant: 'A message is stored once.',
    explanation:
      'The same messages were recorded twice: the model is shown them twice, the window pays for both, and counts are too high.',
    fixes: [takeCopies],
    advice:
      'Make a repair plan ("lcm repair", for a file of another system in a working copy): it takes the second copies out of the window and leaves them in the file. What a summary stands for stays. "lcm coverage" with the transcript names what arrived twice. Messages are never changed by the app.',
    find: function* (context) {
      for (const { column, sql } of context.system.facts.entryKeys) {
        if (context.probe.has('messages', column)) yield* findIn(context, [], sql)
      }
      yield* findStoredAgain(context)
    },
    messageTexts: keepText,
  },
] as const satisfies readonly Rule[]
