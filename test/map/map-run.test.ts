import { createHash } from 'node:crypto'
import { appendFileSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { MapEvent } from '#core/contract/map.ts'
import { LcmError } from '#core/errors.ts'
import { AnswerSchema } from '#core/map/answer-schema.ts'
import { ItemFailure } from '#core/map/worker.ts'
import { runs } from '../builders/property-runs.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { mapped, request, workerOf } from './map-work.ts'

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

function inputOf(values: readonly unknown[]): string {
  const path = join(folder, 'items.json')
  writeFileSync(path, JSON.stringify(values))
  return path
}

const linesOf = (path: string): string[] => readFileSync(path, 'utf8').trimEnd().split('\n')
const eventsOf = (path: string): MapEvent[] => linesOf(path).map((line) => MapEvent.parse(JSON.parse(line)))
const sha = (text: string): string => createHash('sha256').update(text).digest('hex')

describe('a run over items', () => {
  // "exactly one result per item"
  it('has exactly one result for each item in the order of the input, however often work fails, waits or is cut off', async () => {
    const plan = fc.record({
      items: fc.integer({ min: 1, max: 40 }),
      concurrency: fc.integer({ min: 1, max: 12 }),
      retries: fc.integer({ min: 0, max: 3 }),
      /** What the n-th call does, over and over. */
      calls: fc.array(fc.constantFrom('answer', 'late answer', 'refused', 'fails', 'fails for good'), {
        minLength: 1,
        maxLength: 15,
      }),
      /** After so many calls the run is cancelled, and started again. */
      stops: fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 3 }),
    })
    await fc.assert(
      fc.asyncProperty(plan, async ({ items, concurrency, retries, calls, stops }) => {
        folder = temporaryFolder()
        const values = Array.from({ length: items }, (_, n) => ({ n }))
        const schema = new AnswerSchema('{"type":"object","required":["n"]}', 'schema.json')
        let made = 0
        const abort = { at: Number.POSITIVE_INFINITY, controller: new AbortController() }
        const worker = workerOf(async ({ item }, signal) => {
          const call = calls[made % calls.length]
          made += 1
          if (made >= abort.at) abort.controller.abort()
          if (call === 'late answer') await wait(1, undefined, { signal })
          if (call === 'refused') return '{"m":1}'
          if (call === 'fails') throw new ItemFailure('no', true)
          if (call === 'fails for good') throw new ItemFailure('never', false)
          signal.throwIfAborted()
          return item.json
        })
        const asked = request(inputOf(values), {
          ...{ worker, concurrency, retries },
          record: folder,
          check: (answer) => schema.check(answer),
        })
        for (const stop of stops) {
          made = 0
          Object.assign(abort, { at: stop + 1, controller: new AbortController() })
          await mapped(asked, abort.controller.signal).catch((error: unknown) => {
            expect(error).toMatchObject({ code: 'cancelled' })
          })
        }
        abort.at = Number.POSITIVE_INFINITY
        const { results, completed, failed } = await mapped(asked)
        expect(results.map(({ index }) => index)).toEqual(values.map((_value, index) => index))
        expect(completed + failed).toBe(items)
        for (const { index, status, output, attempts, item_hash } of results) {
          expect(item_hash).toBe(sha(JSON.stringify({ n: index })))
          expect(attempts).toBeLessThanOrEqual(retries + 1)
          if (status === 'completed') expect(output).toEqual({ n: index })
          else expect(output).toBeUndefined()
        }
        expect(readdirSync(join(folder, 'map-runs')).filter((name) => name.includes('.lock'))).toEqual([])
      }),
      { numRuns: runs(150) },
    )
  })

  it('does only what is missing when it is started again, and is recorded once when nothing is', async () => {
    const asked: number[] = []
    let isWell = false
    const worker = workerOf(async ({ item }) => {
      asked.push(item.index)
      if (item.index === 1 && !isWell) throw new ItemFailure('no', false)
      return item.json
    })
    const order = request(inputOf([0, 1, 2]), { worker, record: folder, concurrency: 1 })
    expect(await mapped(order)).toMatchObject({ completed: 2, failed: 1, resumed: 0, event: { status: 'failed' } })
    isWell = true
    expect(await mapped(order)).toMatchObject({ completed: 3, failed: 0, resumed: 2, event: { status: 'completed' } })
    const done = await mapped(order)
    expect(done).toMatchObject({ completed: 3, resumed: 3 })
    expect(asked).toEqual([0, 1, 2, 1])
    expect(eventsOf(done.eventsPath).map(({ status }) => status)).toEqual(['failed', 'completed'])
  })

  it('begins another run when that is asked for, and goes on with the newest one afterwards', async () => {
    let calls = 0
    const worker = workerOf(async () => {
      calls += 1
      return String(calls)
    })
    const order = request(inputOf(['a']), { worker, record: folder })
    const [first, second] = [await mapped(order), await mapped({ ...order, isNew: true })]
    expect([first.results[0]?.output, second.results[0]?.output]).toEqual([1, 2])
    expect(second.runId).toBe(`${first.runId}-2`)
    expect((await mapped(order)).results[0]?.output).toBe(2)
  })

  it('is another run when the items, the prompt, the schema, the worker or what is retained differ', async () => {
    const order = request(inputOf(['a']), { record: folder })
    const ids = [
      order,
      { ...order, hashes: { ...order.hashes, prompt_hash: 'q' } },
      { ...order, hashes: { ...order.hashes, schema_hash: 't' } },
      { ...order, worker: workerOf(async () => '1', ['other']) },
      { ...order, retain: 'the last word' },
    ]
    const made = []
    for (const one of ids) made.push((await mapped(one)).runId)
    made.push((await mapped({ ...order, input: inputOf(['b']) })).runId)
    expect(new Set(made).size).toBe(6)
  })

  it('goes on behind a last line that was cut off, and does an item again whose line is damaged', async () => {
    const order = request(inputOf([0, 1, 2, 3]), { record: folder, concurrency: 1 })
    const { journal } = await mapped(order)
    const lines = linesOf(journal)
    const damaged = lines.map((line, index) => (index === 2 ? line.replace('"result"', '"re') : line)).join('\n')
    writeFileSync(journal, `${damaged}\n`)
    truncateSync(journal, Buffer.byteLength(damaged) - 20)
    const again = await mapped(order)
    expect(again).toMatchObject({ resumed: 2, completed: 4 })
    expect(again.results.map(({ output }) => output)).toEqual([0, 1, 2, 3].map((n) => ({ echo: n })))
    expect(() =>
      linesOf(journal)
        .slice(3)
        .map((line) => JSON.parse(line)),
    ).not.toThrow()
  })

  it('stops when no item can have an answer, keeps the results until then, and goes on later', async () => {
    let isDown = true
    const worker = workerOf(async ({ item }) => {
      if (item.index > 1 && isDown) throw new LcmError('model_failed', 'the model is down')
      return item.json
    })
    const order = request(inputOf([0, 1, 2, 3]), { worker, record: folder, concurrency: 1 })
    await expect(mapped(order)).rejects.toMatchObject({ code: 'model_failed' })
    isDown = false
    const { eventsPath, ...done } = await mapped(order)
    expect(done).toMatchObject({ resumed: 2, completed: 4 })
    expect(eventsOf(eventsPath).map(({ status, completed_count: done }) => [status, done])).toEqual([
      ['failed', 2],
      ['completed', 4],
    ])
  })

  it('is refused while another process works on it', async () => {
    const order = request(inputOf([0]), { record: folder })
    const [begun, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()]
    const worker = workerOf(() => {
      begun.resolve()
      return answered.promise
    })
    const first = mapped({ ...order, worker })
    await begun.promise
    await expect(mapped(order)).rejects.toMatchObject({ code: 'locked' })
    answered.resolve('1')
    expect(await first).toMatchObject({ completed: 1 })
  })

  it('records nothing of an order whose command does not exist', async () => {
    const worker = workerOf(async () => {
      throw new LcmError('invalid_argument', 'The command is not found.')
    })
    await expect(mapped(request(inputOf([0]), { worker, record: folder }))).rejects.toThrow('not found')
    expect(readdirSync(folder).filter((name) => name.endsWith('.jsonl'))).toEqual([])
    expect(readdirSync(join(folder, 'map-runs'))).toEqual([])
  })
})

