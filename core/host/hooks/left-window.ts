import { ROLES, type Role } from '#core/contract/ids.ts'
import { keptTexts } from '#core/contract/kept.ts'
import { DETAIL_KINDS } from '#core/contract/lists.ts'
import { markRecalled } from '#core/ingest/recalled-text.ts'
import type { Lcm } from '#core/lcm.ts'
import type { SourceText } from '#core/provenance/passages.ts'
import { messageNumber } from '#core/systems/reading/node-id.ts'
import { messagesOfProgram } from '#core/systems/records/parts.ts'
import { excerptOf } from '#core/text.ts'
import { readingDetails, type ToldText } from '#core/trace/details.ts'
import { FateFinder } from '#core/trace/fates.ts'
import { toldTextsOf, windowIds, windowTexts } from '#core/trace/node-texts.ts'
import { indexOf } from '#core/trace/text-indexes.ts'
import { inSlices, TimeSlice } from '#core/yielding.ts'

export type LeftInput = {
  readonly conversationId: number
  /** The agent has not written yet that it compacted: everything leaves the window, but what the summary says. */
  readonly isLeaving: boolean
  /** The new summary, if it is known. */
  readonly summary: string | null
  readonly tokenCap: number
}

/** At most this much of what people and agents said is read, newest first. It takes some seconds. */
const MOST_CHARS = 1_500_000
const BATCH_CHARS = 300_000
const MOST_WINDOW_CHARS = 2_000_000
const LONGEST_LINE = 300

/**
 * `worth`: the place of its kind in the order in which losses are told, of a kind what the user said first; what the
 * user pinned comes before all.
 */
type Line = { readonly id: string; readonly role: string; readonly text: string; readonly worth: number }
const PINNED = -1

/**
 * Tells a model what left its window in a compaction and stands nowhere in it any more: first what the user pinned, also
 * where a summary says it, then decisions, constraints and other details. Which of them are told follows the order of a
 * loss report; each is a line with the id by which the tools open it.
 * @returns an empty text when nothing was lost
 */
export async function whatLeftWindow(lcm: Lcm, input: LeftInput, signal: AbortSignal): Promise<string> {
  const { conversationId, isLeaving, tokenCap } = input
  const slice = new TimeSlice(signal, 'Recalling was cancelled.')
  await lcm.reader.prepareMemory(conversationId)
  const memory = lcm.reader.memory(conversationId)
  const window = windowIds(memory)
  const inWindow = new Set(isLeaving ? [] : window)
  const kept = isLeaving ? summaryTexts(input.summary) : windowTexts(lcm.read, conversationId, window.toReversed())
  const { index } = await indexOf(kept, slice, MOST_WINDOW_CHARS)
  const roleOf = (id: string): Role | undefined =>
    ROLES[memory.messages.roles[memory.messages.positionOf(messageNumber(id) ?? Number.NaN)] ?? -1]
  const lines = pinned(lcm, conversationId, inWindow)
  const outside = saidOutside(lcm, conversationId, inWindow).filter((id) => isSpeaker(roleOf(id)))
  for await (const said of batchesOf(toldTextsOf(lcm.read, memory, outside), slice)) {
    const details = await inSlices(readingDetails(said), signal)
    const finder = new FateFinder(details, index)
    for (const sentence of details.sentences) {
      if (slice.isOver) await slice.yield()
      const isKept = finder.keptOf(sentence)
      const gone = sentence.details.filter((_, at) => isKept[at] !== true)
      if (gone.length === 0) continue
      const id = said[sentence.told]?.id ?? ''
      const role = roleOf(id) ?? 'unknown'
      const kind = Math.min(...gone.map((one) => DETAIL_KINDS.indexOf(one.kind)))
      const worth = kind * 2 + (role === 'user' ? 0 : 1)
      lines.push({ id, role, text: excerptOf(sentence.claim.text, LONGEST_LINE), worth })
    }
  }
  return fitting(lines, (text) => lcm.estimator.count(text) <= tokenCap)
}

const isSpeaker = (role: Role | undefined): boolean => role === 'user' || role === 'assistant'

/**
 * The messages that are not in the window, newest first. What the program around an agent tells the model is left out,
 * because it tells it again.
 */
function saidOutside({ reader, read }: Lcm, conversationId: number, inWindow: ReadonlySet<string>): string[] {
  const order = reader.order(conversationId)
  const numbers = order.idsFrom(0, order.length)
  const ofProgram = messagesOfProgram(read, numbers)
  const said = numbers.filter((number) => !ofProgram.has(number)).map((number) => `msg_${number}`)
  return said.filter((id) => !inWindow.has(id)).reverse()
}

/** Gives what somebody said, newest first, in batches that are compared at once. */
async function* batchesOf(texts: Iterable<readonly ToldText[]>, slice: TimeSlice): AsyncGenerator<ToldText[]> {
  let batch: ToldText[] = []
  let [length, chars] = [0, 0]
  for (const some of texts) {
    const said = some.filter(({ isSaid }) => isSaid)
    batch.push(...said)
    length += said.reduce((sum, { text }) => sum + text.length, 0)
    await slice.yieldIfOver()
    if (length < BATCH_CHARS) continue
    yield batch
    chars += length
    batch = []
    length = 0
    if (chars >= MOST_CHARS) return
  }
  if (batch.length > 0) yield batch
}

function* summaryTexts(summary: string | null): Generator<SourceText[]> {
  if (summary !== null) yield [{ id: 'summary', kind: 'summary', field: 'content', part: null, text: summary }]
}

const pinned = ({ notes }: Lcm, conversationId: number, inWindow: ReadonlySet<string>): Line[] =>
  notes.list().flatMap((note) => {
    if (!note.isPinned || note.conversationId !== conversationId || inWindow.has(note.id)) return []
    const { id, role, kind } = note
    const texts = keptTexts(note).map((text) => excerptOf(text, LONGEST_LINE))
    return texts.map((text) => ({ id, role: `${role ?? kind}, pinned`, text, worth: PINNED }))
  })

/**
 * Takes the most valuable lines that fit, of the same worth the newest. What is pinned stands first, and the rest in the
 * order of time.
 */
function fitting(all: readonly Line[], fits: (text: string) => boolean): string {
  const pins = all.filter(({ worth }) => worth === PINNED)
  const isPinned = ({ id, text }: Line): boolean =>
    pins.some((pin) => pin.id === id && pin.text.includes(text.replace(/[.!?…]+$/, '')))
  const lines = [...pins, ...all.filter((line) => line.worth !== PINNED && !isPinned(line))]
  const once = [...new Map(lines.toReversed().map((line) => [line.text.toLowerCase(), line])).values()]
  const best = once.sort((a, b) => a.worth - b.worth || numberOf(b) - numberOf(a))
  const told = (count: number): string =>
    markRecalled(
      best
        .slice(0, count)
        .sort((a, b) => Number(b.worth === PINNED) - Number(a.worth === PINNED) || numberOf(a) - numberOf(b))
        .map(({ id, role, text }) => `[${id}, ${role}] ${text}`),
    )
  // At most how many lines fit is found by halving: each mark and each line has its tokens.
  let [fit, tooMany] = [0, best.length + 1]
  while (tooMany - fit > 1) {
    const middle = (fit + tooMany) >> 1
    if (fits(told(middle))) fit = middle
    else tooMany = middle
  }
  return told(fit)
}

const numberOf = ({ id }: Line): number => messageNumber(id) ?? 0
