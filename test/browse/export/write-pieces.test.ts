import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { writePieces } from '#core/browse/export/write-pieces.ts'
import { ConversationStore } from '#core/ingest/conversation-store.ts'
import { openLcm } from '#core/lcm.ts'
import { exportLedger } from '#core/ledger/export-ledger.ts'
import { LedgerWriter } from '#core/ledger/ledger-writer.ts'
import { verifyLedger } from '#core/ledger/verify-ledger.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { runToEnd } from '#core/yielding.ts'
import { permissionOf } from '#test/builders/ledgers.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'

// As on a disk that is nearly full: what is asked for is written in part, and no error says so.
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>()
  const inPart = (file: number, asked: string | Buffer, at = 0): number => {
    const bytes = Buffer.from(asked).subarray(at)
    return fs.writeSync(file, bytes, 0, Math.ceil(bytes.length / 2))
  }
  return { ...fs, writeSync: inPart }
})

const { signal } = new AbortController()

function opened(path: string): number {
  const file = openSync(path, 'wx')
  onTestFinished(() => closeSync(file))
  return file
}

it('a document is written whole', async () => {
  const path = join(temporaryFolder(), 'document')
  await runToEnd(writePieces(opened(path), ['one ', 'zwei – ', '三 🚀'], signal))
  expect(readFileSync(path, 'utf8')).toBe('one zwei – 三 🚀')
})

it('a ledger is written whole when it is kept and when it is exported', async () => {
  const folder = temporaryFolder()
  const lcm = await openLcm(join(folder, 'lcm.db'), { create: true })
  onTestFinished(() => lcm.close())
  const db = lcm.requireWrite('keep a ledger')
  const kept = new LedgerWriter(db, Date.now, permissionOf(lcm.info.path))
  kept.enable(join(folder, 'kept.jsonl'))
  const store = new ConversationStore(db, createTokenEstimator(), Date.now)
  const part = { type: 'text', text: null, isContent: true } as const
  store.append(store.ensureConversation({ importer: 'test', sessionId: 's' }), [
    { externalId: null, role: 'user', content: 'hello '.repeat(100), createdAtMs: 1, parts: [part] },
  ])
  kept.drain()
  const to = join(folder, 'exported.jsonl')
  await runToEnd(exportLedger({ db: lcm.read, info: lcm.info, to, clock: Date.now }, signal))
  for (const ledger of [join(folder, 'kept.jsonl'), to]) {
    expect(await runToEnd(verifyLedger(ledger, lcm.read, signal))).toMatchObject({ ok: true, failureCount: 0 })
  }
})

it('a document stops when it is cancelled, however much of it is left', async () => {
  const stop = new AbortController()
  function* endless(): Generator<string> {
    for (;;) yield 'more and '
  }
  const job = writePieces(opened(join(temporaryFolder(), 'document')), endless(), stop.signal)
  expect((await job.next()).value).toMatchObject({ unit: 'bytes', done: expect.any(Number) })
  stop.abort()
  await expect(job.next()).rejects.toMatchObject({ code: 'cancelled' })
})
