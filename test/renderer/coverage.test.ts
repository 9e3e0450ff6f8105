import { describe, expect, it } from 'vitest'
import type { CoverageReport } from '#core/contract/coverage.ts'
import { coverageMarkdown, sectionsOf, verdictOf } from '#renderer/features/coverage/coverage-sections.ts'

const sound: CoverageReport = {
  ok: true,
  isEverything: true,
  conversationId: 1,
  path: '/home/ann/session.jsonl',
  format: 'claude-code',
  sessionId: 's-1',
  inTranscript: 4,
  inDatabase: 4,
  matched: 4,
  counts: { missing: 0, duplicated: 0, differing: 0, extra: 0 },
  missing: [],
  duplicated: [],
  differing: [],
  extra: [],
  lostTextCount: 0,
  lostTexts: [],
  skippedLines: 0,
  notes: [],
  durationMs: 5,
}
const faulty: CoverageReport = {
  ...sound,
  ok: false,
  isEverything: false,
  matched: 2,
  counts: { missing: 1200, duplicated: 0, differing: 1, extra: 1 },
  missing: [{ line: 3, role: 'user', atMs: 0, excerpt: 'the secret', afterMessageId: 'msg_2' }],
  differing: [
    { line: 4, messageId: 'msg_4', role: 'assistant', excerpt: 'that', storedExcerpt: 'this', differs: 'text' },
  ],
  extra: [{ messageId: 'msg_9', role: 'user', excerpt: 'a summary' }],
  notes: ['Two lines were left out.'],
}

describe('the comparison with a transcript', () => {
  it('says in one sentence what is wrong, and nothing else', () => {
    expect(verdictOf(sound)).toBe('Everything that the transcript says is in the memory')
    expect(verdictOf(faulty)).toBe('1,200 missing, 1 different')
    expect(verdictOf({ ...sound, isEverything: false, skippedLines: 1 })).toBe(
      'No message of the transcript is missing',
    )
    expect(verdictOf({ ...sound, ok: false, isEverything: false, lostTextCount: 2 })).toBe('2 texts lost')
  })

  it('lists the kinds of findings that exist, faults first, each with its whole number', () => {
    expect(sectionsOf(sound)).toEqual([])
    expect(sectionsOf(faulty).map(({ title, count, isFault }) => [title, count, isFault])).toEqual([
      ['Never arrived', 1200, true],
      ['Differs', 1, true],
      ['Only in the memory', 1, false],
    ])
    expect(sectionsOf(faulty)[1]?.rows).toMatchObject([
      { line: 4, excerpt: 'that', stored: 'this', messageId: 'msg_4' },
    ])
  })

  it('names the field of a lost text, and no message of the memory', () => {
    const lost = { line: 2, field: 'message.footnotes[].words', excerpt: 'The footnote.' }
    const report = { ...sound, ok: false, isEverything: false, lostTextCount: 1, lostTexts: [lost] }
    expect(sectionsOf(report)).toMatchObject([
      { title: 'Texts lost', roleColumn: 'field', messageColumn: null, rows: [{ role: lost.field, messageId: null }] },
    ])
    expect(coverageMarkdown(report)).toContain('nowhere in the memory.\n\n- line 2, message.footnotes[].words\n')
  })

  it('exports the places of findings, and no text of the conversation', () => {
    const text = coverageMarkdown(faulty)
    expect(text).toContain('- line 3, user, msg_2')
    expect(text).toContain('Two lines were left out.')
    expect(text).not.toMatch(/secret|that\b.*this|a summary/)
  })
})
