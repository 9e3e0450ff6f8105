import { firstAbove } from '../binary-search.ts'
import { SUMMARY_LEVELS } from '../contract/lists.ts'
import type { Strata, StrataAxis, StrataInput, StrataMessages, StrataMessagesInput } from '../contract/strata.ts'
import { IN_WINDOW } from '../memory/coverage.ts'
import type { Memory } from '../memory/memory.ts'
import type { Messages } from '../memory/messages.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { readSnapshot } from '../sqlite/read-snapshot.ts'
import type { MemoryReader } from '../systems/reading/memory-reader.ts'
import { startedRuns } from '../systems/records/runs.ts'
import { type Axis, axisOf, nodeRange, rangeOf } from './strata-axis.ts'
import { type MarkRules, marksOf } from './strata-marks.ts'
import { messageColumns } from './strata-messages.ts'

/** For a window with more entries than this it is not shown which of them are left out. */
const MOST_ENTRIES = 50_000

const EVERYTHING: MarkRules = { overlaps: true, unshown: true }

/** A conversation as layers: all of its summaries at once, and its messages a range at a time. */
export class StrataService {
  readonly #db: ReadDb
  readonly #reader: MemoryReader
  readonly #freshTailCount: number
  readonly #rules: MarkRules
  readonly #leftOutOf: (conversationId: number) => ReadonlySet<string>
  readonly #axes = new WeakMap<Messages, Map<StrataAxis, Axis>>()

  /**
   * @param freshTailCount newest raw messages that are never compacted
   * @param leftOut ids of the active items of a conversation that do not go to the model
   */
  constructor(
    db: ReadDb,
    reader: MemoryReader,
    freshTailCount: number,
    rules: MarkRules = EVERYTHING,
    leftOut: (conversationId: number) => ReadonlySet<string> = () => new Set(),
  ) {
    this.#db = db
    this.#reader = reader
    this.#freshTailCount = freshTailCount
    this.#rules = rules
    this.#leftOutOf = leftOut
  }

  /**
   * Returns everything of the strata except the messages.
   * @throws LcmError not_found
   */
  get(input: StrataInput): Strata {
    return readSnapshot(this.#db, () => {
      const memory = this.#reader.memory(input.conversationId)
      const { messages } = memory
      const axis = this.#axis(messages, input.axis)
      const tail = freshTail(memory, input.freshTailCount ?? this.#freshTailCount)
      return {
        conversationId: input.conversationId,
        axis: input.axis,
        extent: axis.extent,
        originMs: axis.originMs,
        totalMessages: messages.length,
        totalTokens: messages.totalTokens,
        maxDepth: memory.summaries.rows.reduce((depth, row) => Math.max(depth, row.depth), -1),
        summaries: summaryColumns(memory, axis),
        window: windowRuns(memory, axis, this.#leftOut(memory)),
        freshTailX: tail === messages.length ? axis.extent : axis.startOf(tail),
        marks: marksOf(memory, axis, this.#rules, isArchived(memory)),
        runs: this.#runs(messages, axis),
        ticks: ticksOf(messages, axis),
      }
    })
  }

  /**
   * Returns the messages of a range, merged into columns. A message that reaches into the range belongs to it.
   * @throws LcmError not_found
   */
  messages(input: StrataMessagesInput): StrataMessages {
    return readSnapshot(this.#db, () => {
      const memory = this.#reader.memory(input.conversationId)
      const axis = this.#axis(memory.messages, input.axis)
      const { x1, ...range } = input
      if (x1 !== undefined) return messageColumns(memory, axis, { ...range, x1 })
      const columns = messageColumns(memory, axis, { ...range, x1: axis.extent })
      return axis.originMs === null ? columns : { ...columns, originMs: axis.originMs }
    })
  }

  /**
   * A very large window is not assembled for this, because that takes longer than somebody who opens a file should
   * wait.
   */
  #leftOut({ window, messages }: Memory): ReadonlySet<string> {
    return window.length > MOST_ENTRIES ? new Set() : this.#leftOutOf(messages.conversationId)
  }

  #axis(messages: Messages, kind: StrataAxis): Axis {
    const axes = this.#axes.get(messages) ?? new Map<StrataAxis, Axis>()
    this.#axes.set(messages, axes)
    const axis = axes.get(kind) ?? axisOf(messages, kind)
    axes.set(kind, axis)
    return axis
  }

  #runs(messages: Messages, axis: Axis): Strata['runs'] {
    return startedRuns(this.#db, messages.conversationId).map(({ runId, atMs, newestSeq }) => {
      // Imported messages have the times of their agent and a run has the time of this machine, so the seq is compared
      // if it is recorded.
      const present = newestSeq === null ? messages.positionAtTime(atMs + 1) : firstAbove(messages.seqs, newestSeq)
      return { x: present === 0 ? 0 : axis.endOf(present - 1), runId, atMs }
    })
  }
}

