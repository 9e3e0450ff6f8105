import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { MapStep } from '#core/contract/map.ts'
import { MapRecord } from '#core/map/map-record.ts'
import { ItemFailure } from '#core/map/worker.ts'
import { processMark } from '#core/sqlite/process-mark.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { mapped, request, workerOf } from './map-work.ts'

/** Two lines as decapod 0.47.10 writes them. */
const DECAPOD = `{"actor":"agent-claude","event_id":"01KJQ32YBPN9T6HFG4GGK58KE3","item_count":2,"op":"map.llm","prompt_hash":"5d47","result_hash":"c400","schema_hash":"f6f5","status":"completed","ts":"1772449003Z"}
{"actor":"agent-claude","delegate_hash":"bb4b","event_id":"01KJQ32YWV7G28ARCM5S4NDG6Z","item_count":2,"op":"map.agentic","result_hash":"49f4","retain":"merge decisions and final sign-off","status":"completed","ts":"1772449004Z"}
`

let folder: string
let record: MapRecord
beforeEach(() => {
  folder = temporaryFolder()
  record = new MapRecord(folder)
})

function inputOf(count: number): string {
  const path = join(folder, 'items.json')
  writeFileSync(path, JSON.stringify(Array.from({ length: count }, (_, n) => n)))
  return path
}

async function stepsOf(runId: string, only: 'all' | 'retries' | 'failures' = 'all', limit = 200): Promise<MapStep[]> {
  const steps: MapStep[] = []
  let cursor: string | undefined
  for (;;) {
    const page = await record.steps({ runId, only, limit, ...(cursor === undefined ? {} : { cursor }) })
    expect(page.steps.length).toBeLessThanOrEqual(limit)
    steps.push(...page.steps)
    if (page.nextCursor === null) return steps
    cursor = page.nextCursor
  }
}

describe('the record of runs', () => {
  it('is empty where nothing was recorded', async () => {
    expect(await record.runs()).toMatchObject({ runs: [], unreadable: 0, isCut: false })
  })

  it('lists what decapod recorded, the newest first, and counts lines that are no events', async () => {
    writeFileSync(join(folder, 'map.events.jsonl'), `${DECAPOD}{"cut":\n[]\n`)
    const { runs, unreadable } = await record.runs()
    expect(unreadable).toBe(2)
    expect(runs).toMatchObject([
      {
        ...{ operator: 'agentic', retain: 'merge decisions and final sign-off', items: 2, atMs: 1_772_449_004_000 },
        ...{ runId: null, completed: null, hasJournal: false, actor: 'agent-claude', status: 'completed' },
        hashes: { delegate_hash: 'bb4b', result_hash: '49f4' },
      },
      { operator: 'llm', hashes: { prompt_hash: '5d47', result_hash: 'c400', schema_hash: 'f6f5' } },
    ])
  })

  it('gives a run one row, however often it was started, with the newest counts', async () => {
    let isWell = false
    const worker = workerOf(async ({ item }) => {
      if (item.index === 1 && !isWell) throw new ItemFailure('not yet', true)
      return item.json
    })
    const order = request(inputOf(3), { worker, record: folder, retries: 1, concurrency: 1 })
    const { runId } = await mapped(order)
    expect((await record.runs()).runs).toMatchObject([{ runId, status: 'failed', completed: 2, failed: 1, retries: 1 }])
    isWell = true
    await mapped(order)
    expect((await record.runs()).runs).toMatchObject([{ runId, status: 'completed', completed: 3, failed: 0 }])
    const all = await stepsOf(runId)
    expect(all.map(({ kind, index }) => [kind, index])).toEqual([
      ['completed', 0],
      ['retry', 1],
      ['failed', 1],
      ['completed', 2],
      ['completed', 1],
    ])
    for (const limit of [1, 2, 3]) expect(await stepsOf(runId, 'all', limit)).toEqual(all)
    expect((await stepsOf(runId, 'failures')).map(({ index, text }) => [index, text])).toEqual([[1, 'not yet']])
    expect((await stepsOf(runId, 'retries')).map(({ kind }) => kind)).toEqual(['retry', 'failed'])
  })

  it('lists a run that was cut off as interrupted, and as running while a process works on it', async () => {
    const { runId, journal } = await mapped(request(inputOf(2), { record: folder }))
    writeFileSync(join(folder, 'map.events.jsonl'), '')
    expect((await record.runs()).runs).toMatchObject([{ runId, status: 'interrupted', items: 2, actor: null }])
    writeFileSync(`${journal}.lock`, `0123456789abcdef ${processMark()}`)
    expect((await record.runs()).runs).toMatchObject([{ runId, status: 'running' }])
  })

  it('reads nothing that is no regular file, no journal, or larger than any record of ours', async () => {
    mkdirSync(join(folder, 'map-runs'))
    symlinkSync('/dev/zero', join(folder, 'map.events.jsonl'))
    symlinkSync('/dev/zero', join(folder, 'map-runs', '0123456789abcdef.jsonl'))
    writeFileSync(join(folder, 'map-runs', '1123456789abcdef.jsonl'), 'x'.repeat(200_000))
    writeFileSync(join(folder, 'map-runs', 'notes.txt'), '')
    expect((await record.runs()).runs).toEqual([])
    await expect(record.steps({ runId: '0123456789abcdef', only: 'all', limit: 1 })).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  it('lists the newest events of a file that is too large to be read whole, and says so', async () => {
    const lines = Array.from({ length: 30_000 }, (_, n) => DECAPOD.split('\n')[0]?.replace('58KE3', String(n + 10_000)))
    writeFileSync(join(folder, 'map.events.jsonl'), `${lines.join('\n')}\n`)
    const { runs, isCut, unreadable } = await record.runs()
    expect([isCut, unreadable, runs.length]).toEqual([true, 0, 2_000])
    expect(runs[0]?.key).toBe('01KJQ32YBPN9T6HFG4GGK39999')
  })
})
