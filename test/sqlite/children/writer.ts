// Another program with a memory open, as an agent has it: keeps everything in the log, obeys words on stdin.
import { createInterface } from 'node:readline'
import Database from 'better-sqlite3'

const [path = '', journal = 'WAL'] = process.argv.slice(2)
let db = new Database(path)
db.pragma(`journal_mode = ${journal}`)
if (journal === 'WAL') db.pragma('wal_autocheckpoint = 0')
const ADD = `INSERT INTO messages (conversation_id, seq, role, content, token_count)
   SELECT 1, max(seq) + 1, 'user', 'written by another program', 7 FROM messages WHERE conversation_id = 1`

createInterface({ input: process.stdin }).on('line', (word) => {
  if (word === 'write') db.exec(ADD)
  if (word === 'work') work(1)
  if (word === 'hurry') hurry()
  if (word === 'begin') db.exec('BEGIN IMMEDIATE')
  if (word === 'spill') db.exec(`PRAGMA cache_size = 1; UPDATE messages SET content = content || 'x'`)
  if (word === 'commit') db.exec('COMMIT')
  if (word === 'checkpoint') db.pragma('wal_checkpoint(TRUNCATE)')
  if (word === 'crash') process.kill(process.pid, 'SIGKILL')
  if (word === 'close') db.close()
  console.log(word)
  if (word === 'close') process.exit(0)
})
console.log('open')

/** Writes, checkpoints, closes and opens again, for ever. */
function work(turn: number): void {
  db.exec(ADD)
  if (turn % 3 === 0) db.pragma('wal_checkpoint(TRUNCATE)')
  if (turn % 7 === 0) {
    db.close()
    db = new Database(path)
  }
  setTimeout(() => work(turn + 1), turn % 5)
}

/** Commits and checkpoints as often as it can, for ever. */
function hurry(): void {
  db.pragma('wal_autocheckpoint = 1000')
  const one = db.prepare(ADD)
  for (const until = Date.now() + 20; Date.now() < until; ) one.run()
  setImmediate(hurry)
}
