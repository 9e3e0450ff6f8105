import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Provenance, type ProvenanceClaim, ProvenanceInput } from '#core/contract/provenance.ts'
import { randomLineage, summaryId, writeLineage } from '../browse/history/random-lineage.ts'
import { buildMemory, type MessageSpec, type TestMemory } from '../builders/memory.ts'
import { runs } from '../builders/property-runs.ts'
import { anyText } from './any-text.ts'
import { finderOf, provenanceOf } from './measure.ts'

const SAID = 'The timeout in src/queue/worker.ts comes from claimNext, which holds its lock for 30 seconds.'

/** A leaf over some messages, its text given. */
function leafOver(content: string, messages: readonly (MessageSpec | string)[]): { memory: TestMemory; leaf: string } {
  const memory = buildMemory({ conversations: [{}] })
  const ids = memory.messages(1, ['Good morning.', ...messages, 'That is all for today.'])
  return { memory, leaf: memory.leaf(1, ids, { content }) }
}

async function only(content: string, messages: readonly (MessageSpec | string)[]): Promise<ProvenanceClaim> {
  const { memory, leaf } = leafOver(content, messages)
  const { claims } = Provenance.parse(await provenanceOf(memory.db, leaf))
  memory.close()
  expect(claims).toHaveLength(1)
  return claims[0] as ProvenanceClaim
}

describe('a sentence of a summary', () => {
  it('is supported by the passage that says it, with the matching places on both sides', async () => {
    const claim = await only('claimNext holds its lock for 30 seconds, hence the timeout in src/queue/worker.ts.', [
      SAID,
    ])
    expect(claim).toMatchObject({ support: 'supported', invented: [] })
    const [passage] = claim.passages
    expect(passage).toMatchObject({ id: 'msg_2', kind: 'message', field: 'content', part: null, seq: 1, excerpt: SAID })
    for (const match of passage?.matches ?? []) {
      const inClaim = claim.text.slice(match.claimStart - claim.start, match.claimEnd - claim.start)
      expect(inClaim).toBe(match.text)
      expect(SAID.slice(match.start, match.end).toLowerCase().slice(0, 3)).toBe(inClaim.toLowerCase().slice(0, 3))
    }
    expect(passage?.matches.some(({ kind, text }) => kind === 'specific' && text === '30')).toBe(true)
  })

  it('is not supported when a number changed, which is named with the number in the source', async () => {
    const claim = await only('claimNext holds its lock for 45 seconds, hence the timeout in src/queue/worker.ts.', [
      SAID,
    ])
    expect(claim.support).toBe('weak')
    expect(claim.invented).toMatchObject([{ kind: 'number', text: '45', standing: 'nowhere', instead: '30', at: null }])
    expect(claim.why).toContain('45')
    const place = claim.invented[0]
    expect(claim.text.slice((place?.start ?? 0) - claim.start, (place?.end ?? 0) - claim.start)).toBe('45')
  })

  it('is not supported by the same number about something else', async () => {
    const claim = await only('claimNext holds its lock for 45 seconds, hence the timeout in src/queue/worker.ts.', [
      SAID,
      'There were 45 unread letters in the inbox.',
    ])
    expect(claim.support).toBe('weak')
    expect(claim.specifics.find(({ text }) => text === '45')).toMatchObject({ standing: 'elsewhere', instead: '30' })
  })

  it.each([
    ['a path', 'The timeout in src/queue/sender.ts comes from claimNext, which holds its lock.', 'src/queue/sender.ts'],
    ['an identifier', 'The timeout in src/queue/worker.ts comes from claimLast, which holds its lock.', 'claimLast'],
  ])('names %s that was replaced as found nowhere', async (_what, content, invented) => {
    const claim = await only(content, [SAID])
    expect(claim.support).toBe('weak')
    expect(claim.invented.map(({ text }) => text)).toEqual([invented])
  })

  it.each([
    [
      'a negation put in',
      'The worker does not hold its lock while it sleeps.',
      'I see that the worker holds its lock while it sleeps.',
    ],
    [
      'a negation left out',
      'The worker holds its lock while it sleeps.',
      'The worker does not hold its lock while it sleeps.',
    ],
    [
      'the contrary',
      'The migration tests passed on the staging database.',
      'The migration tests failed on the staging database.',
    ],
  ])('is not fully supported when it differs from its source by %s', async (_what, content, said) => {
    const claim = await only(content, [said])
    expect(claim.support).not.toBe('supported')
    expect(claim.passages[0]?.id).toBe('msg_2')
    expect(claim.why).toContain('denies')
  })

  it('is supported when both sides have the same negation', async () => {
    const claim = await only('The worker never holds its lock while it sleeps.', [
      'The worker does not hold its lock while it sleeps.',
    ])
    expect(claim.support).toBe('supported')
  })

  it('has no support when nobody said it', async () => {
    const claim = await only('The marketing team chose a new colour for the newsletter.', [SAID])
    expect(claim).toMatchObject({ support: 'none' })
  })

  it('is found in reasoning, arguments and results of tools, in the part where it is', async () => {
    using memory = buildMemory({ conversations: [{}] })
    const id = memory.message(1, {
      role: 'assistant',
      content: 'Running it.',
      parts: [
        { part_type: 'text', is_content: 1 },
        { part_type: 'reasoning', text_content: 'The checksum differs, so the archive was truncated.' },
        { part_type: 'tool', tool_name: 'bash', tool_input: '{"command":"cd /srv\\nsha256sum backup-17.tar"}' },
        { part_type: 'tool', tool_name: 'bash', tool_output: 'backup-17.tar: FAILED open or read' },
      ],
    })
    const content =
      'The archive was truncated: the checksum differs.\nsha256sum backup-17.tar\nbackup-17.tar FAILED open or read'
    const leaf = memory.leaf(1, [id], { content })
    const { claims } = await provenanceOf(memory.db, leaf)
    expect(claims.map(({ support }) => support)).toEqual(['supported', 'supported', 'supported'])
    expect(claims.map(({ passages }) => [passages[0]?.field, passages[0]?.part])).toEqual([
      ['reasoning', 1],
      ['tool_input', 2],
      ['tool_output', 3],
    ])
  })

  it.each([
    ['数据库连接池在启动时重复写入了记录。', '日志显示数据库连接池在启动时重复写入了记录,请先修复。'],
    ['検索インデックスの再構築は三回失敗した。', '昨日から検索インデックスの再構築は三回失敗したと報告があった。'],
    ['Die Prüfung der Größe schlägt fehl.', 'Leider schlägt die PRÜFUNG der Grösse, also der Größe, immer noch fehl.'],
    ['Индекс поиска был перестроен дважды.', 'Вчера индекс поиска был перестроен дважды, это видно в журнале.'],
    ['ตรวจสอบไฟล์อีกครั้งก่อนเผยแพร่', 'ช่วยตรวจสอบไฟล์อีกครั้งก่อนเผยแพร่ด้วยนะ'],
  ])('is supported in any script: %s', async (content, said) => {
    const claim = await only(content, [said])
    expect(claim.support).toBe('supported')
    expect(claim.passages[0]?.id).toBe('msg_2')
  })

  it('may name a time of its messages, and no other', async () => {
    const right = await only('2026-03-02 09:01: the worker holds its lock while it sleeps.', [
      'The worker holds its lock while it sleeps.',
    ])
    expect(right).toMatchObject({ support: 'supported', invented: [] })
    const wrong = await only('2026-03-05 17:44: the worker holds its lock while it sleeps.', [
      'The worker holds its lock while it sleeps.',
    ])
    expect(wrong.invented.map(({ text }) => text).join(' ')).toContain('2026-03-05')
  })
})

