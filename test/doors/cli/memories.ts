import { join } from 'node:path'
import { call, TranscriptBuilder, text, thinking } from '#test/builders/claude-code.ts'
import { generateHistory } from '#test/builders/history.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { lcmHere } from './lcm.ts'

/** Everything that a terminal could obey: colours, cursor, title, C1 codes, bells, carriage returns, reversed text. */
export const HOSTILE = [
  '\u001b[31mred\u001b[0m',
  '\u001b[2J\u001b[H',
  '\u001b]0;owned\u0007',
  '\u009b31m',
  'over\rwritten',
  '\u202eesrever\u202c',
  '\u2066isolated\u2069',
  '\u0000\u0007\u0008',
  '<script>alert(1)</script>',
].join(' ')

export type TwoConversations = { readonly db: string; readonly transcripts: string; readonly long: number }

/** A native memory made by the command itself: a long conversation and a short one full of hostile text. */
export async function importedMemory(messages = 160): Promise<TwoConversations> {
  const transcripts = temporaryFolder()
  writeLong(transcripts, messages)
  writeHostile(transcripts)
  const db = join(temporaryFolder(), 'lcm.db')
  const ran = await lcmHere(['import', transcripts, '--db', db])
  if (ran.code !== 0) throw new Error(ran.stderr)
  return { db, transcripts, long: 1 }
}

export function writeLong(folder: string, messages = 160): string {
  const story = new TranscriptBuilder('aaaaaaaa-0000-4000-8000-000000000001')
  for (const message of generateHistory({ seed: 11, messages })) {
    const [tool] = (message.parts ?? []).filter((part) => part.type === 'tool')
    if (message.role === 'user') story.user(message.content)
    else if (message.role === 'tool' && tool) story.result(tool.toolCallId ?? '', message.content)
    else {
      const blocks: unknown[] = [text(message.content)]
      if (tool) blocks.push(call(tool.toolCallId ?? '', tool.toolName ?? 'bash', JSON.parse(tool.toolInput ?? '{}')))
      story.answer(`api_${message.externalId}`, blocks)
    }
  }
  return story.write('a-long.jsonl', folder)
}

function writeHostile(folder: string): string {
  const story = new TranscriptBuilder('bbbbbbbb-0000-4000-8000-000000000002')
  story.user(`Hostile question: ${HOSTILE}`)
  story.answer('api_1', [
    thinking(`Hostile thought: ${HOSTILE}`),
    text(`Hostile answer: ${HOSTILE}`),
    call('t1', `tool ${HOSTILE}`),
  ])
  story.result('t1', `Hostile result: ${HOSTILE}`)
  story.answer('api_2', [text('Done.')])
  return story.write('b-hostile.jsonl', folder)
}
