import { TranscriptBuilder, text } from '../builders/claude-code.ts'

/** A transcript whose import takes a few seconds: enough to step in. */
export function longTranscript(messages = 20_000): string {
  const story = new TranscriptBuilder()
  const words =
    'The lock in the ledger is taken before the batch is flushed, so both workers see the old cursor. '.repeat(8)
  for (let n = 0; n < messages; n += 2) {
    story.user(`Question ${n}: ${words}`)
    story.answer(`msg_${n}`, [text(`Answer ${n}: ${words}`)])
  }
  return story.write()
}
