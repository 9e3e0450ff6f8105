import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openLcm } from '#core/lcm.ts'
import { exportLedger } from '#core/ledger/export-ledger.ts'
import { parseLine, toLine } from '#core/ledger/ledger-line.ts'
import { rebuildMemory } from '#core/ledger/rebuild-memory.ts'
import { verifyLedger } from '#core/ledger/verify-ledger.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { runToEnd } from '#core/yielding.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { FIXTURES } from '../sqlite/fixtures.ts'

const estimator = createTokenEstimator()
const signal = new AbortController().signal
const rebuild = (ledger: string) =>
  runToEnd(rebuildMemory({ ledger, to: join(temporaryFolder(), 'again.db'), estimator }, signal))

describe('the ledger of decapod', () => {
  const ledger = join(FIXTURES, 'decapod/small/lcm.events.jsonl')
  const lines = readFileSync(ledger, 'utf8').trimEnd().split('\n')

  it('is written byte for byte as decapod does', () => {
    for (const line of lines) {
      const event = parseLine(line)
      expect(typeof event === 'string' ? event : toLine(event)).toBe(`${line}\n`)
    }
  })

  it('is verified, and rebuilt with every line, also when a content is repeated', async () => {
    const events = lines.length
    expect(await runToEnd(verifyLedger(ledger, null, signal))).toMatchObject({ ok: true, events })
    expect(await rebuild(ledger)).toMatchObject({ ok: true, messages: events, failures: [] })
  })
})

describe('the export of a ledger', () => {
  it.each([
    'lossless-claw/rich.db',
    'hermes-lcm/small.db',
    'lossless-claude/small.sqlite',
    'pi-lcm/small.db',
    'argentos/small.db',
  ])('rebuilds the same messages and summaries from %s', async (name) => {
    using lcm = await openLcm(join(FIXTURES, name), { readOnly: true })
    const to = join(temporaryFolder(), 'out.jsonl')
    await runToEnd(exportLedger({ db: lcm.read, info: lcm.info, to, clock: Date.now }, signal))
    const again = await rebuild(to)
    const stats = lcm.stats.stats()
    expect(again).toMatchObject({ ok: true, messages: stats.messages, summaries: stats.summaries })
  })
})
