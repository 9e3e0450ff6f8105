import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RetrievalEngine } from '#core/browse/retrieval-engine.ts'
import { TraceInput } from '#core/contract/trace.ts'
import { NATIVE_CAPABILITIES } from '#core/systems/opening/open.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { FactTracer } from '#core/trace/fact-tracer.ts'
import { TextIndexes } from '#core/trace/text-indexes.ts'
import { buildMemory, type TestMemory } from '../builders/memory.ts'
import { traceOf } from './planted-facts.ts'

const SAID = 'The gateway retries were raised from 1 to 4 on 2026-02-27 (PAY-1187).'
const CALL = { part_type: 'tool', tool_name: 'write', tool_input: '{"ticket":"PAY-7001"}' } as const
let memory: TestMemory

beforeAll(() => {
  memory = buildMemory({
    conversations: [{ messages: [SAID, 'Good.', 'Write the ledger export.', 'Done in src/export/ledger.ts.'] }],
  })
  const leaf = memory.leaf(1, [1, 2], { content: '- Gateway retries raised from 1 to 4 (PAY-1187).', id: 'sum_leaf' })
  const other = memory.leaf(1, [3, 4], { content: '- The ledger export is in src/export/ledger.ts.', id: 'sum_other' })
  const middle = memory.condensed(1, [leaf, other], {
    content: '- Gateway retries and the export src/export/ledger.ts.',
    id: 'sum_middle',
  })
  memory.condensed(1, [middle], { content: '- The export was written.', depth: 2, id: 'sum_top' })
  memory.messages(1, ['What is next?', 'The audit.'])
})
afterAll(() => memory.close())

const tracer = ({ db } = memory, leftOut: readonly string[] = []): FactTracer => {
  const reader = new MemoryReader(db)
  const retrieval = new RetrievalEngine(db, NATIVE_CAPABILITIES, reader)
  const indexes = new TextIndexes(db, () => new Set(leftOut))
  return new FactTracer({
    db,
    reader,
    indexes,
    search: (input, signal) => retrieval.search(input, signal),
    searchIds: (input, signal) => retrieval.searchIds(input, signal),
  })
}

const textTraceOf = (told: TestMemory, text: string) => tracer(told).trace(TraceInput.parse({ text }))

