import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hostCalls } from '#core/contract/host.ts'
import { Engine } from '#core/doors/engine/engine.ts'
import { LineSplitter } from '#core/doors/line-splitter.ts'
import { PROCEDURES, procedureCaller } from '#core/doors/procedures.ts'
import { LcmError } from '#core/errors.ts'
import type { HostCallName } from '#core/host/hosted-memory.ts'
import { type Hosted, hosted, turns } from '#test/builders/hosted.ts'
import { runs } from '#test/builders/property-runs.ts'

type Document = { id?: unknown; result?: unknown; error?: { code: number; data?: { code: string } }; params?: unknown }
type Call = (method: string, params: unknown, signal: AbortSignal) => Promise<unknown>

const request = (id: unknown, method: string, params?: unknown): Buffer =>
  Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) }))

/** An engine on calls of a test, and what it has written. */
function engineOn(call: Call, write: (line: string) => Promise<void> = async () => undefined) {
  const written: Document[] = []
  const engine = new Engine({
    call,
    isKnown: (method) => method !== 'unknown',
    isWrite: (method) => method === 'ingest',
    isEndless: (method) => method === 'events',
    write: async (line) => {
      written.push(JSON.parse(line) as Document)
      await write(line)
    },
  })
  return { engine, written }
}

/** Everything that waits without a clock has happened. */
const settled = (): Promise<void> => new Promise((done) => setImmediate(done))

