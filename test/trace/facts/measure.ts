import { ProbeInput } from '#core/contract/probe.ts'
import { ProvenanceInput } from '#core/contract/provenance.ts'
import { LossInput, TraceInput } from '#core/contract/trace.ts'
import { type Lcm, openLcm } from '#core/lcm.ts'
import { generateHistory } from '#test/builders/history.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { type Fact, FORMS, type Form } from './facts.ts'

/** What the parts of the program say became of a fact: `unsure` when only some of it, or perhaps all of it, stands. */
export type Found = 'kept' | 'unsure' | 'changed' | 'dropped'

/** A fact in a memory, what the summaries did with it, and what each part of the program says. */
export type Outcome = {
  readonly fact: Fact
  readonly form: Form
  readonly trace: Found
  readonly loss: Found
  readonly survival: Found
  readonly probe: Found
  /** Whether provenance calls the sentence of the summary supported; null for a fact that no summary mentions. */
  readonly isSupported: boolean | null
  /** What the trace says of each detail. */
  readonly details: string
}

type PlacedFact = { readonly fact: Fact; readonly form: Form; readonly messageId: string; readonly said: string | null }

/** This many facts share a memory. */
const FACTS_OF_ONE = 21
const FACTS_OF_A_LEAF = 3
const LEAVES_OF_ONE = 4

