import { ROLES } from '../../contract/lists.ts'
import type { SystemId } from '../../contract/memory.ts'
import type { CheckContext, Finding } from './check.ts'

/** What a system does on purpose although it would be damage in a file of ours: a family of findings. */
export type Way = {
  readonly check: string
  /** Why it is so, and what it means for the reader. */
  readonly why: (label: string) => string
  /** Whether this finding is of the family; absent: every one at a node with which nothing is wrong in the original. */
  readonly isSo?: (context: CheckContext, finding: Finding) => boolean
}

/** Of a leaf more went in than its messages: the number can be too large, never too small. */
function isMoreThanMessages({ facts }: CheckContext, { id }: Finding): boolean {
  const index = facts.summaries.indexOf(id ?? '')
  if (index < 0) return false
  const { kind, recordedTokens } = facts.summaries.at(index)
  return kind === 'leaf' && (recordedTokens ?? 0) > (facts.extents.messageTokens[index] as number)
}

/** Where a place is the number of the message in the whole file: all that are missing are of other conversations. */
function isTakenElsewhere({ facts: { messages } }: CheckContext, { id }: Finding): boolean {
  const place = messages.indexOf(Number(id?.slice('msg_'.length)))
  if (place < 1) return false
  for (let seq = (messages.seqs[place - 1] as number) + 1; seq < (messages.seqs[place] as number); seq += 1) {
    if (messages.indexOf(seq) < 0) return false
  }
  return true
}

const isSummary = ({ facts }: CheckContext, { id }: Finding): boolean => facts.summaries.indexOf(id ?? '') >= 0

const SYSTEM = ROLES.indexOf('system')

/** Whether all that begins later and stands before it are deeper summaries, or the system's own message. */
function isBehindDeeper({ facts }: CheckContext, { id, conversationId }: Finding): boolean {
  const { window, summaries, extents, messages } = facts
  const own = summaries.indexOf(id ?? '')
  if (own < 0) return false
  for (let item = 0; item < window.length; item += 1) {
    if (window.conversations[item] !== conversationId) continue
    const target = window.targets[item] as number
    const isOther = window.isSummary[item] === 1
    if (isOther && target === own) return true
    if (target < 0) continue
    if (!isOther && messages.roles[target] === SYSTEM) continue
    const first = isOther ? (extents.first[target] as number) : target
    const isLater = first > (extents.first[own] as number)
    if (isLater && !(isOther && summaries.at(target).depth > summaries.at(own).depth)) return false
  }
  return false
}

/** The other half of the pair is in the file, and merely not in the window. */
const hasOtherHalf = (_: CheckContext, { mark }: Finding): boolean => mark?.startsWith('msg_') === true

const lossless: readonly Way[] = [
  {
    check: 'sequence_gap',
    why: (label) =>
      `${label} takes single turns out of a conversation by itself, such as a heartbeat without an answer. Nothing that was said to anybody is missing.`,
  },
]

const afterReset = (label: string): string =>
  `The session was begun anew in ${label}, which emptied its window: what was said before is kept, and is not shown any more.`

const hermesPruned = (label: string): string =>
  `${label} deletes the shallow summaries of a session that has ended and keeps the deeper ones that were made of them. Those stand; they cannot be expanded to the end.`

const hermesEnded = (label: string): string =>
  `${label} shows the current session alone, with the deep summaries of those before it. What was said in a session that has ended is kept, and is not shown any more.`

const unwindowed = (label: string): string => `${label} makes summaries of whatever it is asked for`

/** By the system that a memory was copied from. What none of these describes is a fault in the copy as anywhere. */
const WAYS: Readonly<Record<SystemId, readonly Way[]>> = {
  native: [],
  'lossless-claw': [
    ...lossless,
    { check: 'coverage_gap', why: afterReset },
    { check: 'orphan_summary', why: afterReset },
  ],
  'lossless-claude': lossless,
  'hermes-lcm': [
    {
      check: 'descendant_count',
      why: (label) =>
        `${label} sends the summaries before a stretch along with its messages, and counts them among what the leaf was made from. The number is larger than that of the messages, and right.`,
      isSo: isMoreThanMessages,
    },
    {
      check: 'sequence_gap',
      why: (label) =>
        `${label} numbers the messages of all its sessions in one row. The numbers between are of other conversations; none is missing.`,
      isSo: isTakenElsewhere,
    },
    { check: 'coverage_gap', why: hermesEnded },
    { check: 'orphan_summary', why: hermesEnded },
    { check: 'dangling_edge', why: hermesPruned },
    { check: 'foreign_keys', why: hermesPruned },
    {
      check: 'context_order',
      why: (label) =>
        `${label} sends its system message first, then the summaries, the deepest first, whatever time they are of. The copy keeps the order that the model saw.`,
      isSo: isBehindDeeper,
    },
    {
      check: 'fresh_tail_compacted',
      why: (label) =>
        `${label} shows the messages behind the one up to which it has compacted, and it had compacted them all. The next message is in the window again.`,
    },
  ],
  argentos: [
    {
      check: 'context_order',
      why: (label) =>
        `${label} stores a new summary behind the newest message of its time, not where the history stood that it replaced, and sends all summaries first. The copy keeps the order that was stored.`,
      isSo: isSummary,
    },
    {
      check: 'source_order',
      why: (label) => `${label} stores the sources of a summary without an order. They are listed by their numbers.`,
    },
  ],
  'pi-lcm': [
    {
      check: 'orphan_summary',
      why: (label) =>
        `${label} shows only the newest summary of each depth and names the others in a line, so that an agent may ask for them.`,
    },
    {
      check: 'coverage_gap',
      why: (label) =>
        `These messages are in a summary that is not the newest of its depth, and ${label} shows only those. An agent has to ask for it.`,
    },
    {
      check: 'double_inclusion',
      why: (label) =>
        `${label} shows the newest summary of each depth, also where the deeper one was made from the other. Its model reads of that stretch twice.`,
      isSo: isSummary,
    },
    {
      check: 'sequence_gap',
      why: (label) => `${label} does not number messages without gaps: one that it takes for a repetition is dropped.`,
    },
    {
      check: 'context_order',
      why: (label) =>
        `${label} sends the newest summary of each depth, the deepest first, whatever time they are of. The copy keeps the order that the model saw.`,
      isSo: isBehindDeeper,
    },
    {
      check: 'fresh_tail_compacted',
      why: (label) =>
        `${label} keeps no fresh tail: what is long enough is compacted up to the newest message. Pi itself adds the messages that it still holds.`,
    },
    {
      check: 'tool_pair_split',
      why: (label) =>
        `${label} compacts up to any message, also between a call and its result. Pi itself adds the messages that it still holds, so that its model sees both.`,
      isSo: hasOtherHalf,
    },
  ],
  decapod: [
    {
      check: 'orphan_summary',
      why: (label) => `${unwindowed(label)}, beside the messages. They stand in no window, and nothing is lost by it.`,
    },
    {
      check: 'double_coverage',
      why: (label) =>
        `${unwindowed(label)}, again and again over the same messages. They stand in no window, so that the model is told nothing twice.`,
    },
    {
      check: 'cross_conversation_edge',
      why: (label) => `${unwindowed(label)}, across sessions too. They stand in no window.`,
    },
    {
      check: 'not_smaller_than_sources',
      why: (label) =>
        `${label} lists what it summarises with a heading each instead of shortening it. The list stands in no window.`,
    },
  ],
}

export const waysOf = (system: SystemId): readonly Way[] => WAYS[system]
