import { describe, expect, it } from 'vitest'
import type { Provenance } from '#core/contract/provenance.ts'
import { ask, askerOf } from '../agents/expand-query/reading-memory.ts'
import { TranscriptBuilder, text } from '../builders/claude-code.ts'
import { runImport } from '../builders/import.ts'
import { buildMemory, STORY_BEGINS_MS, type TestMemory } from '../builders/memory.ts'
import { writeLines } from '../builders/transcript-rows.ts'
import { provenanceOf } from './measure.ts'

const SAID = 'Please move the session store from Redis to Postgres, because the cache node keeps running out of memory.'
const TRUE = 'The session store is moved from Redis to Postgres because the cache node keeps running out of memory.'
const INVENTED = 'The Android team postponed the release of the coupon wallet until the translators deliver Welsh.'
const FIRST = `${TRUE}\n- ${INVENTED}\n- Nobody has reviewed the onboarding emails of the marketing department yet.`
const SECOND = `${FIRST}\n- The warehouse robots were recalibrated by an outside contractor during the night.`
const long = (what: string): string => `${what} ${'and so it went on for quite some time there '.repeat(8)}`.trim()

function compact(story: TranscriptBuilder, summary: string): void {
  story.record({
    type: 'system',
    subtype: 'compact_boundary',
    content: 'Conversation compacted',
    parentUuid: null,
    logicalParentUuid: story.lastUuid,
    compactMetadata: { trigger: 'auto', preTokens: 155_000 },
  })
  story.user(summary, { isCompactSummary: true, isVisibleInTranscriptOnly: true })
}

function turn(story: TranscriptBuilder, n: number, said = `question ${n}`): void {
  story.user(long(said))
  story.answer(`msg_${n}`, [text(long(`answer ${n}`))])
}

const summaryWith = (memory: TestMemory, content: string): string =>
  memory.db.value<string>('SELECT summary_id FROM summaries WHERE content = :content', { content }) ?? ''

const supportOf = ({ claims }: Provenance, sentence: string): string | undefined =>
  claims.find((claim) => claim.text.startsWith(sentence.slice(0, 30)))?.support

/** What a sound answer about a summary with one true and several invented sentences looks like. */
function expectOnlyTheTrueOne(answer: Provenance): void {
  expect(supportOf(answer, TRUE)).toBe('supported')
  for (const claim of answer.claims.filter(({ text }) => !text.startsWith('The session store'))) {
    expect(claim, claim.text).toMatchObject({ support: 'none' })
  }
}

