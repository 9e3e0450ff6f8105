import { z } from 'zod'
import { isoTime } from '#core/clock.ts'
import { type LostInState, lostByKind } from '#core/contract/lists.ts'
import { LossReport, type LostDetail } from '#core/contract/loss.ts'
import { MessageEnds } from '#core/contract/retrieval.ts'
import { type FactState, FactTrace, LossInput, type Recovery, type Rung, TraceInput } from '#core/contract/trace.ts'
import { LcmError } from '#core/errors.ts'
import type { Lcm } from '#core/lcm.ts'
import { lookUp, messageNumber, notFound } from '#core/systems/reading/node-id.ts'
import { plural } from '#core/text.ts'
import { defineQuestion, narrowed } from '../command.ts'
import { count, oneLine } from '../output/text.ts'
import { chooseConversation, chooseOrNewest } from '../session.ts'

const traceFields = z.object({
  what: z.string().min(1).max(4000).describe('a message, a summary, or words'),
  words: TraceInput.shape.text.describe('of a message or summary: only these words of it'),
  ...narrowed,
  ...MessageEnds.shape,
  limit: TraceInput.shape.limit,
})

/** Follows what was said through the summaries up to the window. */
export const trace = defineQuestion({
  name: 'trace',
  example: 'trace "retries raised to four" --db sample.db',
  fields: traceFields,
  positional: ['what'],
  prints: FactTrace,
  work: (lcm, input, signal) => lcm.tracer.trace(requestOf(lcm, input), signal),
  text: traceText,
})

/** The ids of summaries, as systems make them. A name such as `sum_total` is a word. */
const SUMMARY_ID = /^sum_[0-9a-f]{8,}$/i

/**
 * An id that names something is followed itself; everything else is words, except for the id of a message or summary.
 * @throws LcmError not_found for the id of a message or summary that is not in the file, invalid_argument for one of
 * another conversation
 */
function requestOf(
  lcm: Lcm,
  { what, words, conversationId, limit, ...ends }: z.output<typeof traceFields>,
): TraceInput {
  if (conversationId !== undefined) chooseConversation(lcm, conversationId)
  const narrow = conversationId === undefined ? {} : { conversationId }
  const found = /\s/.test(what) || what.length > 512 ? null : lookUp(lcm.read, what)
  if (found === null && (messageNumber(what) !== null || SUMMARY_ID.test(what))) throw notFound(lcm.read, what)
  if (found !== null && conversationId !== undefined && found.conversationId !== conversationId) {
    const message = `${what} is in conversation ${found.conversationId}, not in ${conversationId}: leave out --conversation, or name that one.`
    throw new LcmError('invalid_argument', message, { id: what, conversationId })
  }
  if (found !== null) return TraceInput.parse({ id: what, text: words, limit })
  return TraceInput.parse({ text: words === undefined ? what : `${what} ${words}`, limit, ...narrow, ...ends })
}

const MARKS: Readonly<Record<FactState, string>> = {
  kept: '●',
  partly: '◐',
  dropped: '⊘',
  changed: '≠',
  unknown: '◌',
  left_out: '○',
}

const stateName = (state: FactState): string => state.replace('_', ' ')

function traceText(found: FactTrace): string {
  const { detail, conversationId, ladder, toldAgain, places, wayBack, notes } = found
  return [
    `“${oneLine(detail, 160)}”`,
    ...ladder.toReversed().flatMap(rungText),
    '',
    verdict(found),
    ...toldAgain.slice(0, 3).map(({ id }) => `It is said again in the window by ${id}.`),
    ...wayBack.map((way) => wayText(way, conversationId)),
    ...(places.length > 1
      ? [
          '',
          `${count(places.length)} places say it:`,
          ...places.map(
            ({ id, state, excerpt, lostAt: at }) =>
              `${MARKS[state]} ${id}  ${stateName(state)}${at === null ? '' : ` at ${at.id}`}  ${oneLine(excerpt, 100)}`,
          ),
        ]
      : []),
    ...notes.map((note) => `note: ${note}`),
  ].join('\n')
}