describe('the ladder of a fact', () => {
  it('leads from the message over every summary to the window, with the state at each', async () => {
    const { ladder, lostAt, inWindow } = await traceOf(memory.db, 'msg_1')
    expect(ladder.map(({ id, state }) => [id, state])).toEqual([
      ['msg_1', 'kept'],
      ['sum_leaf', 'partly'],
      ['sum_middle', 'dropped'],
      ['sum_top', 'dropped'],
      [null, 'dropped'],
    ])
    expect(ladder[2]?.lost).toContain('PAY-1187')
    expect(lostAt).toMatchObject({ id: 'sum_middle', depth: 1, sources: 2 })
    expect(inWindow).toBe(false)
  })

  it('marks the words that stand, in the excerpt of each rung', async () => {
    const { ladder } = await traceOf(memory.db, 'msg_1', 'PAY-1187')
    const [, rung] = ladder
    expect(rung?.marks.map(([start, end]) => rung.excerpt.slice(start, end))).toEqual(['PAY-1187'])
  })

  it('is kept in the window itself for a message that has left nothing', async () => {
    const { ladder, inWindow, lostAt, wayBack } = await traceOf(memory.db, 'msg_6')
    expect(ladder.map(({ kind, state }) => [kind, state])).toEqual([
      ['message', 'unknown'],
      ['window', 'unknown'],
    ])
    expect([inWindow, lostAt]).toEqual([true, null])
    expect(wayBack.filter(({ kind }) => kind === 'expand')).toEqual([])
  })

  it('names the summaries to expand down to the nearest one that has it all, and what that reads', async () => {
    const { wayBack } = await traceOf(memory.db, 'msg_1', 'PAY-1187')
    const tokens = memory.db.value<number>(
      "SELECT sum(token_count) FROM summaries WHERE summary_id IN ('sum_middle', 'sum_leaf', 'sum_other')",
    )
    expect(wayBack).toMatchObject([
      { kind: 'expand', steps: [{ id: 'sum_top' }, { id: 'sum_middle' }, { id: 'sum_leaf' }], tokens },
    ])
  })

  it('is the same without the ways to have it back', async () => {
    const whole = await tracer().trace(TraceInput.parse({ id: 'msg_1' }))
    const only = await tracer().trace(TraceInput.parse({ id: 'msg_1', ladderOnly: true }))
    expect(whole.wayBack).not.toEqual([])
    expect(only).toEqual({ ...whole, wayBack: [], tookMs: only.tookMs })
  })

  it('names only queries that were run and find it', async () => {
    const { wayBack } = await tracer().trace(TraceInput.parse({ id: 'msg_1' }))
    const queries = wayBack.filter((way) => way.kind === 'search')
    expect(queries.length).toBeGreaterThan(0)
    for (const { query, place, id } of queries) {
      const reader = new MemoryReader(memory.db)
      const { hits } = await new RetrievalEngine(memory.db, NATIVE_CAPABILITIES, reader).search({
        ...{ query, mode: 'full_text', match: 'auto', scope: 'both', sort: 'relevance', limit: 20, exactTotal: false },
        conversationIds: [1],
      })
      expect(hits[place - 1]?.id).toBe(id)
    }
  })

  it('finds every place that says some words, and begins at the message that said them first', async () => {
    const found = await tracer().trace(TraceInput.parse({ text: 'gateway retries PAY-1187' }))
    expect(found.id).toBe('msg_1')
    expect(found.places.map(({ id, state }) => [id, state])).toContainEqual(['sum_leaf', 'dropped'])
    expect(found.places.find(({ id }) => id === 'msg_1')?.lostAt?.id).toBe('sum_middle')
  })

  it('finds only places between two messages, and summaries that cover any of them', async () => {
    using told = buildMemory({ conversations: [{ messages: ['PAY-1187 one.', 'PAY-1187 two.', 'PAY-1187 three.'] }] })
    const placesIn = async (ends: { readonly fromMessage?: string; readonly toMessage?: string }) =>
      (await tracer(told).trace(TraceInput.parse({ text: 'PAY-1187', ...ends }))).places.map(({ id }) => id).sort()
    expect(await placesIn({ fromMessage: 'msg_2' })).toEqual(['msg_2', 'msg_3'])
    expect(await placesIn({ fromMessage: 'msg_2', toMessage: 'msg_2' })).toEqual(['msg_2'])
    for (const asked of [{ text: 'PAY-1187' }, { id: 'msg_1' }]) {
      const reversed = TraceInput.parse({ ...asked, fromMessage: 'msg_3', toMessage: 'msg_2' })
      await expect(tracer(told).trace(reversed)).rejects.toMatchObject({
        code: 'invalid_argument',
        message: 'msg_3 comes after msg_2: a range begins with its earlier message. Exchange the two.',
      })
    }
    told.leaf(1, [2, 3], { content: '- PAY-1187 was told twice.', id: 'sum_later' })
    expect(await placesIn({ toMessage: 'msg_1' })).toEqual(['msg_1'])
    expect(await placesIn({ toMessage: 'msg_2' })).toEqual(['msg_1', 'msg_2', 'sum_later'])
  })

  it('begins at what has all the words, also where others have some of them more often', async () => {
    using told = buildMemory({ conversations: [{}] })
    const some = Array.from({ length: 40 }, (_, at) => `Ledger, ledger, ledger ${at}: the ledger waits.`)
    told.messages(1, [...some, 'The ledger was moved to ap-south-2 because of the audit.', ...some])
    const { id, places } = await textTraceOf(told, 'the audit moved our ledger to ap-south-2')
    expect([id, places[0]?.id]).toEqual(['msg_41', 'msg_41'])
  })

  it('follows a text of more words than a query may have', async () => {
    using told = buildMemory({ conversations: [{}] })
    const long = Array.from({ length: 150 }, (_, at) => `service${at} has port ${7000 + at}.`).join(' ')
    told.messages(1, ['Hello.', long, 'Goodbye.'])
    const { id, state } = await textTraceOf(told, long)
    expect([id, state]).toEqual(['msg_2', 'kept'])
  })

  it('says that nothing says words that stand nowhere', async () => {
    const found = await tracer().trace(TraceInput.parse({ text: 'zebra 99171' }))
    expect(found).toMatchObject({ id: null, ladder: [], places: [], inWindow: false })
    expect(found.notes.join(' ')).toContain('Nothing says this')
  })

  it('tells when something that a summary dropped is said again in the window', async () => {
    using again = buildMemory({ conversations: [{ messages: [SAID, 'Good.'] }] })
    again.leaf(1, [1, 2], { content: '- Something about gateways.', id: 'sum_leaf' })
    again.messages(1, ['As said, PAY-1187 raised the retries of the gateway to 4.'])
    const { inWindow, lostAt, toldAgain } = await traceOf(again.db, 'msg_1', 'PAY-1187')
    expect([inWindow, lostAt?.id, toldAgain.map(({ id }) => id)]).toEqual([true, 'sum_leaf', ['msg_3']])
  })

  it('says that nothing left the window when it was said again before the summary that dropped it was made', async () => {
    using again = buildMemory({ conversations: [{ messages: [SAID, 'Good.', `As said: ${SAID}`] }] })
    again.leaf(1, [1, 2], { content: '- Something about gateways.', id: 'sum_leaf' })
    again.damage('UPDATE summaries SET created_at = (SELECT max(created_at) + 60000 FROM messages)')
    const { stood } = await traceOf(again.db, 'msg_1', 'PAY-1187')
    expect(stood.map(({ id, toAtMs }) => [id, toAtMs])).toEqual([['msg_1', null]])
  })

  it('ends at the window that the model is given, without what is left out of it', async () => {
    const windowOf = async (leftOut: readonly string[]) =>
      (await tracer(memory, leftOut).trace(TraceInput.parse({ id: 'msg_1' }))).ladder.at(-1)
    const [whole, sent] = [await windowOf([]), await windowOf(['msg_6'])]
    expect([whole?.sources, sent?.sources]).toEqual([3, 2])
    expect((whole?.tokens ?? 0) - (sent?.tokens ?? 0)).toBe(Math.ceil('The audit.'.length / 4))
  })

  it('is left out when it stands only in what the window leaves out', async () => {
    using told = buildMemory({ conversations: [{ messages: [SAID, 'Good.', 'Port 8123 it is.', 'And port 9001.'] }] })
    told.leaf(1, [1, 2], { content: `- ${SAID}`, id: 'sum_leaf' })
    const traceWithout = async (id: string, ...leftOut: string[]) => {
      const { state, inWindow, ladder, lostAt, details } = await tracer(told, leftOut).trace(TraceInput.parse({ id }))
      const fates = new Set(details.map(({ fate }) => fate))
      return { state, inWindow, lostAt, fates: [...fates], rungs: ladder.map((rung) => [rung.state, rung.inWindow]) }
    }
    expect(await traceWithout('msg_3')).toMatchObject({ state: 'kept', inWindow: true, fates: ['kept'] })
    const leftOut = { state: 'left_out', inWindow: false, lostAt: null, fates: ['left_out'] }
    expect(await traceWithout('msg_3', 'msg_3')).toMatchObject(leftOut)
    expect(await traceWithout('msg_1', 'sum_leaf')).toEqual({
      ...leftOut,
      rungs: [
        ['kept', false],
        ['kept', false],
        ['left_out', true],
      ],
    })
    const { places } = await tracer(told, ['msg_3']).trace(TraceInput.parse({ text: 'Port 8123' }))
    expect(places.map(({ id, state, kept, inWindow }) => [id, state, kept, inWindow])).toContainEqual([
      'msg_3',
      'left_out',
      0,
      false,
    ])
  })

  it('is kept when something else says it that the model is given', async () => {
    using told = buildMemory({ conversations: [{ messages: ['Port 8123 it is.', 'Good.', 'Port 8123 it is.'] }] })
    const { state, inWindow, toldAgain } = await tracer(told, ['msg_1']).trace(TraceInput.parse({ id: 'msg_1' }))
    expect([state, inWindow, toldAgain.map(({ id }) => id)]).toEqual(['kept', true, ['msg_3']])
  })

  it('says of what the window holds that the model is not given it', async () => {
    const notesOf = async (id: string, leftOut: readonly string[]) =>
      (await tracer(memory, leftOut).trace(TraceInput.parse({ id }))).notes.filter((note) => /not given/.test(note))
    expect(await notesOf('msg_6', ['msg_6', 'sum_top'])).toEqual([
      'msg_6 is in the window, but the model is not given it: the window says why.',
    ])
    expect(await notesOf('msg_6', ['msg_5'])).toEqual([])
    // Nothing of the message stands in the summary that is left out.
    expect(await notesOf('msg_1', ['sum_top'])).toEqual([])
  })

  it('marks the words that are traced, and not the whole line in which they stand', async () => {
    const line = '2025-09-01 the pool failed with an error while it was drained'
    using told = buildMemory({ conversations: [{ messages: [line, 'Good.'] }] })
    const { places } = await textTraceOf(told, 'error')
    expect(places.map(({ excerpt, marks }) => marks.map(([start, end]) => excerpt.slice(start, end)))).toEqual([
      ['error'],
    ])
  })

  it('says from which field of a message an excerpt is', async () => {
    using told = buildMemory({
      conversations: [{ messages: [{ role: 'assistant', content: 'I look.', parts: [CALL] }] }],
    })
    const { places } = await textTraceOf(told, 'PAY-7001')
    expect(places.map(({ id, field }) => [id, field])).toEqual([['msg_1', 'tool_input']])
  })

  it('refuses a file, an id that names nothing, and a question without words', async () => {
    await expect(traceOf(memory.db, 'msg_999')).rejects.toMatchObject({ code: 'not_found' })
    await expect(tracer().trace(TraceInput.parse({}))).rejects.toMatchObject({ code: 'invalid_argument' })
  })

  it('stops when it is cancelled', async () => {
    const signal = AbortSignal.abort()
    await expect(tracer().trace(TraceInput.parse({ id: 'msg_1' }), signal)).rejects.toMatchObject({ code: 'cancelled' })
  })
})

describe('a ladder in a damaged memory', () => {
  it('ends where the lineage is a cycle or a summary is missing', async () => {
    using broken = buildMemory({ conversations: [{ messages: [SAID, 'Good.', 'More.', 'Yes.'] }] })
    const a = broken.leaf(1, [1, 2], { content: 'Retries, PAY-1187.', id: 'sum_a' })
    const b = broken.condensed(1, [a], { content: 'Retries.', id: 'sum_b' })
    const c = broken.condensed(1, [b], { content: 'Nothing.', id: 'sum_c', depth: 2 })
    broken.db.exec('PRAGMA foreign_keys = OFF')
    broken.db.run('INSERT INTO summary_sources (summary_id, source_summary_id, ordinal) VALUES (:a, :c, 0)', { a, c })
    broken.db.run(
      "INSERT INTO summary_sources (summary_id, source_summary_id, ordinal) VALUES ('sum_c', 'sum_gone', 7)",
    )
    for (const id of ['msg_1', a, b, c]) {
      const { ladder } = await traceOf(broken.db, id)
      expect(ladder.length).toBeGreaterThan(1)
      expect(new Set(ladder.map((rung) => rung.id)).size).toBe(ladder.length)
    }
  })
})
