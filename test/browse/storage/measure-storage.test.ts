import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { measureStorage } from '#core/browse/storage/measure-storage.ts'
import type { StorageReport } from '#core/contract/storage.ts'
import { openLcm } from '#core/lcm.ts'
import { openNative } from '#core/sqlite/native.ts'
import { runToEnd } from '#core/yielding.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { FIXTURES } from '#test/sqlite/fixtures.ts'

async function measure(path: string, signal = new AbortController().signal): Promise<StorageReport> {
  using lcm = await openLcm(path, { readOnly: true })
  return await runToEnd(measureStorage({ db: lcm.read, info: lcm.info, largeFileTokens: 25_000 }, signal))
}

const memory = () => buildMemory({ conversations: [{ messages: ['one', 'two', 'three'] }] }).path

describe('the measurement of storage', () => {
  it('accounts for every page of the file', async () => {
    const path = memory()
    const report = await measure(path)
    const objects = report.objects.reduce((sum, object) => sum + object.bytes, 0)
    expect(report.unreadable).toEqual([])
    expect(objects + report.freePages * report.pageBytes).toBe(report.bytes)
  })

  it('separates tables, indexes and search indexes, and names their owner', async () => {
    const { objects } = await measure(memory())
    const of = (name: string) => objects.find((object) => object.name === name)
    expect(of('messages')).toMatchObject({ kind: 'table', of: 'messages', rows: 3 })
    expect(of('messages_history')).toMatchObject({ kind: 'index', of: 'messages', rows: null })
    expect(of('messages_trigram_data')).toMatchObject({ kind: 'search_index', of: 'messages_trigram' })
  })

  it('counts the bytes of repeated messages, except for one of each', async () => {
    const long = 'pasted again and again '.repeat(100)
    const { path } = buildMemory({ conversations: [{ messages: [long, 'short', long, 'short', long] }] })
    const { repeated } = await measure(path)
    expect(repeated.find((one) => one.id === 'identical_messages')).toMatchObject({ bytes: 2 * long.length, rows: 2 })
  })

  it('expects VACUUM to free the free pages', async () => {
    const path = memory()
    const db = openNative(path)
    db.exec('CREATE TABLE ballast (x); INSERT INTO ballast VALUES (zeroblob(3000000)); DROP TABLE ballast')
    db.close()
    const report = await measure(path)
    expect(report.advice.find((one) => one.id === 'vacuum')?.gainBytes).toBe(report.freePages * report.pageBytes)
    expect(report.freePages * report.pageBytes).toBeGreaterThan(2_900_000)
  })

  it('mentions the backups beside the file', async () => {
    const path = memory()
    writeFileSync(`${path}.backup-2026-03-02.db`, Buffer.alloc(2_000_000))
    const { advice } = await measure(path)
    expect(advice).toEqual([expect.objectContaining({ id: 'backups', gainBytes: 2_000_000 })])
  })

  it('stops when it is cancelled', async () => {
    await expect(measure(memory(), AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' })
  })
})

describe('the measurement of files of other systems', () => {
  it.each([
    'lossless-claw/rich.db',
    'lossless-claude/small.sqlite',
    'hermes-lcm/small.db',
    'argentos/gateway.db',
    'pi-lcm/small.db',
    'decapod/small/lcm.db',
  ])('accounts for every page of %s', async (name) => {
    const report = await measure(join(FIXTURES, name))
    const objects = report.objects.reduce((sum, object) => sum + object.bytes, 0)
    expect(objects + report.freePages * report.pageBytes).toBe(report.bytes)
  })

  it('finds the second copy of the text that standalone full-text tables keep', async () => {
    const { repeated, objects } = await measure(join(FIXTURES, 'lossless-claw/small.db'))
    expect(
      objects
        .filter((object) => object.kind === 'search_text')
        .map((object) => object.of)
        .sort(),
    ).toEqual(['messages_fts', 'summaries_fts', 'summaries_fts_cjk'])
    expect(repeated.find((one) => one.id === 'search_text')?.bytes).toBeGreaterThan(10_000)
  })
})
