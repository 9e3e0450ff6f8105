import { existsSync } from 'node:fs'
import { historyStream } from '../builders/history.ts'
import { ClawFile } from '../search/side-index/claw-file.ts'
import { Draft, keptPath } from './kept-files.ts'

/** Raise when the file would be made differently. */
const RECIPE = 1
const SUMMARIZED = 40

/** A file of lossless-claw with so many messages, without a search index; made once and kept with the temporary files. */
export function clawTexts(messages: number): string {
  const path = keptPath(`claw-${messages}-${RECIPE}.db`)
  if (existsSync(path)) return path
  using draft = new Draft(path)
  const file = new ClawFile(draft.path)
  file.db.exec('BEGIN')
  let number = 0
  for (const message of historyStream({ seed: 1, messages, words: 29 })) {
    file.addMessage(message)
    number += 1
    if (number % SUMMARIZED === 0) file.summarize(`Summary ${number}: ${message.content}`)
  }
  file.db.exec('COMMIT')
  file.close()
  draft.keep()
  return path
}