describe('the event of a run', () => {
  it('has the keys, the order and the hashes of decapod', async () => {
    const { event, eventsPath, results } = await mapped(request(inputOf(['item1', { b: 1, a: 2 }]), { record: folder }))
    const [line = ''] = linesOf(eventsPath)
    expect(line).toBe(JSON.stringify(event, Object.keys(event).sort()))
    expect(event).toMatchObject({
      actor: 'tester',
      op: 'map.llm',
      item_count: 2,
      status: 'completed',
      ts: '1772449003Z',
    })
    expect(event.event_id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/)
    const hashes = [sha('"item1"'), sha('{"a":2,"b":1}')]
    const list = hashes.map((item_hash, index) => ({ index, item_hash, status: 'completed' }))
    expect(event.result_hash).toBe(sha(JSON.stringify(list)))
    expect(event.input_hash).toBe(sha(hashes.join(',')))
    expect(event.output_hash).toBe(sha(results.map(({ output_hash }) => output_hash).join(',')))
    expect(results[0]?.output_hash).toBe(sha('{"echo":"item1"}'))
  })

  it('stands on a line of its own behind a line that another program left unfinished', async () => {
    const events = join(folder, 'map.events.jsonl')
    appendFileSync(events, '{"actor":"other"')
    await mapped(request(inputOf([1]), { record: folder }))
    const lines = linesOf(events)
    expect([lines.length, lines[0]]).toEqual([2, '{"actor":"other"'])
    expect(MapEvent.parse(JSON.parse(lines[1] ?? '')).status).toBe('completed')
  })
})
