import type { LossReport, LostDetail } from '../contract/loss.ts'
import type { CompactionEvent, Moment } from '../contract/time-travel.ts'
import type { LossInput } from '../contract/trace.ts'
import { LcmError } from '../errors.ts'
import type { Memory } from '../memory/memory.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import type { MemoryReader } from '../systems/reading/memory-reader.ts'
import { messageRangeIn } from '../systems/reading/message-range.ts'
import { undoneRuns } from '../systems/records/runs.ts'
import { excerptOf } from '../text.ts'
import { storedPlacements } from '../window/placements.ts'
import type { PastWindow, TimeTravel } from '../window/time-travel/time-travel.ts'
import { tokenCount } from '../window/window.ts'
import { inSlices, TimeSlice } from '../yielding.ts'
import { mayStandIn, readingDetails, type Sentence, type ToldText } from './details.ts'
import { FateFinder } from './fates.ts'
import { nodeFacts } from './ladder.ts'
import {
  type DetailLoss,
  isChanged,
  keyOf,
  listed,
  type PathComparison,
  separateCounters,
  Tally,
} from './loss-tally.ts'
import { fallsOf, KEPT, NodeComparer, SourceValues } from './node-fates.ts'
import { textsOf, toldTextsOf, windowIds } from './node-texts.ts'
import { SummaryMakers } from './summary-makers.ts'
import { indexOf, type TextIndexes } from './text-indexes.ts'
import { atSummary, type Change, groupsOf, ofMessages } from './window-change.ts'

export type LossOptions = {
  readonly db: ReadDb
  readonly reader: MemoryReader
  readonly indexes: TextIndexes
  readonly timeTravel: TimeTravel
}

/** The details of messages and summaries that share their way to the window are compared together, in such batches. */
const BATCH_CHARS = 60_000
/** At most this many characters of a window are searched for what fell on the way to it. */
const MOST_WINDOW_CHARS = 4_000_000
const NEVER = new AbortController().signal

/** How much of what left the window is read, and how the sentence goes on that says so. */
export type MostRead = { readonly chars: number; readonly note: string }
const MOST_READ: MostRead = {
  chars: 60_000_000,
  note: ': choose moments that are nearer to each other, or one summary.',
}

/** Lists the details that a compaction, or everything between two moments, dropped from a window or changed. */
export class LossReporter {
  readonly #options: LossOptions

  constructor(options: LossOptions) {
    this.#options = options
  }

