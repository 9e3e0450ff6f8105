import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RetrievalEngine } from '#core/browse/retrieval-engine.ts'
import { type ProbedQuestion, ProbeInput, type ProbeReport, ProbeState } from '#core/contract/probe.ts'
import { openLcm } from '#core/lcm.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { readSettings } from '#core/settings/settings.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { systemOf } from '#core/systems/systems.ts'
import { chooseQuestions, type Question } from '#core/trace/probe/made-questions.ts'
import { toHtmlReport, toMarkdownReport } from '#core/trace/probe/probe-report.ts'
import { Prober, sumsOf } from '#core/trace/probe/prober.ts'
import { TextIndexes } from '#core/trace/text-indexes.ts'
import { ContextAssembler } from '#core/window/context-assembler.ts'
import { TimeTravel } from '#core/window/time-travel/time-travel.ts'
import { generateHistory } from '../builders/history.ts'
import { importOne } from '../builders/import.ts'
import { buildMemory, type TestMemory } from '../builders/memory.ts'
import { openMemory } from '../builders/open-memory.ts'
import { piChain, piHeader, piSaid } from '../builders/pi-session.ts'
import { writeLines } from '../builders/transcript-rows.ts'
import { plantFacts, TURNS } from './planted-facts.ts'
import { FIRST_FACTS, LATER_FACTS } from './told-facts.ts'

const nothing = {
  total: 0,
  totalIsExact: true,
  hits: [],
  nextCursor: null,
  sort: 'newest' as const,
  notes: [],
  tookMs: 0,
}

async function probe(memory: TestMemory, input: Partial<ProbeInput> = {}, searches = true): Promise<ProbeReport> {
  const { read: db, info, close } = openMemory(memory.path)
  const reader = new MemoryReader(db)
  const retrieval = new RetrievalEngine(db, info.capabilities, reader)
  const context = new ContextAssembler(db, createTokenEstimator(), readSettings({}).compaction)
  const prober = new Prober({
    ...{ db, reader, indexes: new TextIndexes(db) },
    timeTravel: new TimeTravel({ db, reader, context, keepsLog: true, summaries: systemOf('native').summaries }),
    search: (asked, signal) => (searches ? retrieval.search(asked, signal) : Promise.resolve(nothing)),
  })
  try {
    return await prober.probe(ProbeInput.parse({ conversationId: 1, ...input }))
  } finally {
    close()
  }
}

describe('questions about planted facts', () => {
  it('are answered as the fate of each fact says, in nine of ten cases', async () => {
    const seen: { truth: string; state: string; said: string }[] = []
    for (let turn = 0; turn < TURNS; turn += 1) {
      const { memory, facts } = plantFacts(turn % 2 === 0 ? FIRST_FACTS : LATER_FACTS, 40 + turn, turn)
      const questions = facts.map(({ said, messageId }) => ({ question: said, evidence: [messageId] }))
      const report = await probe(memory, { questions })
      report.questions.forEach(({ state }, index) => {
        const fact = facts[index]
        // What was said in other words may be in the window, or may have to be looked for.
        if (!fact || fact.fate.kind === 'reworded') return
        const truth = { kept: 'in_window', changed: 'changed', dropped: 'recoverable' }[fact.fate.kind]
        seen.push({ truth, state: state.startsWith('by_') ? 'recoverable' : state, said: fact.said })
      })
      memory.close()
    }
    for (const state of ['in_window', 'changed', 'recoverable']) {
      const right = seen.filter((one) => one.truth === state && one.state === state).length
      const wrong = seen.filter((one) => (one.truth === state) !== (one.state === state))
      const about = `${state}\n${wrong.map((one) => `${one.truth} → ${one.state}: ${one.said}`).join('\n')}`
      expect
        .soft(right / seen.filter((one) => one.truth === state).length, `recall of ${about}`)
        .toBeGreaterThanOrEqual(0.9)
      expect
        .soft(right / seen.filter((one) => one.state === state).length, `precision of ${about}`)
        .toBeGreaterThanOrEqual(0.9)
    }
  })
})

