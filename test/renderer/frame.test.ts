import { describe, expect, it } from 'vitest'
import type { Job } from '#core/contract/job.ts'
import type { ConversationRow } from '#core/contract/memory.ts'
import { fitColumns } from '#renderer/frame/columns.ts'
import { type PanelTab, panelTabs, placeOf, shownTab } from '#renderer/frame/panel-tabs.ts'
import { healthText, statusText } from '#renderer/frame/status-text.ts'
import { addressToRemember, withAddress } from '#renderer/remembered-address.ts'
import { conversationName } from '#renderer/ui/texts/format.ts'
import { jobOutcome, jobText } from '#renderer/ui/texts/job-text.ts'
import { VIEWS, type View } from '#renderer/views.ts'

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

describe('the columns of the window', () => {
  const wanted = { sidebar: 248, panel: 344 }

  it('keep the widths that the user chose where they fit beside a view of 560 pixels', () => {
    expect(fitColumns(1440, { sidebar: 320, panel: 500 })).toMatchObject({ sidebar: 320, panel: 500, isOverlay: false })
    const narrow = fitColumns(1100, { sidebar: 500, panel: 700 })
    expect(1100 - narrow.sidebar - narrow.panel).toBeGreaterThanOrEqual(560)
    expect(narrow.isOverlay).toBe(false)
  })

  it('lay the panel over the view where both do not fit, and let some of the view be seen', () => {
    expect(fitColumns(900, wanted)).toMatchObject({ sidebar: 248, panel: 344, isOverlay: true })
    expect(fitColumns(700, { sidebar: 248, panel: 700 }).panel).toBeLessThan(700 - 240)
  })

  it('are never narrower than 240 pixels, in a window of any width', () => {
    for (let width = 320; width <= 2560; width += 40) {
      const { sidebar, panel, isOverlay } = fitColumns(width, { sidebar: 0, panel: 0 })
      expect(Math.min(sidebar, panel)).toBeGreaterThanOrEqual(240)
      if (!isOverlay) expect(width - sidebar - panel).toBeGreaterThanOrEqual(560)
    }
  })
})

describe('the right panel', () => {
  const at = (view: View, selection: string | null, traced: 'trace' | 'hit' | null = null) => {
    const where = { view, selection, traced }
    return { tabs: panelTabs(where), place: placeOf(where) }
  }

  it('has these tabs in each view, with and without a selection', () => {
    type Tabs = { readonly selected: readonly PanelTab[]; readonly nothing: readonly PanelTab[] }
    const DETAIL: Tabs = { selected: ['detail'], nothing: ['conversation'] }
    const NONE: Tabs = { selected: [], nothing: [] }
    const expected: Readonly<Record<View, Tabs>> = {
      ...{ start: DETAIL, find: DETAIL, messages: DETAIL, window: DETAIL, layers: DETAIL, compact: DETAIL },
      ...{ health: DETAIL, compare: NONE },
      conversations: { selected: ['detail'], nothing: [] },
      ...{ files: { selected: ['detail'], nothing: [] }, storage: NONE, sql: DETAIL },
      notes: { selected: ['detail'], nothing: [] },
      ...{ settings: NONE, activity: NONE, batch: NONE, servers: NONE },
    }
    for (const view of VIEWS) {
      expect.soft(at(view, 'msg_1').tabs, view).toEqual(expected[view].selected)
      expect.soft(at(view, null).tabs, view).toEqual(expected[view].nothing)
    }
    expect(at('find', 'msg_1', 'hit').tabs).toEqual(['path', 'detail'])
    expect(at('find', 'msg_1', 'trace').tabs).toEqual(['recovery', 'detail'])
    expect(at('find', null, 'trace').tabs).toEqual(['recovery'])
  })

  it('shows what another selection begins with although a tab was chosen for the one before', () => {
    const before = at('find', 'msg_1', 'hit')
    const { tabs, place } = at('find', 'msg_2', 'trace')
    const chosen = { place: before.place, tab: 'detail' } as const
    expect(shownTab(before.tabs, before.place, chosen)).toBe('detail')
    expect(shownTab(tabs, place, chosen)).toBe('recovery')
  })

  it('keeps the tab of a trace while its rungs are selected', () => {
    const { place } = at('find', null, 'trace')
    const { tabs } = at('find', 'sum_1', 'trace')
    expect(shownTab(tabs, at('find', 'sum_1', 'trace').place, null)).toBe('recovery')
    expect(shownTab(tabs, at('find', 'sum_1', 'trace').place, { place, tab: 'detail' })).toBe('detail')
  })

  it('shows the path of a chosen hit first, and keeps the detail open from one hit to the next', () => {
    const first = at('find', 'msg_1', 'hit')
    expect(shownTab(first.tabs, first.place, null)).toBe('path')
    const next = at('find', 'msg_2', 'hit')
    expect(shownTab(next.tabs, next.place, { place: first.place, tab: 'detail' })).toBe('detail')
  })
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

describe('the health in the status line', () => {
  it('is being checked while the first check runs, and what was found afterwards', () => {
    expect(healthText(null, false)).toBe('not checked')
    expect(healthText(null, true)).toBe('being checked')
    expect(healthText(0, true)).toBe('nothing wrong')
    expect(healthText(2, false)).toBe('2\u00a0findings')
  })
})

describe('the list of conversations', () => {
  it('has a name of one line for each conversation', () => {
    expect(conversationName(row({ conversationId: 1, title: ' a\n\tb ' }))).toBe('a b')
    expect(conversationName(row({ conversationId: 1, title: '  ' }))).toBe('session-1')
    expect(conversationName({ ...row({ conversationId: 1 }), title: null, firstWords: 'Why is it slow?' })).toBe(
      'Why is it slow?',
    )
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
    expect(job('cancelled')).toBe('Check cancelled')
    expect(job('done', { kind: 'integrity', value: { ...report, counts: { error: 2, warning: 1, info: 5 } } })).toBe(
      'Check: 3 findings',
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
    expect(addressToRemember('#/conversation/3/find?query=x&select=msg_1')).toBe('#/conversation/3/find?select=msg_1')
  })
})
