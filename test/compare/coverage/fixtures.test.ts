import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openLcm } from '#core/lcm.ts'
import { compare } from '#test/builders/coverage.ts'
import { writeLines } from '#test/builders/transcript-rows.ts'
import { FIXTURES } from '#test/sqlite/fixtures.ts'

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

const gateway = fixture('argentos/gateway.db')
describe('a polluted memory of ArgentOS', () => {
  it('has the messages that it took in several times as duplicates', async () => {
    const stored = await messagesOf(gateway, await conversationWithMost(gateway))
    const squeeze = ({ content }: Row): string => content.replace(/\s+/g, '')
    const first = stored.filter((row, index) => stored.findIndex((other) => squeeze(other) === squeeze(row)) === index)
    const report = await compare(gateway, writeLines(first.map(plain)), {
      conversationId: await conversationWithMost(gateway),
    })
    expect(report.counts).toMatchObject({
      missing: 0,
      differing: 0,
      duplicated: stored.length - first.length,
      extra: 0,
    })
    expect(report.ok).toBe(stored.length === first.length)
  })
})

async function conversationWithMost(path: string): Promise<number> {
  using lcm = await openLcm(path)
  const query = 'SELECT conversation_id FROM messages GROUP BY conversation_id ORDER BY count(*) DESC LIMIT 1'
  return lcm.read.value<number>(query) ?? 0
}

const others = [
  'lossless-claw/small.db',
  'hermes-lcm/small.db',
  'lcm-x/small.db',
  'pi-lcm/small.db',
  'argentos/small.db',
  'decapod/small/lcm.db',
].map((name) => fixture(name))
describe.each(others)('%s', (path) => {
  it('lacks exactly the message that was added to its transcript', async () => {
    const conversationId = await conversationWithMost(path)
    const stored = (await messagesOf(path, conversationId)).filter(({ content }) => content.trim() !== '')
    const dropped = { role: 'user', content: 'This was said, and is nowhere.' }
    const transcript = [...stored.slice(0, 5), dropped, ...stored.slice(5)].map(plain)
    const report = await compare(path, writeLines(transcript), { conversationId })
    expect(report.missing).toMatchObject([{ line: 6, role: 'user', excerpt: dropped.content }])
    expect(report.counts).toMatchObject({ missing: 1, duplicated: 0, differing: 0 })
  })
})