  /** @throws LcmError not_found, cancelled */
  async report(input: LossInput, signal: AbortSignal = NEVER, most: MostRead = MOST_READ): Promise<LossReport> {
    const began = performance.now()
    refuseTwoQuestions(input)
    const { db, reader } = this.#options
    const slice = new TimeSlice(signal, 'The report was cancelled.')
    await reader.prepareMemory(input.conversationId)
    const memory = reader.memory(input.conversationId)
    const change = this.#change(memory, input)
    const isAfter = new Set(change.after)
    const tally = new Tally()
    const notes = [...change.notes]
    const makers = SummaryMakers.of(db, memory)
    const sources = new SourceValues(db, memory)
    const lost: DetailLoss[] = []
    let chars = 0
    for (const { way, ids } of groupsOf(memory, change.left, isAfter)) {
      let batch: ToldText[] = []
      let length = 0
      const flush = async (): Promise<void> => {
        if (batch.length > 0) lost.push(...(await this.#compare(memory, batch, way, sources, tally, slice, signal)))
        batch = []
        length = 0
      }
      for (const texts of toldTextsOf(db, memory, ids)) {
        for (const text of texts) {
          batch.push(text)
          length += text.text.length
          chars += text.text.length
          if (length >= BATCH_CHARS) await flush()
        }
        await slice.yieldIfOver()
      }
      await flush()
      if (chars < most.chars) continue
      notes.push(`More left the window than is read for one report${most.note}`)
      break
    }
    const all = await this.#notAfter(lost, change.after, memory, tally, slice, signal)
    const { gone, counters } = separateCounters(all)
    for (const counter of counters) tally.leaveOut(counter)
    if (counters.length > 0) notes.push(countersNote(counters.length))
    const [changed, dropped] = [listed(gone.filter(isChanged)), listed(gone.filter((one) => !isChanged(one)))]
    const entries = (some: readonly DetailLoss[]): LostDetail[] =>
      some.slice(0, input.limit).map((one) => entryOf(one, memory, makers))
    return {
      conversationId: input.conversationId,
      fromAtMs: change.fromAtMs,
      toAtMs: change.toAtMs,
      dropped: entries(dropped),
      changed: entries(changed),
      counts: tally.counts(change.left.length, dropped, changed),
      notes,
      tookMs: performance.now() - began,
    }
  }

  #change(memory: Memory, input: LossInput): Change {
    if (input.summaryId !== undefined) return atSummary(memory, input.summaryId)
    return input.fromMessage === undefined && input.toMessage === undefined
      ? this.#between(memory, input)
      : ofMessages(memory, messageRangeIn(this.#options.db, memory, input))
  }

  /** Returns what left the window in a run, or between two moments: by default, since before the last compaction. */
  #between(memory: Memory, { conversationId, from, to, runId }: LossInput): Change {
    const { timeTravel } = this.#options
    const undone = undoneRuns(this.#options.db, conversationId)
    if (runId !== undefined && undone.has(runId)) throw undoneError(runId)
    const end: Moment | undefined = runId === undefined ? to : { runId }
    // A run that is not there is refused before the moment before it is looked for.
    const after = end === undefined ? null : timeTravel.entriesAt(conversationId, end)
    const timeline = from === undefined ? timeTravel.timeline(conversationId) : null
    const events = timeline?.events.filter((event) => !undone.has(event.runId)) ?? []
    const start = from ?? beforeRun(memory, events, runId)
    const pruned = timeline?.prunings?.find((one) => one.runId === runId)
    if (start === null)
      return {
        left: [],
        after: windowIds(memory),
        fromAtMs: null,
        toAtMs: null,
        notes: [pruned ? PRUNED_ONLY : 'This conversation was never compacted.'],
      }
    const at = timeTravel.entriesAt(conversationId, start)
    const run = from === undefined ? (runId ?? events.at(-1)?.runId) : undefined
    const exact = at.reconstructed && run !== undefined ? timeTravel.entriesBeforeRun(conversationId, run) : null
    const before = exact === null ? at : { ...at, placed: exact, reconstructed: false }
    if (after !== null && isLater(before, after)) {
      const message = 'from: This moment is later than the one given as to. Exchange the two.'
      throw new LcmError('invalid_argument', message, { from, to })
    }
    const [was, is] = [before.placed ?? storedPlacements(memory), after?.placed ?? storedPlacements(memory)].map(
      (placed) => windowIds(memory, placed),
    ) as [string[], string[]]
    const there = new Set(is)
    const notes =
      before.reconstructed || after?.reconstructed
        ? ['The file records no windows of the past: they were inferred from the times of its summaries.']
        : []
    return {
      left: was.filter((id) => !there.has(id)),
      after: is,
      fromAtMs: before.atMs,
      toAtMs: after?.atMs ?? null,
      notes: pruned ? [...notes, PRUNED_ONLY] : notes,
    }
  }

  /** Compares the details of some texts with each node on their way. */
  async #compare(
    memory: Memory,
    texts: readonly ToldText[],
    way: readonly number[],
    sources: SourceValues,
    tally: Tally,
    slice: TimeSlice,
    signal: AbortSignal,
  ): Promise<DetailLoss[]> {
    const details = await inSlices(readingDetails(texts), signal)
    const comparer = new NodeComparer({ ...this.#options, sources, memory, details, slice })
    const nodes = await comparer.along(way)
    const listed = details.sentences.flatMap((sentence) => sentence.details.map((detail) => ({ detail, sentence })))
    const isSaidAtFoot = { id: '', text: '', field: null, nearest: null, title: '', fates: listed.map(() => KEPT) }
    const falls = fallsOf(isSaidAtFoot, nodes)
    const compared: PathComparison = { way, nodes }
    const seqs = details.texts.map(({ id }) => nodeFacts(memory, id).seq)
    const lost: DetailLoss[] = []
    for (const [index, { detail, sentence }] of listed.entries()) {
      const end = nodes.at(-1)?.fates[index]?.fate ?? 'dropped'
      const key = keyOf(detail, sentence.claim.text)
      tally.see(key, end)
      const fall = falls[index] ?? -1
      if (way.length > 0 && fall < 0) continue
      const { id = '', isSaid = false } = details.texts[detail.told] ?? {}
      const seq = seqs[detail.told] ?? null
      lost.push({ detail, key, sentence: sentence.claim.text, id, seq, isSaid, compared, index, fall })
      if (slice.isOver) await slice.yield()
    }
    return lost
  }

  /** Leaves out what stands somewhere else in the window. */
  async #notAfter(
    lost: readonly DetailLoss[],
    after: readonly string[],
    memory: Memory,
    tally: Tally,
    slice: TimeSlice,
    signal: AbortSignal,
  ): Promise<DetailLoss[]> {
    const [only] = after.length === 1 ? after : []
    const isComparedWithAll = ({ compared: { way } }: DetailLoss): boolean =>
      way.length > 0 && memory.summaries.at(way.at(-1) as number).id === only
    // The way of each ends at the only summary that the window holds now, and each was compared with it.
    if (lost.every(isComparedWithAll)) return [...lost]
    const { index } = await indexOf(textsOf(this.#options.db, after.toReversed()), slice, MOST_WINDOW_CHARS)
    const gone: DetailLoss[] = []
    const bySentence = [...Map.groupBy(lost, ({ sentence }) => sentence)]
    for (let from = 0; from < bySentence.length; ) {
      let [to, length] = [from, 0]
      while (to < bySentence.length && length < BATCH_CHARS) length += bySentence[to++]?.[0].length ?? 0
      const some = bySentence.slice(from, to)
      const texts = some.map(
        ([text], place) =>
          ({ id: String(place), kind: 'message', field: 'content', part: null, text, isSaid: true }) as const,
      )
      const details = await inSlices(readingDetails(texts, null, mayStandIn([index])), signal)
      const finder = new FateFinder(details, index)
      const standing = new Set<string>()
      for (const sentence of details.sentences) {
        for (const key of standingOf(sentence, finder.keptOf(sentence))) standing.add(key)
        if (slice.isOver) await slice.yield()
      }
      for (const [place, [, ones]] of some.entries()) {
        for (const one of ones) {
          if (standing.has(`${place} ${one.key}`)) tally.standsElsewhere(one)
          else gone.push(one)
        }
      }
      from = to
    }
    return gone
  }
}

function entryOf(one: DetailLoss, memory: Memory, makers: SummaryMakers): LostDetail {
  const { detail, sentence, id, seq, compared, index, fall } = one
  const { way, nodes } = compared
  const made = way[fall] === undefined ? null : makers.at(way[fall])
  const { role, depth } = nodeFacts(memory, id)
  const ladder = nodes.map((node, at) => ({
    id: node.id,
    depth: tokenCount(memory.summaries.at(way[at] as number).depth),
    state: node.fates[index]?.fate ?? ('unknown' as const),
  }))
  const changed = nodes.slice(Math.max(0, fall)).find(({ fates }) => fates[index]?.fate === 'changed')
  return {
    kind: detail.kind,
    text: excerptOf(detail.text, 400),
    sentence: excerptOf(sentence, 400),
    messageId: id,
    role,
    seq,
    atSummary: made?.id ?? null,
    depth: made?.depth ?? null,
    runId: made?.runId ?? null,
    run: made?.run ?? null,
    atMs: made?.atMs ?? null,
    instead: changed?.fates[index]?.instead ?? null,
    ladder: [{ id, depth, state: 'kept' }, ...ladder],
  }
}

const PRUNED_ONLY =
  'This run took outputs out of the window and put no summary in their place: their messages are still there.'

/** @throws LcmError invalid_argument when more than one thing is asked about */
function refuseTwoQuestions({ from, to, runId, summaryId }: LossInput): void {
  const asked = [
    from !== undefined || to !== undefined ? 'two moments (from, to)' : null,
    runId !== undefined ? 'a run' : null,
    summaryId !== undefined ? 'a summary' : null,
  ].filter((one) => one !== null)
  if (asked.length < 2) return
  const message = `A loss report is about ${asked.join(' or about ')}, not about both: give one of them.`
  throw new LcmError('invalid_argument', message, { from, to, runId, summaryId })
}

const undoneError = (runId: string): LcmError =>
  new LcmError(
    'conflict',
    `Run ${runId} was taken back: nothing that it replaced is missing in the window. Name another run, or two moments.`,
    { runId },
  )

const countersNote = (count: number): string =>
  `${count.toLocaleString('en-US')} numbers of sentences that only count, such as steps, are left out.`

const isLater = (one: PastWindow, other: PastWindow): boolean =>
  one.events > other.events ||
  (one.events === other.events && one.atMs !== null && other.atMs !== null && one.atMs > other.atMs)

/**
 * Returns the moment just before a run, by default the last one, or the last event where runs are not recorded. That is
 * after the newest message, or after the run before if nothing was said between the two. Null when nothing was replaced.
 */
function beforeRun(memory: Memory, events: readonly CompactionEvent[], runId: string | undefined): Moment | null {
  const last = events.at(-1)
  const meant = runId ?? last?.runId
  const first = meant === '' ? events.length - 1 : events.findIndex((event) => event.runId === meant)
  const event = events[first]
  if (event === undefined) return null
  const previous = events[first - 1]
  if (previous !== undefined && previous.messages >= event.messages) return { eventId: previous.eventId }
  const position = event.messages - 1
  return position < 0 ? null : { messageId: memory.messageId(position) }
}

const standingOf = ({ claim, told, details }: Sentence, kept: readonly boolean[]): string[] =>
  details.flatMap((detail, index) => (kept[index] === true ? `${told} ${keyOf(detail, claim.text)}` : []))
