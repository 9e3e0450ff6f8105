import { z } from 'zod'
import { type ComparedSide, Comparison, ComparisonInput, type Difference } from '#core/contract/comparison.ts'
import { ConversationId } from '#core/contract/ids.ts'
import { plural } from '#core/text.ts'
import { defineCommand, narrowed } from '../command.ts'
import { windowOf } from '../input/parse.ts'
import { interruptible } from '../interruptible.ts'
import { count, oneLine, table } from '../output/text.ts'
import { chooseOrNewest, withMemory } from '../session.ts'

const moment = (side: string) =>
  z
    .string()
    .transform(windowOf)
    .optional()
    .meta({
      description: `${side}: a moment, after (a compaction, tried on a copy), preset:NAME, summarizer:NAME (default: now)`,
      value: 'window',
    })

const fields = z.object({
  a: z.string().optional().describe('a memory file (default: --db)'),
  b: z.string().optional().describe('another one (default: the same)'),
  ...narrowed,
  with: ConversationId.optional().describe('the conversation of B (default: the same session, or the only one)'),
  from: moment('A'),
  to: moment('B'),
  limit: ComparisonInput.shape.limit,
})

/** Two memories, or one at two moments, beside each other. */
export const diff = defineCommand({
  name: 'diff',
  example: 'diff sample.db --conversation 1 --from msg_200 --to now',
  memory: 'reads',
  fields,
  positional: ['a', 'b'],
  prints: Comparison.pick({ same: true, isSame: true, counts: true, notes: true, tookMs: true }).extend({
    onlyA: z.array(z.unknown()),
    onlyB: z.array(z.unknown()),
    summarisedDifferently: z.array(z.unknown()),
    windows: z.object({ a: z.unknown(), b: z.unknown() }),
  }),
  run: ({ a, b, conversationId, with: other, from, to, limit }, given) =>
    withMemory(
      { ...given, ...(a === undefined ? {} : { db: a }) },
      async (lcm) => {
        const { compareWindows } = await import('#core/jobs/compare-windows.ts')
        const own = chooseOrNewest(lcm, conversationId)
        const inOther = other ?? (b === undefined ? own : undefined)
        const input = ComparisonInput.parse({
          a: { conversationId: own, ...from },
          b: { ...(b === undefined ? {} : { path: b }), conversationId: inOther, ...to },
          limit,
        })
        const found = await interruptible((signal) => compareWindows(lcm, input, { settings: lcm.settings }, signal))
        return { json: jsonOf(found), text: () => diffText(found) }
      },
      { readOnly: true },
    ),
})

function jsonOf({ a, b, differences, same, isSame, counts, notes, tookMs }: Comparison) {
  const of = (kind: Difference['kind']) => differences.filter((one) => one.kind === kind)
  return {
    ...{ same, isSame, counts },
    onlyA: of('only_a').map(({ a: entry, what, first, last }) => ({ what, first, last, ...entry })),
    onlyB: of('only_b').map(({ b: entry, what, first, last }) => ({ what, first, last, ...entry })),
    summarisedDifferently: of('differently').map(({ a: left, b: right, first, last }) => ({
      first,
      last,
      a: left,
      b: right,
    })),
    windows: { a: windowOfSide(a), b: windowOfSide(b) },
    ...{ notes, tookMs },
  }
}

const windowOfSide = ({ layers, window, ...facts }: ComparedSide) => ({ ...facts, items: window })

const SHOWN = 40

function diffText({ a, b, places, same, isSame, counts, differences, notes }: Comparison): string {
  const side = (name: string, one: ComparedSide) => [
    ...[name, oneLine(one.path, 60), one.conversationId, one.name, one.messages, one.summaries],
    ...[one.windowItems - one.leftOutItems, one.windowTokens - one.leftOutTokens, leftOutText(one)],
  ]
  return [
    table(
      ['', 'memory', 'conversation', 'when', 'messages', 'summaries', 'in window', 'tokens', 'left out'],
      [side('A', a), side('B', b)],
    ),
    '',
    isSame
      ? `No difference: both have the same ${plural(same.messages, 'message')} and ${plural(same.summaries, 'summary', 'summaries')}, and the same window.`
      : `${count(counts.differently)} summarised differently, ${count(counts.onlyA)} only in A, ${count(counts.onlyB)} only in B. Both have ${count(same.messages)} of ${plural(places, 'message')} and ${plural(same.summaries, 'summary', 'summaries')}.`,
    ...differences.slice(0, SHOWN).flatMap(differenceText),
    ...(differences.length > SHOWN ? [`… ${count(differences.length - SHOWN)} more: --json lists them`] : []),
    ...notes.map((note) => `note: ${note}`),
  ].join('\n')
}

const leftOutText = ({ leftOutItems, leftOutTokens }: ComparedSide): string =>
  leftOutItems === 0 ? '' : `${count(leftOutTokens)} in ${count(leftOutItems)}`

const KINDS = { differently: 'differently', only_a: 'only A', only_b: 'only B' } as const

function differenceText({ kind, what, first, last, a, b }: Difference): string[] {
  const place = first === last ? count(first + 1) : `${count(first + 1)}–${count(last + 1)}`
  const entry = (name: string, one: Difference['a']): string[] => {
    if (one === null) return []
    const kept =
      one.kept === null || one.details === null ? '' : `, ${count(one.kept)} of ${plural(one.details, 'detail')}`
    const of = one.depth < 0 ? `${plural(one.messages, 'message')}, ` : ''
    return [`    ${name} ${one.id}  ${of}${plural(one.tokens, 'token')}${kept}  ${oneLine(one.title, 80)}`]
  }
  const about = { summary: '', window: ' in the window', messages: ' has the messages' }[what]
  return [`${KINDS[kind]}${about}  ${place}`, ...entry('A', a), ...entry('B', b)]
}