function rungText({ id, kind, depth, state, kept, details, run, atMs, excerpt, lost }: Rung): string[] {
  const name = kind === 'window' ? 'the window' : `${id}  ${kind}${kind === 'condensed' ? ` depth ${depth}` : ''}`
  const made = [run === null ? null : `run ${count(run)}`, atMs === null ? null : isoTime(atMs)]
    .filter(Boolean)
    .join(', ')
  return [
    `${MARKS[state]} ${name}  ${stateName(state)}, ${count(kept)} of ${count(details)}${made === '' ? '' : ` · ${made}`}`,
    ...(excerpt === '' ? [] : [`    ${oneLine(excerpt, 140)}`]),
    ...(lost.length === 0 ? [] : [`    lost here: ${oneLine(lost.slice(0, 8).join(' · '), 160)}`]),
  ]
}

function verdict({ state, inWindow, lostAt, details }: FactTrace): string {
  if (details.length === 0) return 'It has no detail that could be followed.'
  if (inWindow) return 'All of it stands in the window.'
  if (lostAt === null) {
    if (state === 'partly') return 'Some of it stands in the window.'
    if (state === 'left_out') return 'It stands in the window, but the model is not given it.'
    return state === 'unknown' ? 'It may stand in the window in other words.' : 'It is not in the window.'
  }
  const run = lostAt.run === null ? '' : ` by run ${count(lostAt.run)}`
  const at = lostAt.atMs === null ? '' : `, ${isoTime(lostAt.atMs)}`
  const what = state === 'partly' || state === 'left_out' ? 'Partly lost' : state === 'changed' ? 'Changed' : 'Lost'
  return `${what} at ${lostAt.id}${run}${at}, when ${count(lostAt.sources)} sources became one summary.`
}

function wayText(way: Recovery, conversationId: number | null): string {
  if (way.kind === 'search') {
    const within = conversationId === null ? '' : ` --conversation ${conversationId}`
    const hits = `${way.hitsAreExact ? '' : 'at least '}${count(way.hits)}`
    return `Found by: lcm grep '${way.query.replaceAll("'", "'\\''")}' --sort relevance${within} (place ${count(way.place)} of ${hits}: ${way.id})`
  }
  const ids = way.steps.map(({ id }) => id).join(' → ')
  return `By expanding: ${ids} (${plural(way.tokens, 'token')} read)`
}

const lossFields = LossInput.extend({ ...narrowed, limit: LossInput.shape.limit })

/** What a compaction dropped or changed. */
export const loss = defineQuestion({
  name: 'loss',
  example: 'loss --db sample.db --conversation 1',
  fields: lossFields,
  exclusive: [
    ['runId', 'from'],
    ['runId', 'to'],
    ['runId', 'summaryId'],
    ['summaryId', 'from'],
    ['summaryId', 'to'],
  ],
  prints: LossReport,
  work: (lcm, input, signal) =>
    lcm.losses.report({ ...input, conversationId: chooseOrNewest(lcm, input.conversationId) }, signal),
  text: lossText,
})

const SHOWN = 40

/** The report as lines for people. */
export function lossText(report: LossReport): string {
  const { counts, notes } = report
  const line = ({
    state,
    detail: { kind, text, sentence, messageId, atSummary, run, instead },
  }: LostInState<LostDetail>): string =>
    `${kind.padEnd(10)}  ${state}  ${oneLine(text === sentence ? text : `${text}  in “${sentence}”`, 110)}${instead === null ? '' : ` → ${oneLine(instead, 60)}`}  (${messageId}${atSummary === null ? '' : ` at ${atSummary}`}${run === null ? '' : `, run ${count(run)}`})`
  const shown = lostByKind(report).slice(0, SHOWN)
  const more = counts.changed + counts.dropped - shown.length
  return [
    ...shown.map(line),
    ...(more > 0 ? [`… ${count(more)} more: --json lists them`] : []),
    `${plural(counts.items, 'item')} left the window with ${plural(counts.details, 'detail')}: ${count(counts.kept)} stand in it, ${count(counts.dropped)} were dropped, ${count(counts.changed)} changed, ${count(counts.unknown)} may stand in other words`,
    ...notes.map((note) => `note: ${note}`),
  ].join('\n')
}