/**
 * Returns the position of the first of the newest `count` messages of the window. Compacted messages are in no fresh
 * tail.
 */
function freshTail({ messages, window }: Memory, count: number): number {
  let first = messages.length
  let left = count
  for (let item = window.length - 1; item >= 0 && left > 0; item -= 1) {
    const position = window.positionAt(item)
    if (position < 0) continue
    first = Math.min(first, position)
    left -= 1
  }
  return first
}

const isArchived = ({ conversations, messages }: Memory): boolean =>
  (conversations.get(messages.conversationId)?.archivedAtMs ?? null) !== null

function summaryColumns(memory: Memory, axis: Axis): Strata['summaries'] {
  const { summaries, coverage } = memory
  const own = summaries.rows
    .filter(({ index }) => memory.isOwn(index))
    .map((row) => ({ row, range: nodeRange(memory, row.index, axis) }))
    .sort((a, b) => a.row.depth - b.row.depth || a.range[0] - b.range[0] || a.range[1] - b.range[1])
  return {
    id: own.map(({ row }) => row.id),
    depth: own.map(({ row }) => row.depth),
    x0: own.map(({ range }) => range[0]),
    x1: own.map(({ range }) => range[1]),
    tokens: own.map(({ row }) => row.tokens),
    sourceTokens: own.map(({ row }) => coverage.messageTokens(row.index)),
    messages: own.map(({ row }) => coverage.messageCount(row.index)),
    createdAtMs: own.map(({ row }) => row.createdAtMs),
    level: own.map(({ row }) => SUMMARY_LEVELS.indexOf(summaries.levelOf(row.index))),
    inWindow: own.map(({ row }) => (coverage.nodeStates[row.index] === IN_WINDOW ? 1 : 0)),
  }
}

type Tick = { readonly x: number; readonly atMs: number }

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const STEPS = [1, 5, 15]
  .map((minutes) => minutes * MINUTE)
  .concat([1, 3, 6, 12].map((hours) => hours * HOUR))
  .concat([1, 2, 7, 14, 28, 91, 182, 364].map((days) => days * DAY))
const MAX_TICKS = 24

/**
 * Returns round UTC times along x: days, hours, or minutes in a short conversation. On an axis without time a tick
 * stands before the first message at or after its time. When several ticks fall on one x, because nothing was said
 * meanwhile, the last one is kept.
 */
function ticksOf(messages: Messages, axis: Axis): Tick[] {
  const first = messages.clockMs[0]
  const last = messages.clockMs[messages.length - 1]
  if (first === undefined || last === undefined || Number.isNaN(first)) return []
  const step =
    STEPS.find((size) => Math.floor((last - first) / size) < MAX_TICKS) ?? wholeDays((last - first) / MAX_TICKS)
  const ticks = new Map<number, Tick>()
  for (let atMs = Math.ceil(first / step) * step; atMs <= last && ticks.size < MAX_TICKS; atMs += step) {
    const x = axis.originMs === null ? axis.startOf(messages.positionAtTime(atMs)) : atMs - axis.originMs
    ticks.set(x, { x, atMs })
  }
  return [...ticks.values()]
}

const wholeDays = (ms: number): number => (Math.floor(ms / DAY) + 1) * DAY

type WindowRun = Strata['window'][number]

/**
 * Returns the window along the top edge, in its order. Raw messages that follow each other in the window and in the
 * conversation form one run; those that are left out form other runs.
 * @param leftOut ids of active items that do not go to the model
 */
function windowRuns(memory: Memory, axis: Axis, leftOut: ReadonlySet<string>): WindowRun[] {
  const { messages, summaries, window } = memory
  const isOut = (position: number): boolean => leftOut.size > 0 && leftOut.has(memory.messageId(position))
  const flag = (isLeftOut: boolean) => (isLeftOut ? { isLeftOut } : {})
  const runs: WindowRun[] = []
  for (let item = 0; item < window.length; ) {
    const node = window.nodeAt(item)
    if (node >= 0) {
      const [x0, x1] = nodeRange(memory, node, axis)
      const { id, depth, tokens } = summaries.at(node)
      runs.push({ x0, x1, id, depth, items: 1, tokens, ...flag(leftOut.has(id)) })
    }
    const first = window.positionAt(item)
    const isLeftOut = first >= 0 && isOut(first)
    let last = first
    item += 1
    while (last >= 0 && item < window.length && window.positionAt(item) === last + 1 && isOut(last + 1) === isLeftOut) {
      last += 1
      item += 1
    }
    if (first < 0) continue
    const [x0, x1] = rangeOf(axis, first, last)
    const tokens = (messages.tokensBefore[last + 1] as number) - (messages.tokensBefore[first] as number)
    runs.push({ x0, x1, id: null, depth: -1, items: last - first + 1, tokens, ...flag(isLeftOut) })
  }
  return runs
}
