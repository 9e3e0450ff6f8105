// A host that stores messages in a native memory at an even pace, each in a transaction of its own, until its standard
// input ends. It says a line when it has begun, and at the end how long its writes took.
import { ConversationStore } from '#core/ingest/conversation-store.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { openNative } from '#core/sqlite/native.ts'
import { historyStream } from '../builders/history.ts'

const [path = '', conversation = '1', perSecond = '20'] = process.argv.slice(2)
const db = openNative(path)
const store = new ConversationStore(db, createTokenEstimator(), Date.now)
const history = historyStream({ seed: 5, messages: 100_000, words: 40 })
const tookMs: number[] = []
const timer = setInterval(() => {
  const message = history.next().value
  if (message === undefined) return
  const startedMs = performance.now()
  store.append(Number(conversation), [{ ...message, externalId: `live-${tookMs.length}`, createdAtMs: Date.now() }])
  if (tookMs.push(performance.now() - startedMs) === 1) console.log('begun')
}, 1000 / Number(perSecond))
process.stdin.resume()
process.stdin.on('end', () => {
  clearInterval(timer)
  db.close()
  tookMs.sort((a, b) => a - b)
  const at = (share: number): number => tookMs[Math.min(tookMs.length - 1, Math.floor(share * tookMs.length))] ?? 0
  console.log(JSON.stringify({ writes: tookMs.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) }))
})
