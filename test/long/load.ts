import { statSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { GrepInput } from '#core/contract/retrieval.ts'
import { ConversationStore } from '#core/ingest/conversation-store.ts'
import { openLcm } from '#core/lcm.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { readSettings } from '#core/settings/settings.ts'
import { openNative } from '#core/sqlite/native.ts'
import { generateHistory } from '../builders/history.ts'
import { buildMemory } from '../builders/memory.ts'
import { Child } from '../compaction/children/child.ts'
import { scanFile, wrong } from '../doctor/integrity/scan-file.ts'
import { type Outcome, Tally } from './cases.ts'

/** What writers that tell the same story again and again, and compactors that are killed in the end, leave behind. */
const EXPECTED = new Set(['stale_lock', 'abandoned_run', 'duplicate_message'])
/** Between two looks at the file by a reader. */
const PAUSE_MS = 50

/**
 * Has processes append, import and compact in one file for some minutes, while this process opens
 * it, asks and closes it again and again. No message that was said to be stored may be missing, no check may find a
 * fault, and the reader's memory may not grow.
 */
export async function tryLoad(minutes: number, say: (line: string) => void): Promise<Outcome> {
  const tally = new Tally('reads under load', say)
  using memory = buildMemory({ conversations: [{}] })
  new ConversationStore(memory.db, createTokenEstimator(), Date.now).append(
    1,
    generateHistory({ seed: 7, messages: 300 }),
  )
  const writers = (
    [
      ['append', 'writer'],
      ['import', 'importer'],
      ['compact', 'first'],
      ['compact', 'second'],
    ] as const
  ).map(([work, name]) => new Child(work, memory.path, name))
  await Promise.all(writers.map((child) => child.until(({ ready }) => ready === true)))
  const endsMs = performance.now() + minutes * 60_000
  const tookMs: number[] = []
  const usedMb: number[] = []
  while (performance.now() < endsMs) {
    const beganMs = performance.now()
    tally.add(`read ${tally.cases + 1}`, await readFaults(memory.path))
    tookMs.push(performance.now() - beganMs)
    usedMb.push(process.memoryUsage().rss / 1e6)
    await wait(PAUSE_MS)
  }
  await Promise.all(writers.map((child) => child.kill()))
  const told = writers.flatMap(({ said }) => said).reduce((sum, { added }) => sum + (added ?? 0), 300)
  tally.add('the file afterwards', [
    ...writers.flatMap(({ errors }) => (errors === '' ? [] : [`a process said ${errors}`])),
    ...(await endFaults(memory.path, told)),
  ])
  const middle = usedMb.slice(usedMb.length >> 2, usedMb.length >> 1)
  const growthMb = mean(usedMb.slice(-middle.length)) - mean(middle)
  const sorted = tookMs.toSorted((a, b) => a - b)
  return tally.outcome(
    `${minutes} minutes, ${told} messages, ${(statSync(memory.path).size / 1e6).toFixed(1)} MB; a read took ${Math.round(sorted[sorted.length >> 1] ?? 0)} ms, ` +
      `the slowest ${Math.round(sorted.at(-1) ?? 0)} ms; the reader grew by ${growthMb.toFixed(0)} MB`,
  )
}

const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, one) => sum + one, 0) / Math.max(1, numbers.length)

async function readFaults(path: string): Promise<string[]> {
  try {
    using lcm = await openLcm(path, { readOnly: true, settings: readSettings({}) })
    lcm.stats.stats()
    lcm.transcript.page({ conversationId: 1, offset: 0, limit: 50, contentChars: 200 })
    lcm.context.assemble({ conversationId: 1 })
    const { hits } = await lcm.retrieval.grep(GrepInput.parse({ query: 'the' }))
    return hits.length > 0 ? [] : ['a search found nothing']
  } catch (error) {
    return [String(error)]
  }
}

async function endFaults(path: string, told: number): Promise<string[]> {
  const db = openNative(path)
  const stored = db.value<number>('SELECT count(*) FROM messages') ?? 0
  const integrity = db.value<string>('PRAGMA integrity_check')
  db.close()
  const findings = wrong(await scanFile(path)).filter((id) => !EXPECTED.has(id))
  return [
    ...(stored >= told ? [] : [`${told} messages were stored, ${stored} are there`]),
    ...(integrity === 'ok' ? [] : [`SQLite says: ${integrity}`]),
    ...(findings.length === 0 ? [] : [`the checks find ${findings.join(', ')}`]),
  ]
}
