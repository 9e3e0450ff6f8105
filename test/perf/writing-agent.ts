// An agent of lossless-claw that writes messages into its file at an even pace, each in a transaction of its own, until its
// standard input ends. It says a line when it has begun, and at the end how long its writes took.
import { losslessClawWriters } from '../builders/systems/lossless.ts'

const [path = '', perSecond = '200'] = process.argv.slice(2)
const file = losslessClawWriters[1]?.open(path)
if (!file) throw new Error('no writer')
const insertMessage = file.db.prepare(/* sql */ `
  INSERT INTO messages (message_id, conversation_id, seq, role, content, token_count, created_at, transcript_entry_id)
  SELECT max(message_id) + 1, 1, max(seq) + 1, :role, :content, 60, datetime('now'), 'live-' || (max(message_id) + 1)
  FROM messages`)
const insertPart = file.db.prepare(/* sql */ `
  INSERT INTO message_parts (part_id, message_id, session_id, part_type, ordinal, text_content)
  SELECT 'live-' || max(message_id), max(message_id), 's', 'text', 0, :content FROM messages`)
const insertItem = file.db.prepare(/* sql */ `
  INSERT INTO context_items (conversation_id, ordinal, item_type, message_id)
  SELECT 1, (SELECT max(ordinal) + 1 FROM context_items), 'message', (SELECT max(message_id) FROM messages)`)
const tookMs: number[] = []
let refusals = 0
const say = file.db.transaction((content: string, role: string) => {
  insertMessage.run({ content, role })
  insertPart.run({ content })
  insertItem.run()
})
file.db.pragma('busy_timeout = 0')

const beganMs = performance.now()
let said = 0
const timer = setInterval(() => {
  // Whatever is due by now: a timer does not tick 200 times a second on a busy machine.
  const due = Math.floor(((performance.now() - beganMs) / 1000) * Number(perSecond))
  for (; said < due; said += 1) {
    const startedMs = performance.now()
    for (;;) {
      try {
        say.immediate(
          `live message ${said} about the lease of billing, `.repeat(1 + (said % 20)),
          said % 2 ? 'user' : 'assistant',
        )
        break
      } catch (error) {
        if (!String((error as { code?: string }).code).startsWith('SQLITE_BUSY')) throw error
        refusals += 1
      }
    }
    if (tookMs.push(performance.now() - startedMs) === 1) console.log('begun')
  }
}, 5)
process.stdin.resume()
process.stdin.on('end', () => {
  clearInterval(timer)
  file.db.close()
  tookMs.sort((a, b) => a - b)
  const at = (share: number): number => tookMs[Math.min(tookMs.length - 1, Math.floor(share * tookMs.length))] ?? 0
  const perSecondSaid = said / ((performance.now() - beganMs) / 1000)
  console.log(JSON.stringify({ perSecond: perSecondSaid, refusals, p50: at(0.5), p95: at(0.95), max: at(1) }))
})
