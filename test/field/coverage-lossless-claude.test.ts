import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openLcm } from '#core/lcm.ts'
import { compare } from '../builders/coverage.ts'
import { writeLines } from '../builders/transcript-rows.ts'
import { FIXTURES } from '../sqlite/fixtures.ts'

const fixture = (name: string): string => join(FIXTURES, name)
type Row = { readonly id: number; readonly role: string; readonly content: string }

/** What the memory holds of a conversation, as plain messages. */
async function messagesOf(path: string, conversationId: number): Promise<Row[]> {
  using lcm = await openLcm(path)
  return lcm.read.all<Row>(
    `SELECT message_id AS id, role, content FROM messages WHERE conversation_id = :conversationId
        AND message_id NOT IN (SELECT message_id FROM event_messages) ORDER BY seq`,
    { conversationId },
  )
}
const plain = ({ role, content }: Pick<Row, 'role' | 'content'>) => ({ role, content })

const claude = fixture('lossless-claude/small.sqlite')
describe('the memory of lossless-claude', () => {
  it('lost ten messages after its first compaction, and its event rows are no messages', async () => {
    const stored = await messagesOf(claude, 1)
    expect(stored).toHaveLength(70)
    // Which they were is known by their numbers; what they said is not.
    const lost = Array.from({ length: 10 }, (_, index) => ({
      role: 'user',
      content: `Message ${60 + index} that never arrived.`,
    }))
    const transcript = [...stored.slice(0, 60), ...lost, ...stored.slice(60)].map(plain)
    const report = await compare(claude, writeLines(transcript))
    expect(report).toMatchObject({ ok: false, inTranscript: 80, inDatabase: 70, matched: 70 })
    expect(report.missing.map(({ line }) => line)).toEqual(Array.from({ length: 10 }, (_, index) => 61 + index))
    expect(report.counts).toEqual({ missing: 10, duplicated: 0, differing: 0, extra: 0 })
    expect(report.missing[0]?.afterMessageId).toBe(`msg_${stored[59]?.id}`)
  })
})
