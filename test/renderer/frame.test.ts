import { describe, expect, it } from 'vitest'
import type { Job } from '../../core/contract/job.ts'
import type { ConversationRow } from '../../core/contract/memory.ts'
import { addressToRemember, withAddress } from '../../renderer/frame/remembered-address.ts'
import { statusText } from '../../renderer/frame/status-text.ts'
import { conversationName } from '../../renderer/ui/conversation-name.ts'
import { jobOutcome, jobText } from '../../renderer/ui/job-text.ts'

const row = (over: Partial<ConversationRow> & { conversationId: number }): ConversationRow => ({
  sessionId: `session-${over.conversationId}`,
  title: null,
  messages: 0,
  summaries: 0,
  maxDepth: -1,
  contextItems: 0,
  storedTokens: 0,
  activeTokens: 0,
  contextTokens: 0,
  leftOutItems: 0,
  leftOutTokens: 0,
  pressure: 0,
  createdAtMs: null,
  updatedAtMs: null,
  archivedAtMs: null,
  parentConversationId: null,
  ...over,
})

describe('the status line', () => {
  it('names messages, summaries, depth, size and pressure', () => {
    const conversation = row({ conversationId: 1, messages: 847, summaries: 23, maxDepth: 3, pressure: 0.62 })
    expect(statusText(conversation, 2_100_000)).toBe('LCM: 847 msgs | 23 summaries (depth 3) | 2.1 MB · 62 % of window')
  })

  it('uses the singular for one message and leaves out the depth without summaries', () => {
    expect(statusText(row({ conversationId: 1, messages: 1, pressure: 0 }), 4096)).toBe(
      'LCM: 1 msg | 0 summaries | 4.1 kB · 0 % of window',
    )
  })
})

describe('the list of conversations', () => {
  it('has a name of one line for each conversation', () => {
    expect(conversationName(row({ conversationId: 1, title: ' a\n\tb ' }))).toBe('a b')
    expect(conversationName(row({ conversationId: 1, title: '  ' }))).toBe('session-1')
    expect(conversationName(row({ conversationId: 1, sessionId: '' }))).toBe('conversation 1')
  })
})

describe('the text of a job', () => {
  const progress = (done: number, total: number, unit: 'bytes' | 'checks' | 'messages') => ({
    done,
    total,
    unit,
    note: '',
  })
  const plain = (text: string | null) => text?.replaceAll('\u00a0', ' ')

  it('says how far the job has come', () => {
    expect(plain(jobText({ kind: 'integrity', progress: progress(71, 100, 'checks') }))).toBe('Checking 71 %')
    expect(plain(jobText({ kind: 'index', progress: progress(71, 100, 'messages') }))).toBe('Indexing for search 71 %')
    expect(plain(jobText({ kind: 'import', progress: progress(1_200_000, 0, 'bytes') }))).toBe('Importing 1.2 MB')
    expect(jobText({ kind: 'compact', progress: null })).toBe('Compacting…')
  })

  it('says what came of the job', () => {
    const job = (state: Job['state'], result: Job['result'] = null) =>
      plain(jobOutcome({ kind: 'integrity', state, result }))
    const report = { ok: true, checks: [], messages: 0, summaries: 0, durationMs: 0, finishedAtMs: 0 }
    expect(job('running')).toBeUndefined()
    expect(job('cancelled')).toBe('Scan cancelled')
    expect(job('done', { kind: 'integrity', value: { ...report, counts: { error: 2, warning: 1, info: 5 } } })).toBe(
      'Scan: 3 findings',
    )
  })
})

describe('the remembered place in a file', () => {
  it('is kept for the fifty files that were used last', () => {
    let addresses: ReturnType<typeof withAddress> = []
    for (let n = 0; n < 60; n += 1) addresses = withAddress(addresses, `/f${n}`, '#/strata')
    addresses = withAddress(addresses, '/f30', '#/context')
    expect(addresses).toHaveLength(50)
    expect(addresses.at(-1)).toEqual(['/f30', '#/context'])
  })

  it('does not contain the words of a search', () => {
    expect(addressToRemember('#/conversation/3/search?query=x&select=msg_1')).toBe(
      '#/conversation/3/search?select=msg_1',
    )
  })
})
