import { expect, it } from 'vitest'
import type { WatchFinding } from '#core/contract/watch.ts'
import { newFindings } from '#renderer/ui/data/notifications.ts'

const finding = (more: Partial<WatchFinding>): WatchFinding => ({
  ...{ kind: 'empty_summary', severity: 'warning', conversationId: 1, text: 'Summaries say nothing: 1 finding.' },
  ...{ mend: 'Repair them.', command: null, sinceMs: null },
  ...more,
})

it('tells of a finding once, also when its count changes, and again in another conversation', () => {
  const before = [finding({})]
  expect(newFindings([], before)).toEqual(before)
  expect(newFindings(before, [finding({ text: 'Summaries say nothing: 2 findings.' })])).toEqual([])
  const elsewhere = finding({ conversationId: 2 })
  expect(newFindings(before, [finding({}), elsewhere])).toEqual([elsewhere])
  expect(newFindings([], before)).toEqual(before)
})