describe('a summary that an import found in a transcript', () => {
  it('is not supported by the message of Claude Code that contains its text', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    turn(story, 1, SAID)
    turn(story, 2)
    compact(story, FIRST)
    turn(story, 3)
    await runImport(memory.db, [story.write()])
    const answer = await provenanceOf(memory.db, summaryWith(memory, FIRST))
    expectOnlyTheTrueOne(answer)
    expect(answer.notes.join(' ')).toContain('word for word')
  })

  it('is not supported by messages with an earlier summary, nor by the extract that the import inserted', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    turn(story, 1, SAID)
    compact(story, FIRST)
    turn(story, 2)
    turn(story, 3)
    compact(story, SECOND)
    turn(story, 4)
    await runImport(memory.db, [story.write()])
    const answer = await provenanceOf(memory.db, summaryWith(memory, SECOND))
    expect(supportOf(answer, TRUE)).toBe('supported')
    // The earlier summary says it, and no message does.
    expect(supportOf(answer, INVENTED)).toBe('weak')
    expect(answer.claims.find(({ text }) => text === INVENTED)?.passages.every(({ kind }) => kind === 'summary')).toBe(
      true,
    )
    expect(supportOf(answer, 'The warehouse robots were recalibrated')).toBe('none')
  })

  it('is not repeated by the extract that the import inserts', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    turn(story, 1, SAID)
    compact(story, FIRST)
    turn(story, 2)
    compact(story, SECOND)
    await runImport(memory.db, [story.write()])
    const extracts = memory.db.column<string>("SELECT content FROM summaries WHERE level = 'deterministic'")
    expect(extracts).toHaveLength(1)
    expect(extracts[0]).not.toContain('warehouse')
  })

  it('is not supported by a later prompt that quotes it', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    turn(story, 1, SAID)
    compact(story, FIRST)
    story.user(
      `This session goes on from an earlier one. Summary so far:\n\n${FIRST}\n\nPlease repair the billing export next.`,
    )
    turn(story, 2)
    const next = `${FIRST}\n- The billing export is to be repaired next.`
    compact(story, next)
    await runImport(memory.db, [story.write()])
    const answer = await provenanceOf(memory.db, summaryWith(memory, next))
    expect(supportOf(answer, TRUE)).toBe('supported')
    expect(supportOf(answer, INVENTED)).toBe('weak')
    // What the prompt says beside the quotation is a source as any other.
    expect(supportOf(answer, 'The billing export is to be repaired')).toBe('supported')
  })

  it('is not supported by the result of a tool that read it, with its lines escaped in JSON', async () => {
    using memory = buildMemory({ conversations: [{}] })
    const sources = memory.messages(1, [SAID, 'I will do that.'])
    const leaf = memory.leaf(1, sources, { content: FIRST, atMs: STORY_BEGINS_MS + 3_600_000 })
    const later = memory.message(1, {
      role: 'assistant',
      content: 'Looking it up.',
      atMs: STORY_BEGINS_MS + 7_200_000,
      parts: [{ part_type: 'tool', tool_name: 'lcm_describe', tool_output: JSON.stringify({ content: FIRST }) }],
    })
    const other = memory.leaf(1, [later], { content: 'The summary was looked up.', atMs: STORY_BEGINS_MS + 7_300_000 })
    const above = memory.condensed(1, [leaf, other], { content: `${FIRST}\n- The summary was looked up.` })
    const answer = await provenanceOf(memory.db, above)
    expect(supportOf(answer, TRUE)).toBe('supported')
    expect(supportOf(answer, INVENTED)).toBe('weak')
  })

  it.each([
    [
      'Pi',
      () =>
        writeLines([
          { type: 'session', version: 3, id: 'pi-own', timestamp: '2026-03-02T09:00:00.000Z', cwd: '/srv/shop' },
          {
            type: 'message',
            id: 'p1',
            parentId: null,
            timestamp: '2026-03-02T09:00:01.000Z',
            message: { role: 'user', content: long(SAID), timestamp: 1772442001000 },
          },
          {
            type: 'message',
            id: 'p2',
            parentId: 'p1',
            timestamp: '2026-03-02T09:00:02.000Z',
            message: { role: 'user', content: long('Kept.'), timestamp: 1772442002000 },
          },
          {
            type: 'compaction',
            id: 'p3',
            parentId: 'p2',
            timestamp: '2026-03-02T09:00:03.000Z',
            summary: FIRST,
            firstKeptEntryId: 'p2',
            tokensBefore: 5000,
          },
        ]),
    ],
    [
      'Codex, whose last answer says the summary too',
      () => {
        const at = (second: number): string => `2026-03-02T09:00:0${second}.000Z`
        const message = (role: string, words: string) => ({
          type: 'message',
          role,
          content: [{ type: role === 'user' ? 'input_text' : 'output_text', text: words }],
        })
        return writeLines([
          { timestamp: at(0), type: 'session_meta', payload: { id: 'codex-own', timestamp: at(0), cwd: '/srv/shop' } },
          { timestamp: at(1), type: 'response_item', payload: message('user', long(SAID)) },
          { timestamp: at(2), type: 'response_item', payload: message('assistant', FIRST) },
          { timestamp: at(3), type: 'compacted', payload: { message: FIRST } },
        ])
      },
    ],
  ])('is not supported by its own record in a transcript of %s', async (_name, write) => {
    using memory = buildMemory()
    await runImport(memory.db, [write()])
    expectOnlyTheTrueOne(await provenanceOf(memory.db, summaryWith(memory, FIRST)))
  })

  it('is supported by what was said before it in the same words', async () => {
    using memory = buildMemory({ conversations: [{}] })
    const report = `${TRUE}\n${INVENTED}\nNobody has reviewed the onboarding emails yet.`
    const sources = memory.messages(1, ['Report, please.', { role: 'assistant', content: report }])
    const leaf = memory.leaf(1, sources, { content: report })
    const { counts } = await provenanceOf(memory.db, leaf)
    expect(counts).toMatchObject({ supported: 3, weak: 0, none: 0 })
  })
})

describe('an answer to a question', () => {
  it('cites the words of a summary as the summary alone, not as the message that records it', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    turn(story, 1, SAID)
    compact(story, FIRST)
    await runImport(memory.db, [story.write()])
    const id = summaryWith(memory, FIRST)
    const prompt = 'Who postponed the release of the coupon wallet?'
    const { citations } = await ask(askerOf(memory.db), { prompt, summaryIds: [id] })
    const quoting = citations.filter(({ excerpt }) => excerpt.includes('coupon wallet'))
    expect(quoting.map(({ id: cited }) => cited)).toEqual([id])
  })
})