describe('a condensed summary', () => {
  it('is followed to its sources and to the messages below', async () => {
    using memory = buildMemory({ conversations: [{}] })
    const ids = memory.messages(1, [SAID, 'Nothing else happened in the afternoon.'])
    const leaf = memory.leaf(1, ids, {
      content: 'Timeout in src/queue/worker.ts: claimNext holds its lock for 30 seconds.',
    })
    const top = memory.condensed(1, [leaf], {
      content: 'claimNext holds its lock for 30 seconds, so src/queue/worker.ts has a timeout.',
    })
    const [claim] = (await provenanceOf(memory.db, top)).claims
    expect(claim?.support).toBe('supported')
    expect(claim?.sourceScore).toBeGreaterThan(0.5)
    expect(new Set(claim?.passages.map(({ id }) => id))).toEqual(new Set([leaf, 'msg_1']))
    expect(claim?.passages.find(({ id }) => id === leaf)).toMatchObject({ kind: 'summary', depth: 0, role: null })
  })

  it('names the source summary in which an invention first appears', async () => {
    using memory = buildMemory({ conversations: [{}] })
    const ids = memory.messages(1, [SAID, 'Nothing else happened in the afternoon.'])
    const leaf = memory.leaf(1, ids, {
      content: 'claimNext holds its lock for 77 seconds.\nJonas promised cake for everybody.',
    })
    const top = memory.condensed(1, [leaf], {
      content: 'claimNext holds its lock for 77 seconds.\nJonas promised cake for everybody.',
    })
    const { claims, counts } = await provenanceOf(memory.db, top)
    expect(claims.map(({ support }) => support)).toEqual(['weak', 'weak'])
    expect(claims[0]?.invented).toMatchObject([{ text: '77', standing: 'source_only', at: { id: leaf } }])
    expect(claims[1]?.why).toContain('A source summary says it')
    expect(counts).toMatchObject({ supported: 0, weak: 2 })
  })

  it('can be examined despite cycles, dangling links and messages of other conversations', async () => {
    await fc.assert(
      fc.asyncProperty(randomLineage, fc.nat(6), async (lineage, place) => {
        using memory = writeLineage(lineage)
        if (place >= lineage.leaves.length + lineage.condensed) return
        memory.damage("UPDATE summaries SET content = 'Message 3 of conversation 1. Message 99 of nothing at all.'")
        const provenance = Provenance.parse(await provenanceOf(memory.db, summaryId(place)))
        expect(provenance.claims).toHaveLength(2)
        for (const { passages } of provenance.claims) expect(passages.every(({ score }) => score > 0)).toBe(true)
      }),
      { numRuns: runs(15) },
    )
  })

  it('is reported to have missing sources', async () => {
    using memory = buildMemory({ conversations: [{}] })
    const leaf = memory.leaf(1, memory.messages(1, [SAID, 'x']), { content: SAID })
    memory.damage('DELETE FROM messages WHERE message_id = 1')
    const { claims, notes } = await provenanceOf(memory.db, leaf)
    expect(claims[0]?.support).toBe('none')
    expect(notes.join(' ')).toContain('1 of its sources')
  })
})

