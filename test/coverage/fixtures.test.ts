import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { openLcm } from '../../core/lcm.ts'
import { compare } from '../builders/coverage.ts'
import { writeLines } from '../builders/transcript-rows.ts'

const fixture = (name: string): string => fileURLToPath(new URL(`../../../shared/fixtures/${name}`, import.meta.url))
type Row = { readonly id: number; readonly role: string; readonly content: string }

/** What the memory holds of a conversation, as plain messages. */
function messagesOf(path: string, conversationId: number): Row[] {
  const lcm = openLcm(path)
  try {
    return lcm.read.all<Row>(
      `SELECT message_id AS id, role, content FROM messages WHERE conversation_id = :conversationId
        AND message_id NOT IN (SELECT message_id FROM event_messages) ORDER BY seq`,
      { conversationId },
    )
  } finally {
    lcm.close()
  }
}
const plain = ({ role, content }: Pick<Row, 'role' | 'content'>) => ({ role, content })

const claude = fixture('lossless-claude/small.sqlite')
describe.skipIf(!existsSync(claude))('the memory of lossless-claude', () => {
  it('lost ten messages behind its first compaction, and its event rows are no messages', async () => {
    const stored = messagesOf(claude, 1)
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

const gateway = fixture('argentos/gateway.db')
describe.skipIf(!existsSync(gateway))('a polluted memory of ArgentOS', () => {
  it('has what it took in again and again as duplicates', async () => {
    const stored = messagesOf(gateway, conversationWithMost(gateway))
    const squeeze = ({ content }: Row): string => content.replace(/\s+/g, '')
    const first = stored.filter((row, index) => stored.findIndex((other) => squeeze(other) === squeeze(row)) === index)
    const report = await compare(gateway, writeLines(first.map(plain)), {
      conversationId: conversationWithMost(gateway),
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

function conversationWithMost(path: string): number {
  const lcm = openLcm(path)
  try {
    const query = 'SELECT conversation_id FROM messages GROUP BY conversation_id ORDER BY count(*) DESC LIMIT 1'
    return lcm.read.value<number>(query) ?? 0
  } finally {
    lcm.close()
  }
}

const others = [
  'lossless-claw/small.db',
  'hermes-lcm/small.db',
  'lcm-x/small.db',
  'pi-lcm/small.db',
  'argentos/small.db',
  'decapod/small/lcm.db',
]
  .map((name) => fixture(name))
  .filter((path) => existsSync(path))
describe.skipIf(others.length === 0).each(others)('%s', (path) => {
  it('beside the transcript that it was made of has exactly what was dropped there missing', async () => {
    const conversationId = conversationWithMost(path)
    const stored = messagesOf(path, conversationId).filter(({ content }) => content.trim() !== '')
    const dropped = { role: 'user', content: 'This was said, and is nowhere.' }
    const transcript = [...stored.slice(0, 5), dropped, ...stored.slice(5)].map(plain)
    const report = await compare(path, writeLines(transcript), { conversationId })
    expect(report.missing).toMatchObject([{ line: 6, role: 'user', excerpt: dropped.content }])
    expect(report.counts).toMatchObject({ missing: 1, duplicated: 0, differing: 0 })
  })
})
