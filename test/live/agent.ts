// An agent of some system at work: says message after message into its own file, each in a transaction of its own, and
// never waits for anybody. Obeys words on stdin, tells on stdout what it did.
import { statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { WRITERS } from '../builders/systems/every-writer.ts'
import { tellStory } from '../builders/systems/story.ts'
import type { SystemFile } from '../builders/systems/system.ts'

const [name = '', path = '', seed = '1', already = '0'] = process.argv.slice(2)
const writer = WRITERS.find((one) => one.name === name)
if (!writer) throw new Error(`no writer ${name}`)
const story = writer.tell(tellStory({ seed: Number(seed), sessions: 2, turns: 30 }))
const steps = story.sessions.flatMap((session) => [
  ...session.messages.map((message) => (file: SystemFile) => file.message(session, message)),
  ...session.summaries.map((summary) => (file: SystemFile) => file.summary(session, summary)),
])
let file = writer.open(path)
let next = Number(already)
let busy = 0
let largestLog = 0

/** One transaction; SQLITE_BUSY is counted, and tried again. */
function write(body: () => void): void {
  for (;;) {
    try {
      file.db.transaction(body).immediate()
      break
    } catch (error) {
      if (!String((error as { code?: string }).code).startsWith('SQLITE_BUSY')) throw error
      busy += 1
    }
  }
  largestLog = Math.max(largestLog, statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0)
}

const tell = (what: object): void => console.log(JSON.stringify({ next, busy, largestLog, ...what }))

createInterface({ input: process.stdin }).on('line', (line) => {
  const [word, count = '1'] = line.split(' ')
  switch (word) {
    case 'say':
      for (let left = Number(count); left > 0; left -= 1) {
        const step = steps[next]
        if (!step) break
        write(() => step(file))
        next += 1
      }
      return tell({})
    case 'fold': {
      const [folded] = file.db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
      return tell({ refused: folded?.busy })
    }
    case 'restart':
      file.db.close()
      file = writer.open(path)
      return tell({})
    case 'close':
      file.db.close()
      tell({})
      return process.exit(0)
    default:
      throw new Error(`what is ${line}?`)
  }
})
if (next === 0) {
  write(() => {
    for (const session of story.sessions) file.begin(session)
  })
}
tell({})