describe('the answer about a summary', () => {
  it('covers only a selection, to the character', async () => {
    const content = `Good morning was said. ${SAID} That is all for today.`
    const { memory, leaf } = leafOver(content, [SAID])
    const from = content.indexOf('claimNext')
    const { claims } = await provenanceOf(memory.db, leaf, { from, to: content.indexOf('seconds') + 7 })
    expect(claims.map(({ text, start }) => [text, start])).toEqual([
      ['claimNext, which holds its lock for 30 seconds', from],
    ])
    await expect(provenanceOf(memory.db, leaf, { from: 9_000, to: 9_001 })).rejects.toMatchObject({
      code: 'invalid_argument',
    })
    memory.close()
  })

  it('says when a text has more sentences than are examined, and a selection reaches the others', async () => {
    const lines = Array.from({ length: 401 }, (_, line) => `Bay ${line} was swept.`)
    const { memory, leaf } = leafOver(lines.join('\n'), ['Bay 400 was swept.'])
    const first = await provenanceOf(memory.db, leaf)
    expect(first.claims).toHaveLength(400)
    expect(first.notes).toEqual([expect.stringMatching(/^Only the first 400 of its 401 sentences/)])
    const rest = await provenanceOf(memory.db, leaf, { from: lines.join('\n').length - 10 })
    expect(rest).toMatchObject({ claims: [{ support: 'supported' }], notes: [] })
    memory.close()
  })

  it('is refused for messages and for unknown ids', async () => {
    const { memory } = leafOver('x y z', [SAID])
    await expect(provenanceOf(memory.db, 'msg_1')).rejects.toMatchObject({ code: 'invalid_argument' })
    await expect(provenanceOf(memory.db, 'sum_nothing')).rejects.toMatchObject({ code: 'not_found' })
    memory.close()
  })

  it('is the same every time, fits its schema and stays within the texts, for any text', async () => {
    const text = anyText(120)
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 5 }), text, async (messages, more) => {
        using memory = buildMemory({ conversations: [{}] })
        const ids = memory.messages(1, messages)
        const content = `${messages[0]?.slice(0, 60)}\n- ${more}\n\`${messages.at(-1)}\` 42`
        const leaf = memory.leaf(1, ids, { content })
        const written = memory.db.value<string>('SELECT content FROM summaries') ?? ''
        const first = Provenance.parse(await provenanceOf(memory.db, leaf))
        const second = Provenance.parse(await provenanceOf(memory.db, leaf))
        expect({ ...second, tookMs: 0 }).toEqual({ ...first, tookMs: 0 })
        for (const claim of first.claims) {
          expect(written.slice(claim.start, claim.end)).toBe(claim.text)
          for (const passage of claim.passages) {
            const stored =
              memory.db.value<string>('SELECT content FROM messages WHERE seq = :seq', { seq: passage.seq }) ?? ''
            expect(stored.slice(passage.start, passage.end).toWellFormed()).toBe(passage.excerpt)
            for (const { start, end } of passage.matches) expect(end).toBeGreaterThan(start)
          }
        }
      }),
      { numRuns: runs(30) },
    )
  })

  it('can be cancelled', async () => {
    const { memory, leaf } = leafOver(SAID, [SAID])
    const abort = new AbortController()
    abort.abort()
    const asked = finderOf(memory.db).find(ProvenanceInput.parse({ summaryId: leaf }), abort.signal)
    await expect(asked).rejects.toMatchObject({ code: 'cancelled' })
    memory.close()
  })
})