describe('the engine', () => {
  it.each([
    ['{', -32700, null],
    ['{"jsonrpc":"2.0","id":1,"method":"x\xff"}', -32700, null],
    ['[]', -32600, null],
    ['1', -32600, null],
    ['[1]', -32600, null],
    ['{"id":3,"method":"x"}', -32600, 3],
    ['{"jsonrpc":"2.0","id":4}', -32600, 4],
    ['{"jsonrpc":"2.0","id":{},"method":"x"}', -32600, null],
    ['{"jsonrpc":"2.0","id":5,"method":"x","params":"y"}', -32600, 5],
    ['{"jsonrpc":"2.0","id":6,"method":"unknown"}', -32601, 6],
    ['{"jsonrpc":"2.0","id":7,"method":"x","params":[1]}', -32602, 7],
    ['{"jsonrpc":"2.0","id":8,"method":"invalid_argument"}', -32602, 8],
    ['{"jsonrpc":"2.0","id":"n","method":"locked"}', -32000, 'n'],
  ])('answers %s with the error %i', async (line, code, id) => {
    const { engine, written } = engineOn(async (method) => {
      throw new LcmError(method as 'locked', 'Refused.')
    })
    await engine.take(Buffer.from(line, 'latin1'))
    await engine.end()
    const [answer] = written.flat() as Document[]
    expect(answer).toMatchObject({ jsonrpc: '2.0', id, error: { code } })
    if (code === -32000) expect(answer?.error?.data).toEqual({ code: 'locked', retryable: true })
  })

  it('does not answer notifications, also when they fail, and answers a batch in one document in its order', async () => {
    const { engine, written } = engineOn(async (method) => {
      if (method === 'slow') await settled()
      if (method === 'bad') throw new LcmError('not_found', 'No.')
      return method
    })
    await engine.take(Buffer.from('{"jsonrpc":"2.0","method":"bad"}'))
    await engine.take(Buffer.from('[{"jsonrpc":"2.0","method":"bad"}]'))
    await engine.take(Buffer.from(`[${request(1, 'slow')},${request(2, 'quick')},{"jsonrpc":"2.0","method":"quick"}]`))
    await engine.end()
    expect(written).toEqual([
      [
        { jsonrpc: '2.0', id: 1, result: 'slow' },
        { jsonrpc: '2.0', id: 2, result: 'quick' },
      ],
    ])
  })

  it('runs 32 requests at a time, lets 1,000 wait behind them, and reads no more input then', async () => {
    const gate = Promise.withResolvers<void>()
    let begun = 0
    const { engine, written } = engineOn(() => {
      begun += 1
      return gate.promise
    })
    for (let id = 1; id < 1032; id += 1) await engine.take(request(id, 'wait'))
    let isTaken = false
    const last = engine.take(request(1032, 'wait')).then(() => {
      isTaken = true
    })
    await settled()
    expect([isTaken, begun]).toEqual([false, 32])
    gate.resolve()
    await last
    await engine.end()
    expect(written.map(({ id }) => id)).toEqual(Array.from({ length: 1032 }, (_, n) => n + 1))
  })

  it('reads what is cancelled while as many requests run as may, also what has not begun', async () => {
    const { engine, written } = engineOn(
      (_method, _params, signal) =>
        new Promise((_done, fail) => {
          signal.addEventListener('abort', () => fail(new LcmError('cancelled', 'Stopped.')))
        }),
    )
    for (let id = 1; id <= 40; id += 1) await engine.take(request(id, 'wait'))
    for (const id of [40, 1])
      await engine.take(Buffer.from(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":${id}}}`))
    await settled()
    expect(written).toMatchObject([40, 1].map((id) => ({ id, error: { data: { code: 'cancelled' } } })))
    engine.abort()
    await engine.end()
    expect(written).toHaveLength(40)
  })

  it('answers other requests beside 32 endless ones, and refuses the next endless one', async () => {
    async function* silent(signal: AbortSignal): AsyncGenerator<number> {
      if (!signal.aborted) await new Promise((done) => signal.addEventListener('abort', done))
      yield* []
    }
    const { engine, written } = engineOn(async (method, _params, signal) =>
      method === 'events' ? silent(signal) : method,
    )
    for (let id = 1; id <= 33; id += 1) await engine.take(request(id, 'events'))
    await engine.take(request('read', 'read'))
    await settled()
    expect(written).toMatchObject([
      { id: 33, error: { code: -32000, data: { code: 'locked', retryable: true } } },
      { id: 'read', result: 'read' },
    ])
    await engine.take(Buffer.from('{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}'))
    await settled()
    expect(written[2]).toMatchObject({ id: 1, error: { data: { code: 'cancelled' } } })
    await engine.take(request(34, 'events'))
    await engine.end()
    expect(written.slice(3).map(({ id, result }) => [id, result])).toEqual(
      [...Array.from({ length: 31 }, (_, n) => n + 2), 34].map((id) => [id, null]),
    )
  })

  it('gives all steps of what ends by itself, also when the input ends before', async () => {
    async function* three(): AsyncGenerator<number> {
      for (const step of [1, 2, 3]) {
        await settled()
        yield step
      }
    }
    const { engine, written } = engineOn(async () => three())
    await engine.take(request(1, 'steps'))
    await engine.end()
    expect(
      written.map(({ id, params, result }) => [id, (params as { value: number } | undefined)?.value, result]),
    ).toEqual([
      [undefined, 1, undefined],
      [undefined, 2, undefined],
      [undefined, 3, undefined],
      [1, undefined, null],
    ])
  })

  it('never calls a stream complete that was cut, and gives an error within it its code', async () => {
    async function* cut(signal: AbortSignal): AsyncGenerator<number> {
      for (let n = 0; !signal.aborted; n += 1) {
        yield n
        await settled()
      }
    }
    async function* failing(): AsyncGenerator<number> {
      yield 1
      throw new LcmError('pattern_too_slow', 'Too slow.')
    }
    const { engine, written } = engineOn(async (method, _params, signal) =>
      method === 'cut' ? cut(signal) : failing(),
    )
    await engine.take(request('cut', 'cut'))
    await settled()
    await engine.take(Buffer.from('{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"cut"}}'))
    await engine.take(request('failing', 'failing'))
    await engine.end()
    const answers = written.filter(({ id }) => id !== undefined)
    expect(answers.toSorted((a, b) => (String(a.id) < String(b.id) ? -1 : 1))).toMatchObject([
      { id: 'cut', error: { code: -32000, data: { code: 'cancelled' } } },
      { id: 'failing', error: { code: -32000, data: { code: 'pattern_too_slow' } } },
    ])
  })

  it('begins no request while nobody takes its answers', async () => {
    const gate = Promise.withResolvers<void>()
    const { engine, written } = engineOn(
      async () => 'done',
      () => gate.promise,
    )
    await engine.take(request(1, 'x'))
    await settled()
    for (let id = 2; id <= 1000; id += 1) await engine.take(request(id, 'x'))
    let isTaken = false
    const last = engine.take(request(1001, 'x')).then(() => {
      isTaken = true
    })
    await settled()
    expect([isTaken, written.length]).toEqual([false, 1])
    gate.resolve()
    await last
    await engine.end()
    expect(written).toHaveLength(1001)
  })

  it('begins a request only when the writes before it are done', async () => {
    const done: string[] = []
    const { engine } = engineOn(async (method) => {
      if (method === 'ingest') await settled()
      done.push(method)
    })
    for (const [id, method] of ['ingest', 'read', 'ingest', 'read'].entries()) await engine.take(request(id, method))
    await engine.end()
    expect(done).toEqual(['ingest', 'read', 'ingest', 'read'])
  })

  it('cancels the request that is named, and answers it', async () => {
    const { engine, written } = engineOn(
      (_method, _params, signal) =>
        new Promise((_done, fail) => {
          signal.addEventListener('abort', () => fail(new LcmError('cancelled', 'Stopped.')))
        }),
    )
    await engine.take(request(1, 'long'))
    await engine.take(Buffer.from('{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}'))
    await engine.end()
    expect(written).toMatchObject([{ id: 1, error: { code: -32000, data: { code: 'cancelled' } } }])
  })

  it('gives what is answered step by step as notifications, until the input ends', async () => {
    async function* forever(signal: AbortSignal): AsyncGenerator<number> {
      for (let n = 0; !signal.aborted; n += 1) {
        yield n
        await settled()
      }
    }
    const { engine, written } = engineOn(async (_method, _params, signal) => forever(signal))
    await engine.take(request('e', 'events'))
    await settled()
    await engine.end()
    expect(written[0]).toEqual({ jsonrpc: '2.0', method: '$/progress', params: { id: 'e', value: 0 } })
    expect(written.at(-1)).toEqual({ jsonrpc: '2.0', id: 'e', result: null })
  })

  it('refuses a line that is too long as soon as it is, and takes the next one', () => {
    let refused = 0
    const lines = new LineSplitter({ mostBytes: 4, onTooLong: () => (refused += 1) })
    const taken = ['ab', 'cdefgh', 'i\nxy', 'z\n\nend'].flatMap((piece) => [...lines.take(Buffer.from(piece))])
    expect([...taken, ...lines.end()].map(String)).toEqual(['xyz', 'end'])
    expect(refused).toBe(1)
  })
})

describe('messages that arrive through the engine', () => {
  const rowsOf = async ({ core }: Hosted): Promise<string> => {
    const { read } = await core.lcm()
    const tables = ['conversations', 'messages', 'message_parts', 'context_items']
    return JSON.stringify(tables.map((table) => read.rows(`SELECT * FROM ${table} ORDER BY 1, 2, 3`)))
  }

  const arrive = async (memory: Hosted, input: Buffer, cuts: readonly number[]): Promise<Document[]> => {
    const procedure = procedureCaller(memory.core)
    const answers: Document[] = []
    const engine = new Engine({
      call: (method, params, signal) =>
        Object.hasOwn(hostCalls, method)
          ? memory.ask(method as HostCallName, params, signal)
          : procedure(method, params, signal),
      isKnown: (method) => Object.hasOwn(hostCalls, method) || PROCEDURES.has(method),
      isWrite: (method) => method === 'ingest',
      isEndless: (method) => method === 'events',
      write: async (line) => void answers.push(JSON.parse(line) as Document),
    })
    const lines = new LineSplitter({ mostBytes: 1_000_000, onTooLong: () => engine.refuseLine(1_000_000) })
    const ends = [...new Set(cuts.map((cut) => cut % input.length))].sort((a, b) => a - b)
    let from = 0
    for (const end of [...ends, input.length]) {
      for (const line of lines.take(input.subarray(from, end))) await engine.take(line)
      from = end
    }
    for (const line of lines.end()) await engine.take(line)
    await engine.end()
    return answers
  }

  // "Any split of the input into chunks, and any repetition of ingest batches, gives the same memory."
  it('give the same memory however the bytes of the input are cut and however often a batch is repeated', async () => {
    const texts = fc.array(fc.string({ unit: 'grapheme', maxLength: 20 }), { minLength: 1, maxLength: 12 })
    const cuts = fc.array(fc.nat(), { maxLength: 20 })
    const times = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 12, maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(texts, cuts, times, async (said, where, repeated) => {
        const messages = said.map((content, n) => ({
          id: `m${n}`,
          role: 'user' as const,
          content,
          createdAtMs: 1_700_000_000_000 + n,
        }))
        const [plain, cut] = [hosted(), hosted()]
        await plain.ask('ingest', { sessionId: 's', title: 't', messages })
        const lines = messages.flatMap((message, n) =>
          Array.from(
            { length: repeated[n] ?? 1 },
            () => `${request(n, 'ingest', { sessionId: 's', title: 't', messages: [message] })}`,
          ),
        )
        const answers = await arrive(cut, Buffer.from(lines.join('\n')), where)
        expect(answers.filter(({ error }) => error)).toEqual([])
        expect(answers).toHaveLength(lines.length)
        expect(await rowsOf(cut)).toBe(await rowsOf(plain))
        await plain.core.close()
        await cut.core.close()
      }),
      { numRuns: runs(20) },
    )
  })

  it('are seen by a request that was sent before they were answered', async () => {
    const memory = hosted()
    const lines = [
      request(1, 'ingest', { sessionId: 's', messages: turns(6) }),
      request(2, 'retrieval.grep', { query: 'lighthouse' }),
      request(3, 'assemble', { sessionId: 's' }),
      request(4, 'memory.info'),
      request(5, 'retrieval.describe', { id: 'msg_99' }),
      request(6, 'retrieval.grep', { query: 7 }),
    ]
    const answers = await arrive(memory, Buffer.from(lines.join('\n')), [])
    expect(answers.toSorted((a, b) => Number(a.id) - Number(b.id))).toMatchObject([
      { id: 1, result: { added: 6 } },
      { id: 2, result: { total: 6 } },
      { id: 3, result: { messages: { length: 6 } } },
      { id: 4, result: { system: 'native' } },
      { id: 5, error: { code: -32000, data: { code: 'not_found' } } },
      { id: 6, error: { code: -32602, data: { code: 'invalid_argument' } } },
    ])
    await memory.core.close()
  })
})
