import { isoToMs } from '#core/clock.ts'
import { lostByKind, MOST_AGENT_TOKENS } from '#core/contract/lists.ts'
import type { DetailKind, LostDetail } from '#core/contract/loss.ts'
import { OutlineInput } from '#core/contract/outline.ts'
import type { Moment } from '#core/contract/time-travel.ts'
import { LossInput } from '#core/contract/trace.ts'
import { LcmError } from '#core/errors.ts'
import type { Reading } from './reading.ts'
import type { ToolInput } from './tool-inputs.ts'

/** What left the window since a moment, or in the last compaction, as far as it fits into one answer. */
export async function loss(reading: Reading, input: ToolInput<'lcm_loss'>, signal: AbortSignal) {
  const { losses } = reading.services
  const conversationId = conversationOf(reading, input.conversationId)
  const from = input.since === undefined ? undefined : momentOf(input.since)
  const report = await losses.report(LossInput.parse({ conversationId, from, limit: 2000 }), signal)
  const { scope } = reading
  const isShown = ({ messageId }: LostDetail): boolean => scope === null || scope.allows(messageId)
  const [changed, dropped] = [report.changed.filter(isShown), report.dropped.filter(isShown)]
  const lost = lostByKind({ changed, dropped })
  for (let wanted = input.limit; ; wanted = Math.max(1, Math.floor(wanted / 2))) {
    const told = (wantedState: 'changed' | 'dropped'): LossEntry[] =>
      lost.slice(0, wanted).flatMap(({ state, detail }) => (state === wantedState ? shortened(detail, reading) : []))
    const answer = reading.shown({
      conversationId,
      since: input.since ?? 'before the last compaction',
      changed: told('changed'),
      dropped: told('dropped'),
      // Numbers that count more than what may be read would tell of the rest.
      changedTotal: changed.length,
      droppedTotal: dropped.length,
      notes: scope === null ? report.notes : [],
    })
    const { estimator } = reading.services
    const isSmall =
      estimator.count(JSON.stringify(answer)) <= MOST_AGENT_TOKENS && reading.costOf(answer) <= reading.cap
    if (wanted === 1 || isSmall) return answer
  }
}

type LossEntry = {
  readonly kind: DetailKind
  readonly text: string
  readonly sentence: string
  readonly instead: string | null
  readonly messageId: string
  readonly seq: number | null
  readonly atSummary: string | null
  readonly createdAtMs: number | null
}

function shortened(
  { kind, text, sentence, instead, messageId, seq, atSummary, atMs }: LostDetail,
  { scope }: Reading,
): LossEntry {
  const isKnown = atSummary === null || scope === null || scope.allows(atSummary)
  return {
    ...{ kind, text, sentence: sentence === text ? '' : sentence, messageId, seq },
    instead: isKnown ? instead : null,
    atSummary: isKnown ? atSummary : null,
    createdAtMs: isKnown ? atMs : null,
  }
}

function conversationOf(reading: Reading, asked: number | undefined): number {
  const allowed = reading.conversations(asked === undefined ? undefined : [asked])
  if (asked !== undefined) return asked
  const { outliner } = reading.services
  const outline = outliner.outline(OutlineInput.parse({ contentChars: 0 }), reading.scope ?? undefined)
  const newest = outline.conversation?.conversationId ?? allowed?.[0]
  if (newest === undefined) throw new LcmError('not_found', 'The memory holds no conversation yet.')
  return newest
}

/** A message or run by its id, or a time. */
function momentOf(text: string): Moment {
  if (/^msg_\d{1,16}$/.test(text)) return { messageId: text }
  if (text.startsWith('run_')) return { runId: text }
  const atMs = isoToMs(text)
  if (atMs !== null) return { atMs }
  throw new LcmError(
    'invalid_argument',
    'since: Expected a message (msg_12), a run (run_…), or a time such as 2026-02-13T09:30:00Z.',
  )
}