describe('the state of an answer', () => {
  const SAID = 'The invoice importer waits 4711 seconds for the ledger of Vaduz.'
  const question = { question: 'How long does the invoice importer wait?', answer: '4711' }

  it('is in the window when its message is', async () => {
    using memory = buildMemory({ conversations: [{ messages: [SAID, 'Noted.'] }] })
    const [asked] = (await probe(memory, { questions: [question] })).questions
    expect(asked).toMatchObject({ state: 'in_window', steps: 0, depth: -1, evidence: { id: 'msg_1', text: SAID } })
  })

  it('is found by a search, or by as many expansions as levels lie between, when its summaries leave it out', async () => {
    using memory = buildMemory({ conversations: [{ messages: [SAID, 'Noted.', 'And now the weather.'] }] })
    const leaf = memory.leaf(1, [1, 2], { content: 'The user explained how an importer works.' })
    const top = memory.condensed(1, [leaf], { depth: 1, content: 'They spoke about work.' })
    const evidence = ['msg_1']
    const [found] = (await probe(memory, { questions: [{ ...question, evidence }] })).questions
    expect(found).toMatchObject({ state: 'by_search', steps: 1, hit: 'msg_1', depth: 1 })
    const [lost] = (await probe(memory, { questions: [{ ...question, evidence }] }, false)).questions
    expect(lost).toMatchObject({ state: 'by_expanding', steps: 2, expand: [top, leaf] })
  })

  it('is changed when the window has another value in its place, although a search would find the right one', async () => {
    using memory = buildMemory({ conversations: [{ messages: [SAID, 'Noted.', 'And now the weather.'] }] })
    memory.leaf(1, [1, 2], { content: 'The invoice importer waits 4712 seconds for the ledger of Vaduz.' })
    const [asked] = (await probe(memory, { questions: [{ ...question, evidence: ['msg_1'] }] })).questions
    expect(asked).toMatchObject({ state: 'changed', steps: null })
    expect(asked?.instead).toContain('4712')
  })

  it('is dropped when nothing in the window stands for its message and no search finds it', async () => {
    using memory = buildMemory({ conversations: [{ messages: [{ content: SAID, inWindow: false }, 'Noted.'] }] })
    const [asked] = (await probe(memory, { questions: [{ ...question, evidence: ['msg_1'] }] }, false)).questions
    expect(asked).toMatchObject({ state: 'dropped', steps: null, depth: null, expand: [] })
  })

  it('is that of the moment: in the window before a compaction, and never found in what came later', async () => {
    using memory = buildMemory({ conversations: [{ messages: ['Hello.', SAID, 'Noted.'] }] })
    const evidence = ['msg_2']
    const at = { messageId: 'msg_1' } as const
    const [early] = (await probe(memory, { at, questions: [{ ...question, evidence }] })).questions
    expect(early).toMatchObject({ state: 'dropped', hit: null })
    const [later] = (await probe(memory, { at: { messageId: 'msg_3' }, questions: [{ ...question, evidence }] }))
      .questions
    expect(later).toMatchObject({ state: 'in_window' })
  })
})

const questions: fc.Arbitrary<Question[]> = fc.array(
  fc.record({
    question: fc.string(),
    kind: fc.constantFrom('number', 'path', 'decision', 'correction'),
    about: fc.string(),
    evidence: fc.option(fc.nat({ max: 50 }).map((id) => `msg_${id}`)),
    sentence: fc.string({ maxLength: 3 }),
    answer: fc.option(fc.string({ maxLength: 2 })),
  }),
  { maxLength: 80 },
)