/** Every fact with every form, each form in another memory. */
export async function measureFacts(facts: readonly Fact[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (let turn = 0; turn < FORMS.length; turn += 1)
    for (let from = 0; from < facts.length; from += FACTS_OF_ONE)
      outcomes.push(...(await measureMemory(facts.slice(from, from + FACTS_OF_ONE), from + turn)))
  return outcomes
}

/**
 * Facts among messages that say something else and steps that are counted. A leaf or, of every second fact, the
 * summary above it gives the fact its form.
 */
function plant(memory: TestMemory, facts: readonly Fact[], turn: number) {
  const others = generateHistory({ seed: turn + 1, messages: facts.length })
  const placed: PlacedFact[] = []
  const leaves: { readonly id: string; readonly lines: readonly string[] }[] = []
  for (let from = 0; from < facts.length; from += FACTS_OF_A_LEAF) {
    const ids: number[] = []
    const [leafLines, topLines]: [string[], string[]] = [[], []]
    for (const [place, fact] of facts.slice(from, from + FACTS_OF_A_LEAF).entries()) {
      const number = from + place
      const other = others[number]
      const form = FORMS[(number + turn) % FORMS.length] as Form
      const messageId = memory.message(1, { role: number % 2 === 0 ? 'user' : 'assistant', content: fact.said })
      ids.push(messageId)
      ids.push(memory.message(1, { role: 'assistant', content: `Step ${number + 1} went well.` }))
      ids.push(memory.message(1, { role: other?.role ?? 'user', content: other?.content ?? 'Go on.' }))
      const said = form === 'dropped' ? null : fact[form]
      placed.push({ fact, form, messageId: `msg_${messageId}`, said })
      const early = number % 2 === 0 ? said : fact.kept
      if (early !== null) leafLines.push(early)
      if (said !== null) topLines.push(said)
    }
    leafLines.push(`${others[from]?.content.split('\n')[0]?.slice(0, 80)}`)
    leaves.push({ id: memory.leaf(1, ids, { content: listOf(leafLines) }), lines: topLines })
  }
  const tops: string[] = []
  for (let from = 0; from < leaves.length; from += LEAVES_OF_ONE) {
    const some = leaves.slice(from, from + LEAVES_OF_ONE)
    const content = listOf([...some.flatMap(({ lines }) => lines), `Steps ${from + 1} to ${from + 12} are done.`])
    tops.push(
      memory.condensed(
        1,
        some.map(({ id }) => id),
        { depth: 1, content },
      ),
    )
  }
  memory.messages(1, ['Now to the next thing.', 'Fine.'])
  return { placed, tops }
}

const listOf = (lines: readonly string[]): string => `## Progress\n\n${lines.map((line) => `- ${line}`).join('\n')}\n`

async function measureMemory(facts: readonly Fact[], turn: number): Promise<Outcome[]> {
  using memory = buildMemory({ conversations: [{}] })
  const { placed, tops } = memory.db.transaction(() => plant(memory, facts, turn))
  using lcm = await openLcm(memory.path, { readOnly: true })
  const lost = await losses(lcm, placed)
  const probed = await probes(lcm, placed)
  const supported = await supports(lcm, tops)
  const { id, details, kept } = await lcm.survival.of({ conversationId: 1, offset: 0, limit: 1000 })
  const outcomes: Outcome[] = []
  for (const { fact, form, messageId, said } of placed) {
    const trace = await lcm.tracer.trace(TraceInput.parse({ id: messageId, ladderOnly: true }))
    const at = id.indexOf(messageId)
    outcomes.push({
      ...{ fact, form },
      trace: FOUND[trace.state === 'left_out' ? 'dropped' : trace.state],
      loss: lost(messageId),
      survival: kept[at] === details[at] ? 'kept' : kept[at] === 0 ? 'dropped' : 'unsure',
      probe: probed.get(messageId) ?? 'unsure',
      isSupported: said === null ? null : supported(said),
      details: trace.details
        .map(({ kind, text, fate, instead }) => `${kind} ${text} ${fate}${instead === null ? '' : ` → ${instead}`}`)
        .join('; '),
    })
  }
  return outcomes
}

const FOUND = { kept: 'kept', partly: 'unsure', unknown: 'unsure', changed: 'changed', dropped: 'dropped' } as const

async function losses(lcm: Lcm, placed: readonly PlacedFact[]): Promise<(id: string) => Found> {
  const last = placed.at(-1)?.messageId
  const report = await lcm.losses.report(
    LossInput.parse({ conversationId: 1, fromMessage: 'msg_1', toMessage: last, limit: 1000 }),
  )
  const [changed, dropped] = [report.changed, report.dropped].map((list) => new Set(list.map((one) => one.messageId)))
  return (id) => (changed?.has(id) ? 'changed' : dropped?.has(id) ? 'dropped' : 'kept')
}

async function probes(lcm: Lcm, placed: readonly PlacedFact[]): Promise<Map<string, Found>> {
  const questions = placed.map(({ fact, messageId }) => ({ question: fact.said, evidence: [messageId] }))
  const report = await lcm.prober.probe(ProbeInput.parse({ conversationId: 1, questions }))
  const found = { in_window: 'kept', changed: 'changed', by_search: 'dropped', by_expanding: 'dropped' } as const
  return new Map(
    report.questions.map(({ state }, index) => [
      placed[index]?.messageId ?? '',
      state === 'dropped' ? 'dropped' : found[state],
    ]),
  )
}

/** Returns whether every sentence of a line of a summary is supported. */
async function supports(lcm: Lcm, tops: readonly string[]): Promise<(line: string) => boolean> {
  const claims: { readonly text: string; readonly isSupported: boolean }[] = []
  for (const summaryId of tops) {
    const found = await lcm.provenance.find(ProvenanceInput.parse({ summaryId }))
    claims.push(...found.claims.map(({ text, support }) => ({ text, isSupported: support === 'supported' })))
  }
  return (line) => claims.filter(({ text }) => line.includes(text)).every(({ isSupported }) => isSupported)
}

/** The share of a form that is told right, and how many facts had it. */
type Share = { readonly share: number; readonly of: number }

const shareOf = (right: number, of: number): Share => ({ share: of === 0 ? 1 : right / of, of })

/** How well one part of the program tells the forms of facts. */
export type Figures = Readonly<Record<'kept' | 'reworded' | 'changed' | 'denied' | 'dropped' | 'precision', Share>>

export const PARTS = ['trace', 'loss', 'survival', 'probe'] as const
export type Part = (typeof PARTS)[number]

/**
 * The recall of each form, and the precision of "changed". A fact in other words may be told as kept or unsure. The
 * count of survival and a list of losses have no word for unsure.
 */
export function figuresOf(outcomes: readonly Outcome[], part: Part): Figures {
  const called = outcomes.filter((one) => one[part] === 'changed')
  const of = (form: Form): Share => {
    const all = outcomes.filter((one) => one.form === form)
    return shareOf(all.filter((one) => isRight(form, one[part], part)).length, all.length)
  }
  return {
    ...{ kept: of('kept'), reworded: of('reworded'), changed: of('changed'), denied: of('denied') },
    dropped: of('dropped'),
    precision: shareOf(called.filter(({ form }) => form === 'changed' || form === 'denied').length, called.length),
  }
}

export function isRight(form: Form, found: Found, part: Part): boolean {
  if (form === 'kept' || form === 'dropped') return found === form
  if (form === 'reworded') return part === 'trace' ? found === 'kept' || found === 'unsure' : found !== 'changed'
  return part === 'survival' ? found !== 'kept' : found === 'changed'
}

/** How often provenance supports what was said, and does not support what was not. */
export function supportOf(
  outcomes: readonly Outcome[],
): Readonly<Record<Exclude<Form, 'dropped' | 'reworded'>, Share>> {
  const of = (form: Form, isSupported: boolean): Share => {
    const all = outcomes.filter((one) => one.form === form)
    return shareOf(all.filter((one) => one.isSupported === isSupported).length, all.length)
  }
  return { kept: of('kept', true), changed: of('changed', false), denied: of('denied', false) }
}
