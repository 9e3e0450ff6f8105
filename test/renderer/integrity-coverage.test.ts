import { describe, expect, it } from 'vitest'
import type { CoverageReport } from '../../core/contract/coverage.ts'
import { coverageGroups, coverageTitle } from '../../renderer/features/integrity/coverage-rows.ts'

const report = (over: Partial<CoverageReport>): CoverageReport => ({
  ok: false,
  conversationId: 1,
  path: '/t.jsonl',
  format: 'claude-code',
  sessionId: 's',
  inTranscript: 10,
  inDatabase: 9,
  matched: 8,
  counts: { missing: 0, duplicated: 0, differing: 0, extra: 0 },
  missing: [],
  duplicated: [],
  differing: [],
  extra: [],
  skippedLines: 0,
  notes: [],
  durationMs: 1,
  ...over,
})

describe('a comparison with a transcript', () => {
  it('says in words what is wrong, and never calls what is here only a fault', () => {
    const counts = { missing: 1, duplicated: 0, differing: 2, extra: 5 }
    expect(coverageTitle({ ok: false, counts })).toBe('1\u00a0message missing, 2\u00a0messages not as said')
    expect(coverageTitle({ ok: true, counts: { ...counts, missing: 0, differing: 0 } })).toContain('Every message')
    const groups = coverageGroups(report({ counts }))
    expect(groups.map(({ title, isExpected }) => [title, isExpected])).toEqual([
      ['Missing here', false],
      ['Not as it was said', false],
      ['Here only', true],
    ])
  })

  it('leads to the message, or to the one behind which one is missing', () => {
    const at = { line: 7, role: 'user' as const, excerpt: 'hello' }
    const groups = coverageGroups(
      report({
        counts: { missing: 1, duplicated: 0, differing: 1, extra: 0 },
        missing: [{ ...at, atMs: 0, afterMessageId: 'msg_3' }],
        differing: [{ ...at, messageId: 'msg_4', storedExcerpt: 'hullo', differs: 'text' }],
      }),
    )
    expect(groups.map(({ rows }) => rows[0]?.id)).toEqual(['msg_3', 'msg_4'])
    expect(groups[1]?.rows[0]).toMatchObject({ stored: 'hullo', note: 'the text differs' })
  })
})