describe('questions that are made', () => {
  it('never hold their answer, and name a message that does', async () => {
    using memory = buildMemory({
      conversations: [
        { messages: generateHistory({ seed: 5, messages: 400 }).map(({ content, role }) => ({ content, role })) },
      ],
    })
    const report = await probe(memory, { limit: 500 })
    expect(report.questions.length).toBeGreaterThan(20)
    for (const { question, answer, evidence } of report.questions) {
      if (answer !== null) expect(question.toLowerCase()).not.toContain(answer.toLowerCase())
      expect(evidence?.text).toContain(answer ?? '')
      const number = Number(evidence?.id.slice(4))
      expect(
        memory.db.value('SELECT content FROM messages WHERE message_id = CAST(:number AS INTEGER)', { number }),
      ).toContain(evidence?.text)
    }
  })

  it('are made of the messages between two of them, and so is what answers others', async () => {
    const messages = ['one', 'two', 'three'].map(
      (name, at) => `The importer of ledger ${name} waits ${4711 + at} seconds.`,
    )
    using memory = buildMemory({ conversations: [{ messages }, { messages: ['Elsewhere.'] }] })
    const ends = { fromMessage: 'msg_2', toMessage: 'msg_2' }
    const made = await probe(memory, ends)
    expect(new Set(made.questions.map(({ evidence }) => evidence?.id))).toEqual(new Set(['msg_2']))
    const given = await probe(memory, { ...ends, questions: [{ question: 'How long does the importer wait?' }] })
    expect(given.questions[0]?.evidence?.id).toBe('msg_2')
    await expect(probe(memory, { fromMessage: 'msg_4' })).rejects.toMatchObject({ code: 'invalid_argument' })
  })

  it('are answered by nothing that the agent did not send, now and at a moment of the past', async () => {
    const session = [
      piHeader('pi-1'),
      ...piChain(
        piSaid('user', 'We deploy the shop on Fridays.'),
        piSaid('assistant', 'The port of the gateway is 8123.', { stopReason: 'error' }),
        piSaid('assistant', 'Noted.'),
      ),
    ]
    using memory = buildMemory()
    await importOne(memory.db, writeLines(session))
    const lcm = await openLcm(memory.path, { readOnly: true })
    const questions = [{ question: 'What is the port of the gateway?', answer: '8123', evidence: ['msg_2'] }]
    const states = []
    for (const at of [{ now: true } as const, { messageId: 'msg_3' }]) {
      const { questions: asked } = await lcm.prober.probe(ProbeInput.parse({ conversationId: 1, questions, at }))
      states.push(...asked.map(({ state }) => state))
    }
    lcm.close()
    expect(states).toEqual(['by_search', 'by_search'])
  })

  it('are refused for messages the wrong way round, whoever asks them', async () => {
    using memory = buildMemory({ conversations: [{ messages: ['Ledger 4711 waits.', 'Ledger 4712 waits.'] }] })
    const reversed = { fromMessage: 'msg_2', toMessage: 'msg_1' }
    for (const questions of [undefined, [{ question: 'Which ledger waits?', evidence: ['msg_1'] }]])
      await expect(probe(memory, { ...reversed, questions })).rejects.toMatchObject({
        code: 'invalid_argument',
        message: 'msg_2 comes after msg_1: a range begins with its earlier message. Exchange the two.',
      })
  })

  it('are each asked once, no more than asked for, and the same for the same memory', () => {
    fc.assert(
      fc.property(questions, fc.integer({ min: 1, max: 60 }), (all, limit) => {
        const chosen = chooseQuestions(all, limit)
        const keys = chosen.map(({ kind, answer, sentence }) => `${kind} ${(answer ?? sentence).toLowerCase()}`)
        expect(new Set(keys).size).toBe(keys.length)
        const different = new Set(
          all.map(({ kind, answer, sentence }) => `${kind} ${(answer ?? sentence).toLowerCase()}`),
        )
        expect(chosen).toHaveLength(Math.min(limit, different.size))
        expect(chooseQuestions(all, limit)).toEqual(chosen)
      }),
    )
  })

  it('are of all kinds alike, as far as there are enough of each', () => {
    fc.assert(
      fc.property(questions, fc.integer({ min: 1, max: 60 }), (all, limit) => {
        const chosen = chooseQuestions(all, limit)
        const count = (some: readonly Question[], kind: string) => some.filter((one) => one.kind === kind).length
        const kinds = [...new Set(all.map(({ kind }) => kind))]
        const whole = chooseQuestions(all, 1_000_000)
        for (const kind of kinds)
          for (const other of kinds)
            if (count(chosen, kind) < count(whole, kind))
              expect(count(chosen, other)).toBeLessThanOrEqual(count(chosen, kind) + 1)
      }),
    )
  })
})

const probed = (state: ProbeState, text = 'text'): ProbedQuestion => ({
  ...{ question: text, kind: 'number', state, steps: null, answer: text, instead: text, query: text, hit: null },
  ...{ evidence: { id: 'msg_1', role: 'user', seq: 1, position: 1, atMs: 0, text }, expand: [], depth: null },
})

it('the sums of a report count every question once, and recall is what is in the window or recoverable', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...ProbeState.options), { minLength: 1 }), (states) => {
      const { total, byKind, byDepth, recall } = sumsOf(states.map((state) => probed(state)))
      for (const sum of [total, ...byKind, ...byDepth])
        expect(sum.inWindow + sum.bySearch + sum.byExpanding + sum.changed + sum.dropped).toBe(sum.questions)
      expect(total.questions).toBe(states.length)
      expect(recall).toBe(states.filter((state) => state !== 'changed' && state !== 'dropped').length / states.length)
    }),
  )
})

it('a report lets no text of the memory end its cell, add markup or load anything', () => {
  const text = '| <script>alert(1)</script> <img src=x onerror=y> "\' ](http://x) `\n# head'
  const questions = [probed('changed', text)]
  const report: ProbeReport = {
    ...{
      conversationId: 1,
      atMs: null,
      reconstructed: false,
      questions,
      ...sumsOf(questions),
      notes: [text],
      tookMs: 1,
    },
  }
  const head = { file: text, conversation: text, madeAtMs: 0 }
  const html = toHtmlReport(head, [{ name: text, report }])
  expect(html.match(/<script|<img|onerror=y>/g)).toBeNull()
  const markdown = toMarkdownReport(head, [{ name: text, report }])
  const rows = markdown.split('\n').filter((line) => line.startsWith('| ') && line.includes('alert'))
  expect(rows.length).toBeGreaterThan(0)
  for (const row of rows) expect(row.match(/(?<!\\)(?:\||<|`|\[)/g)?.every((sign) => sign === '|')).toBe(true)
  expect(markdown).not.toMatch(/^# head/m)
})
